/* handle.h - an open home, as the engine sees it. */
#ifndef ST_HANDLE_H
#define ST_HANDLE_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/fernet.h"
#include "base/str.h"
#include "engine/call.h"

typedef struct st_queue st_queue;

struct stele_db {
  pid_t pid; /* of the process that opened it: a child must not use it */
  char *home;
  unsigned flags;
  int wait_ms;
  void (*log)(void *user, stele_log_level level, const char *message);
  int (*progress)(void *user, const char *what, int64_t done, int64_t total);
  void *user;
  st_opened *stores; /* one per store of the registry */
  st_opened *tx;     /* the store with a transaction from stele_begin(), or NULL */
  stele_stmt *stmts; /* open statements */
  stele_sql *raws;   /* open raw statements */
  atomic_bool interrupted;
  st_queue *queue;   /* NULL: calls are written at once */
  char *redaction;   /* the caller's rules of redaction, as a text; NULL: none */
  void *redactor;    /* what the layer above makes of them when they are first needed */
  void (*free_redactor)(void *redactor);
  stele_embedding embedding; /* its texts are copies */
  void *embedder;            /* what the layer above makes of it when it is first needed */
  void (*free_embedder)(void *embedder);
  stele_chat chat; /* likewise */
  void *chatting;
  void (*free_chatting)(void *chatting);
  st_fernet_keys vault; /* none, if the caller gave none */
  size_t vault_wrong;   /* the number of the key, from 1, that is none; 0: all are */
  st_error error;
  stele_failure failure; /* error, as the caller sees it */
  st_str notes;
};

/* A prepared method.  Its call runs at the first step. */
struct stele_stmt {
  stele_db *db;
  stele_stmt *next, **at; /* in db->stmts */
  st_arena arena;
  st_call call;
  enum { ST_STMT_READY, ST_STMT_ROWS, ST_STMT_STREAM, ST_STMT_DONE } state;
  st_row *row;        /* ROWS: the current one */
  st_variant *stream; /* STREAM: the statement being stepped */
  stele_status cut;   /* ROWS: not OK, if reading the rest of a stream failed so */
  st_value *values;   /* the current row */
};

/* Connect the store of a call, or fail it. */
bool st_handle_store(stele_db *db, int store, st_error *error, st_opened **out);
/* The same for raw statements: what is there is not looked at. */
bool st_handle_raw_store(stele_db *db, int store, st_error *error, st_opened **out);

/* Close the handle's own connection, if nothing uses it, or fail; the next call opens what is there then. */
void st_handle_let_go(st_call *call, st_opened *own);

void st_log(stele_db *db, stele_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Make the home, and what is above it, for its owner only.  False: errno says why. */
bool st_handle_make_home(const char *home);

#endif
