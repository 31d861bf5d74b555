/* segmenter.h - what a transcript tells becomes segments and calls of tools, for the capture store.
**
** It hears the same as the conversation store, redacted.  When a segment ends, is for its harness to say
** (st_segment_rules); a harness without rules has none.  See docs/capture-store.md for the rules. */
#ifndef ST_SEGMENTER_H
#define ST_SEGMENTER_H

#include "base/uuid.h"
#include "capture/reader.h"
#include "capture/tool_summary.h"

#define ST_PROMPT_MAX 500 /* characters of a prompt */
#define ST_ANSWER_MAX 300

typedef struct st_segmenter st_segmenter;
typedef struct st_tool_row st_tool_row;

/* How the segments of a harness are made. */
struct st_segment_rules {
  bool by_record;   /* a session is a file, with its sub-agents; every record is a message, and a tool's result is the user's */
  bool from_prompt; /* nothing before the first prompt belongs to a segment */
  bool characters;  /* a segment's size is counted in characters, not bytes */
  double gap;       /* seconds between two records of the user, after which another begins; 0: however long */
  size_t least;     /* bytes of an answer that is worth to be told */
  bool project_in_path; /* the project is a directory's name; else it is where the session works */
  const st_tool_style *tools;
  st_summary_caps caps;
  st_text (*prompt)(st_text said); /* what of a user's words is a prompt; none: nothing */
  /* A database has one segment of each session.  NULL row: there is no such session, or no memory (false). */
  bool (*database)(st_segmenter *s, sqlite3 *db, st_arena *arena, st_text session, st_segment_row **row, st_tool_row **calls);
};

extern const st_segment_rules st_segments_of_claude, st_segments_of_codex, st_segments_of_cursor, st_segments_of_opencode;

/* segment_opencode.c */
bool st_segment_of_opencode(st_segmenter *s, sqlite3 *db, st_arena *arena, st_text session, st_segment_row **row,
                            st_tool_row **calls);

/* A call of a tool, or (without a name) the answer to one. */
struct st_tool_row {
  st_tool_row *next;
  char envelope[ST_UUID_SIZE]; /* of the call's id */
  st_text session, name, summary, cwd, branch;
  double at;
  double ended;   /* when it was answered; 0: not yet.  An answer has it, too */
  bool told_exit; /* the answer says how it ended */
  int64_t exit_code;
};

struct st_segmenter {
  const st_segment_rules *rules; /* NULL: there are no segments */
  const st_source *source;
  st_redact_scratch *scratch; /* of its own: what it finds has been counted */
  st_segment open;
  bool begun; /* a prompt has come, or none is needed */
  st_str session, cwd, branch, model, agent, title, parent;
  bool subagent;
  st_str record;       /* the last one's key */
  double last_user;    /* when the user last said something */
  st_str request;      /* the last one's key, */
  int64_t spent;       /* and its tokens so far */
};

/* What a message brought, in the arena. */
typedef struct st_segmented {
  st_segment_row *closed; /* NULL: the segment goes on */
  st_tool_row *calls;
} st_segmented;

bool st_segmenter_init(st_segmenter *s, const st_redactor *redactor);
void st_segmenter_free(st_segmenter *s);

/* Another file. */
void st_segmenter_begin(st_segmenter *s, const st_source *source, const st_segment_rules *rules);
/* Go on where it was left: from st_segmenter_keep. */
void st_segmenter_recall(st_segmenter *s, st_text state);
void st_segmenter_keep(const st_segmenter *s, st_str *out);
bool st_segmenter_failed(const st_segmenter *s); /* out of memory, and what it holds is not whole */

void st_segmenter_session(st_segmenter *s, const st_told_session *told);
/* `told` is redacted but for its calls, which are as they were told.  False: out of memory. */
bool st_segmenter_message(st_segmenter *s, st_arena *arena, st_text session, const st_told_message *told, st_segmented *out);
void st_segmenter_usage(st_segmenter *s, const st_told_usage *told);
/* A record that says nothing, but is one. */
void st_segmenter_record(st_segmenter *s, double time);
/* A row of a tool's call, or (ended) of an answer, in the arena; NULL: out of memory. */
st_tool_row *st_tool_row_of(st_arena *arena, st_text call, double at);
/* The segment that is open; NULL: none says anything, or out of memory (*nomem). */
st_segment_row *st_segmenter_open(const st_segmenter *s, st_arena *arena, bool *nomem);

#endif
