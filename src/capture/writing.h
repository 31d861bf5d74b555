/* writing.h - one transaction of an import: the sessions it has to do with, and what is written for each.
**
** What a session has is asked once per transaction, and what was counted for it is written at the transaction's end; so a
** batch can be written again from its start, after a conflict or a crash, and nothing is there twice. */
#ifndef ST_WRITING_H
#define ST_WRITING_H

#include "base/hash.h"
#include "capture/writer.h"

/* A session, as far as this transaction has to do with it. */
typedef struct st_taken st_taken;
struct st_taken {
  st_taken *next;
  const st_job *job; /* where it was met */
  st_text native;
  int64_t number;
  st_value id;      /* here; null: it has none yet */
  bool gone;        /* it was deleted, and stays so */
  bool begun;       /* it has a message */
  int64_t copied;   /* messages that repeat the parent's; -1: no more */
  st_text parent;   /* by its own id */
  st_value given, title;
  double last_at;   /* 0: unknown */
  st_told_session facts;
  bool told;        /* facts are to be written */
  st_value told_copied;
  int64_t messages, calls, requests;
  st_told_usage usage; /* the sum of differences */
  uint64_t last_key;   /* of the last message told */
  int64_t last_message;
};

typedef struct st_writing {
  st_writer *writer;
  st_call *call;
  st_arena *arena;
  st_taken *sessions, **end; /* in the order they were met */
  st_taken *last;            /* that was asked for */
  const st_job *job; /* the last one that was given a number */
  st_counted counted;
  double now;
} st_writing;

static inline st_value st_value_null(void) { return (st_value){.type = ST_NULL}; }

/* Null if it is empty. */
static inline st_value st_value_text(st_text text) {
  if (!text.bytes || text.length == 0) return st_value_null();
  return (st_value){.type = ST_TEXT, .bytes = text.bytes, .length = text.length};
}

static inline void st_text_merge(st_text *into, st_text text) {
  if (text.length) *into = text;
}

/* How a record or request is known. */
static inline int64_t st_writing_key(st_text key) { return (int64_t)st_hash64(0, key.bytes ? key.bytes : "", key.length); }

/* writing.c: the call fails when there is no memory. */
void *st_writing_need(st_writing *w, void *memory);
/* A copy of a row's text, which lives as long as the batch. */
st_value st_writing_keep(st_writing *w, st_value value);
/* The columns of a method's first row; false: there is none. */
bool st_writing_row(st_writing *w, int method, const st_value *args, st_value *columns, size_t count);
/* The number in its first column, or 0. */
int64_t st_writing_number(st_writing *w, int method, const st_value *args);

/* write_session.c: the number of a file; the session of an item, NULL when the call has failed. */
int64_t st_writing_file(st_writing *w, const st_job *job);
st_taken *st_writing_session(st_writing *w, const st_item *item);
/* Make its row, if it has none. */
void st_writing_make(st_writing *w, st_taken *t, double started_at);
void st_writing_parent(st_writing *w, st_taken *t, st_text parent, st_link link);
void st_write_facts(st_writing *w, st_taken *t, const st_told_session *told);
/* What was told and counted. */
void st_write_session(st_writing *w, st_taken *t);

/* write_title.c: a title that no other session has; null if there is none. */
st_value st_writing_title(st_writing *w, st_text told, st_value session, st_text native);
/* A title for the session that has a message; a message came that one may be waiting for. */
void st_write_far_title(st_writing *w, const st_item *item);
void st_wake_far_title(st_writing *w, const st_taken *t, int64_t key);

/* write_message.c */
void st_write_message(st_writing *w, st_taken *t, const st_told_message *m);
void st_write_withdraw(st_writing *w, st_taken *t, int64_t count);
void st_write_usage(st_writing *w, st_taken *t, const st_told_usage *u);

#endif
