/* segment.h - a segment of an agent's session, while it grows, and as a row.
**
** A segment is what was said and done between two pauses: the prompts, the calls of tools and the answers, each cut short.
** It grows with the transcript.  When a file was read to its end its last segment stays open: its state is
** kept, and gone on with when the file has grown. */
#ifndef ST_SEGMENT_H
#define ST_SEGMENT_H

#include "base/arena.h"
#include "base/json_pull.h"
#include "base/str.h"
#include "base/text.h"

typedef struct st_segment {
  int64_t index;               /* in the session, from 0 */
  st_str prompts, calls, texts; /* JSON lists; without their closing brackets */
  int64_t size;                /* of what is in them: bytes, or characters */
  int64_t messages, tokens;
  double start, end; /* seconds since the epoch; 0: not known yet */
} st_segment;

void st_segment_init(st_segment *segment);
void st_segment_free(st_segment *segment);
/* Begin the next one. */
void st_segment_next(st_segment *segment);

void st_segment_add_prompt(st_segment *segment, st_text prompt);
void st_segment_add_text(st_segment *segment, st_text text);
void st_segment_add_call(st_segment *segment, st_text name, st_text summary);
void st_segment_add_call_line(st_segment *segment, st_text line); /* a call as a mere text */
/* Something happened at this time. */
void st_segment_at(st_segment *segment, double time);

/* Does it say anything? */
bool st_segment_has_content(const st_segment *segment);
bool st_segment_failed(const st_segment *segment); /* out of memory */

/* Its state: members of a JSON object, and back. */
void st_segment_keep(const st_segment *segment, st_str *out);
void st_segment_recall(st_segment *segment, st_text state);

/* A copy in the arena, with U+FFFD for each NUL: PostgreSQL has no place for one, and before a JSON content it is our own mark.
** False: out of memory. */
bool st_keep_text(st_arena *arena, st_text text, st_text *out);
/* The first so many characters of a text. */
st_text st_cut_text(st_text text, size_t characters);
size_t st_count_characters(st_text text);

/* What is written of a segment.  Texts live in the arena of the batch. */
typedef struct st_segment_row {
  st_text session, project, cwd, branch, model, agent, title, parent;
  bool subagent;
  int64_t index, messages, tokens;
  double start, end;
  st_text summary, prompts, calls; /* the last two: JSON */
  st_text diffs;                   /* JSON: what was changed; none: it is not told */
  st_text source_file;
  char hash[65];
} st_segment_row;

/* How much of each the summary tells; 0: all. */
typedef struct st_summary_caps {
  int prompts, calls, texts;
} st_summary_caps;

/* The lists, the counts, the summary and the hash of the content, which `more` is part of; the session and its facts are in
** the row already.  False: out of memory. */
bool st_segment_fill(const st_segment *segment, st_text more, const st_summary_caps *caps, st_arena *arena, st_segment_row *row);

/* What stands in the summary: where, when, and the lists.  False: out of memory. */
bool st_segment_tell(const st_segment_row *row, st_text texts, const st_summary_caps *caps, st_arena *arena, st_text *out);
/* Into the arena; the builder is freed.  False: out of memory. */
bool st_segment_built(st_arena *arena, st_str *built, st_text *out);

#endif
