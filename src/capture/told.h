/* told.h - what a transcript tells, in words that all coding agents share.
**
** A reader (reader.h) turns the records of one format into these; what becomes of them is the taker's
** business (redaction, the conversation store).  Texts are borrowed: they live until the taker's function
** returns.  What a record does not say is left empty; nothing is made up by a reader. */
#ifndef ST_TOLD_H
#define ST_TOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Why a session has a parent. */
typedef enum st_link {
  ST_LINK_NONE,
  ST_LINK_SUBAGENT,   /* the parent sent it off */
  ST_LINK_COMPACTION, /* it goes on where the parent's context was full */
  ST_LINK_RESUME,     /* it goes on with the parent later */
  ST_LINK_FORK        /* it branches off */
} st_link;

/* Facts about a session.  May be told again: what is empty leaves what was told before. */
typedef struct st_told_session {
  st_text id;     /* as its agent names it; unique within the harness */
  st_text parent; /* id of another session of the same harness */
  st_link link;
  st_text title;
  st_text cwd;     /* where it works */
  st_text branch;  /* of git */
  st_text model;   /* the last one */
  st_text version; /* of the agent program */
  st_text agent;   /* name or role of a sub-agent */
  st_text system_prompt;
  double started_at; /* seconds since the epoch; 0: not told */
} st_told_session;

/* Tokens of one request to a model.  Told again with the same key, the last one counts. */
typedef struct st_told_usage {
  st_text key; /* names the request within the session */
  int64_t input, output, cache_read, cache_write, reasoning;
  double cost;   /* US dollars; 0: not told */
  st_text model; /* that answered */
  bool summed;   /* of many requests: it belongs to no message */
} st_told_usage;

/* One message.  Told again with the same key, it replaces what was told: its place stays. */
typedef struct st_told_message {
  st_text key;  /* names the record within the session */
  st_text role; /* user, assistant, tool, system; event: a record that is kept for its own sake */
  st_text content;
  bool is_json; /* content is JSON: several parts, or a record kept whole */
  st_text tool_calls;   /* JSON: [{"id","type":"function","function":{"name","arguments"}}], as OpenAI has it */
  st_text tool_call_id; /* of a tool's answer: which call */
  st_text tool_name;
  st_text reasoning;
  st_text finish_reason;
  double timestamp; /* seconds since the epoch; 0: not told */
} st_told_message;

typedef struct st_taker st_taker;
struct st_taker {
  /* False: no more is wanted (stopped, out of memory); the reader returns at once. */
  bool (*session)(st_taker *taker, const st_told_session *session);
  bool (*message)(st_taker *taker, st_text session, const st_told_message *message);
  bool (*usage)(st_taker *taker, st_text session, const st_told_usage *usage);
  /* The last `count` user turns of the session, with all that followed them, are withdrawn. */
  bool (*withdraw)(st_taker *taker, st_text session, int64_t count);
  /* A record that says nothing for a conversation (progress, snapshots): only counted. */
  bool (*aside)(st_taker *taker);
  /* The record before was such a one, but is of the session's, and of this time (0: not told).  May be NULL. */
  bool (*aside_at)(st_taker *taker, double timestamp);
  /* A record that could not be read: told with its place, and counted. */
  bool (*bad)(st_taker *taker, const char *why);
  /* A title for the session that has a message of this key, whichever it is. */
  bool (*title_of)(st_taker *taker, st_text key, st_text title);
};

#endif
