/* call.h - one call of a method, from its arguments to its reply.  What native methods work with.
**
** A call carries its failure and its memory.  Every function here does nothing once the call has
** failed, so that code reads straight down; the first failure wins.  The dispatcher alone begins
** and ends the transaction, replies, and frees the arena.  A native method may be run again from
** its start (retry.h): it keeps no state but the call's. */
#ifndef ST_CALL_H
#define ST_CALL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "engine/opened.h"
#include "engine/registry.h"
#include "engine/value.h"

/* One buffered row of the reply. */
typedef struct st_row st_row;
struct st_row {
  st_row *next;
  st_value values[];
};

struct st_call {
  stele_db *db;
  const st_method *method;
  st_opened *store; /* NULL for the library's own methods */
  st_arena *arena;
  st_value *args; /* one per parameter, checked */
  st_error *error;
  st_row *first, *last; /* the reply so far */
  st_str *text;         /* where the reply goes as JSON, before the commit; NULL: it is read row by row */
  int64_t changed[16];  /* rows changed, by statement */
  int64_t posted;       /* rows changed by what was posted, where that is done at once */
  bool again;           /* it failed, but would have another chance: a conflict, a lost connection */
};

bool st_ok(const st_call *call);

/* Fail the call.  field may be NULL.  The message is one line; the method's name is put before it. */
void st_fail(st_call *call, stele_status status, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void st_hint(st_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fail with the connection's last problem. */
void st_fail_conn(st_call *call, stele_status status);
/* A remark for the caller: it changes nothing in the reply, and is made once. */
void st_note(st_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Arguments, by ST_P_* index.  NULL text when absent or null. */
bool st_has(const st_call *call, int param); /* sent, and not null */
int64_t st_arg_int(const st_call *call, int param);
double st_arg_real(const st_call *call, int param);
const char *st_arg_text(const st_call *call, int param);

/* Memory of the call; NULL (and the call failed) when there is none. */
void *st_call_alloc(st_call *call, size_t size);
char *st_call_copy(st_call *call, const char *text, size_t length);
st_value st_call_text(st_call *call, const char *text, size_t length); /* a copy; null when there is no memory */
/* What was written, in the call's memory; the builder is freed. */
st_value st_take(st_call *call, st_str *out);

/* Run the statements of a method (STELE_M_*) inside this call's transaction, rows ignored.
** Answers the rows changed.  args: one per parameter of that method. */
int64_t st_run(st_call *call, int method, const st_value *args);
/* The same for a method of one statement that inserts a child: one whose parent is unknown changes
** nothing, and the call goes on. */
int64_t st_run_child(st_call *call, int method, const st_value *args);

/* The same for many that nothing else of the call depends on: where there is a server, they go there together, and one that
** fails fails the call later.  A method has one statement.  st_posted tells the rows that they changed since it was last asked. */
void st_post(st_call *call, int method, const st_value *args);
void st_post_child(st_call *call, int method, const st_value *args);
int64_t st_posted(st_call *call);

/* Bind and start one statement of a method; NULL when the call has failed.  Give it back with
** st_variant_done(). */
st_variant *st_start(st_call *call, const st_method *method, uint16_t statement, const st_value *args);

/* The same for a method of one statement that may yield many rows. */
st_variant *st_start_stream(st_call *call, const st_method *method, const st_value *args);

/* Read the rows of a method's only statement: start, then row until false. */
typedef struct st_rows {
  const st_method *method;
  st_variant *variant;
} st_rows;
void st_rows_start(st_call *call, st_rows *rows, int method, const st_value *args);
/* The same where rows may be very many: they come as they are asked for, and are not all held in memory. */
void st_rows_stream(st_call *call, st_rows *rows, int method, const st_value *args);
bool st_rows_next(st_call *call, st_rows *rows);
void st_rows_value(st_call *call, st_rows *rows, size_t column, st_value *out);
/* All values of the row, one per result, in the call's memory. */
void st_rows_keep(st_call *call, st_rows *rows, st_value *out);
void st_rows_end(st_call *call, st_rows *rows);

/* The only row of a method, its values in the call's memory; false: there is none. */
bool st_one(st_call *call, int method, const st_value *args, st_value *out);

/* Run a method of the same store as a part of this call, native or not; arguments that are absent get their defaults, and
** the values of its first row come into out.  If it fails, what it did is undone, *why tells the failure, and the call
** goes on: unless the whole transaction must be given up with it.  False: it failed, or has no row. */
bool st_attempt(st_call *call, int method, const st_value *args, st_value *out, st_error *why);

/* A time of the call's store in epoch seconds; 0: there is none. */
double st_seconds(const st_call *call, const st_value *time);

/* Short forms of values. */
st_value st_int(int64_t integer);
st_value st_real(double real);
st_value st_bool(bool truth);
st_value st_textz(const char *text); /* null when text is NULL; the text must live on */

/* What the stores with sources share, by ST_T_* and ST_TF_*: its number in the call's store, for the functions above and
** those of feature.h. */
int st_shared(const st_call *call, int method);
int st_shared_feature(const st_call *call, int feature);

/* Append a row to the reply, all null; NULL when the call has failed. */
st_value *st_reply(st_call *call);
/* The same with the row that was just read, of a method with the same results.  The column left_out stays
** null (ST_ALL_COLUMNS: none does). */
#define ST_ALL_COLUMNS SIZE_MAX
st_value *st_reply_read(st_call *call, st_rows *rows, size_t left_out);
/* The same with the only row of a method with the same results; false: there is none. */
bool st_reply_one(st_call *call, int method, const st_value *args);

/* For methods that run outside a transaction: one of their own. */
void st_call_begin(st_call *call, bool write);
void st_call_end(st_call *call); /* commit, or roll back if the call has failed */
/* The whole of one: work says whether what it did is to be kept, and is done again if another writer was quicker or the server
** was lost before the commit (retry.h), so that it changes nothing outside before it has been kept.  True: it was. */
bool st_call_transaction(st_call *call, bool write, bool (*work)(st_call *call, void *user), void *user);

#endif
