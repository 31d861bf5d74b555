/* messages.h - the messages that every benchmark of conversations writes: the same ones in every run.
**
** 14 % are a user's (about 120 bytes), 50 % an assistant's (1.2 KB, most with a tool call), 36 % a tool's
** (5 KB).  Words follow Zipf's law over 50,000; the commonest is in 85 % of the messages.  6 % have a
** sentence of Chinese.  200 messages make a session, unless a program asks for other ones. */
#ifndef BENCH_MESSAGES_H
#define BENCH_MESSAGES_H

#include <stdbool.h>

#include "bare.h"

#define BENCH_WORDS 50000
#define BENCH_HAN 2000 /* different characters */

/* How many messages make a session, and whether all are as short as a user's.  Set before the first message is made. */
extern unsigned bench_session_messages;
extern bool bench_brief;

typedef struct bench_message {
  const char *role;
  const char *content; /* valid until the next message is made */
  size_t length;
  const char *tool_name; /* of a tool's message; otherwise NULL */
  char tool_call_id[24]; /* "": none */
  char tool_calls[240];  /* JSON; "": none */
  char session[24];
  double timestamp;
} bench_message;

bench_message bench_message_at(unsigned n);
/* Bytes of what can be searched in it: content, tool name and calls. */
size_t bench_message_raw(const bench_message *message);

/* A word by its rank; 0 is the commonest.  A character likewise, as UTF-8. */
const char *bench_word(unsigned rank);
void bench_han(unsigned rank, char out[4]);

/* A text that grows. */
typedef struct bench_text {
  char *text;
  size_t length, room;
} bench_text;
void bench_text_add(bench_text *to, const char *text, size_t length);
void bench_text_format(bench_text *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appended as JSON: {"role":..., "session_id":...}; the list of messages first to first + count - 1; the
** arguments of import_sessions with all messages of `count` sessions, all ended. */
void bench_message_json(bench_text *to, const bench_message *message);
void bench_messages_json(bench_text *to, unsigned first, unsigned count);
void bench_sessions_json(bench_text *to, unsigned first, unsigned count);

/* Make sure of the session of a message. */
void bench_ensure_session(stele_db *db, const char *session);

/* conversation.append_message, prepared, with a message bound to it and run. */
stele_stmt *bench_append_prepare(stele_db *db);
stele_status bench_append(stele_stmt *stmt, const bench_message *message);

/* The row of a message and the counter of its session, inside a transaction of the caller's. */
void bench_message_insert_prepare(sqlite3 *db, sqlite3_stmt **insert, sqlite3_stmt **count);
void bench_message_insert(sqlite3 *db, sqlite3_stmt *insert, sqlite3_stmt *count, const bench_message *message);

/* A bare loop: the row of the message and the counter of its session, in one transaction.  False: BUSY. */
typedef struct bench_inserter {
  bench_bare bare;
  sqlite3_stmt *insert, *count;
} bench_inserter;
void bench_inserter_open(bench_inserter *to, const char *home);
bool bench_inserter_write(bench_inserter *to, const bench_message *message);
void bench_inserter_close(bench_inserter *to);

#endif
