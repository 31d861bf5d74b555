/* opencode.h - the messages in opencode's database (read_opencode.c). */
#ifndef ST_OPENCODE_H
#define ST_OPENCODE_H

#include "capture/rows.h"

/* Messages of a session (none: of all) that were updated at `since` or later (milliseconds); *last moves on to the latest of
** them.  The first form keeps a message and its parts in rows of their own, the second one row with all. */
void st_opencode_messages(st_tell *tell, sqlite3 *db, st_text session, int64_t since, int64_t *last);
void st_opencode_messages_2(st_tell *tell, sqlite3 *db, st_text session, int64_t since, int64_t *last);
/* Both, as far as the file has them. */
void st_opencode_both(st_tell *tell, sqlite3 *db, st_text session, int64_t since, int64_t *last);

/* A message being put together, part by part. */
typedef struct st_opencode_turn {
  st_told_message message;
  st_str texts, thoughts, calls;
  st_str parts; /* JSON, where not all is text */
} st_opencode_turn;

void st_opencode_text(st_opencode_turn *turn, st_text text);
void st_opencode_thought(st_opencode_turn *turn, st_text text);
void st_opencode_file(st_tell *tell, st_opencode_turn *turn, st_text part);
/* Tell it, if it says anything, and let go of it. */
void st_opencode_tell(st_tell *tell, st_opencode_turn *turn);

/* What a message of an assistant cost: {"tokens":{…},"cost":n}, counted once per message. */
void st_opencode_spent(st_tell *tell, st_text key, st_text data, st_text model);

/* The answer of a tool, once there is one.  An output that was cleared later leaves the one that was told. */
void st_opencode_answer(st_tell *tell, st_text key, st_text call, st_text name, st_text state, double time);

#endif
