/* driver.h - SQLite and PostgreSQL behind one small table of functions.
**
** A driver knows SQL, connections, transactions and version marks; it knows nothing of methods.
** Every function that can fail answers a status and, unless it is OK, ROW or DONE, leaves a line
** for people in conn->problem.  STELE_CONFLICT means: nothing was written, the transaction may be
** run again from its start (a PostgreSQL serialization failure or deadlock).  So does STELE_UNAVAILABLE of a
** transaction's statement or commit: it is gone with its connection.  STELE_INDOUBT is a commit's alone. */
#ifndef ST_DRIVER_H
#define ST_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "engine/contents.h"
#include "engine/registry.h"
#include "engine/value.h"
#include "stele.h"

typedef struct st_driver st_driver;
typedef struct st_raw_driver st_raw_driver;
typedef struct st_prepared st_prepared;
typedef struct st_confined st_confined;

/* Whom long work tells how far it is, and asks whether to go on. */
typedef struct st_watch {
  int (*progress)(void *user, const char *what, int64_t done, int64_t total); /* may be NULL */
  void *user;
} st_watch;
bool st_watch_stops(const st_watch *watch, const char *what, int64_t done, int64_t total);

/* Where a store is, and how it is to be kept. */
typedef struct st_target {
  const st_store *store;
  const char *location; /* file path or ":memory:"; for PostgreSQL a connection string */
  const char *schema;   /* PostgreSQL only: the schema that holds the store's tables */
  const char *statement_timeout; /* PostgreSQL only: of every statement, as the server reads it; NULL: as the server has it */
  bool standby;         /* PostgreSQL only: rather a replica than the primary */
  bool has_replicas;    /* PostgreSQL only: others read from them, and need to know how far this one has written */
  bool full;            /* durability: an acknowledged write survives power loss */
  bool readonly;
  bool in_home;         /* Stele's own place: may be created and migrated */
  bool network_fs;      /* accept a network file system */
  int wait_ms;          /* longest wait for the turn of a write */
  void (*log)(void *user, stele_log_level level, const char *message); /* may be NULL; the connection's too */
  void *user;
  const atomic_bool *interrupted; /* NULL, or set while the caller wants the connection to stop */
} st_target;

/* What a look at a store found. */
typedef struct st_look {
  bool fresh;        /* it has no table at all */
  int version;       /* when not fresh and ours */
  uint32_t renamed;  /* bit i: the file uses store->renamed[i].also */
  char foreign[200]; /* not "": why it is not this store's, e.g. "it has no table listeners" */
  const char *advice; /* not NULL: a refusal's advice */
  char missing[200];  /* not "": what a store that can be completed lacks, e.g. "it has no table notes" */
  int64_t bytes;      /* size, as st_opened_look() found it */
  int64_t wal_bytes;
} st_look;

/* Counted since the connection was opened. */
typedef struct st_counts {
  int64_t commits;
  int64_t waits;       /* writes that had to wait for their turn */
  int64_t wait_us;     /* time spent waiting, in all */
  int64_t max_wait_us; /* the longest wait */
  int64_t checkpoints;
  int64_t retries;     /* transactions run again after a conflict */
} st_counts;

/* The public head of a connection; drivers append their own. */
typedef struct st_conn {
  const st_driver *driver;
  const st_store *store;
  uint32_t renamed; /* of the last look */
  bool stopped;     /* a failed sync or a damaged file: nothing more is written */
  bool stuck;       /* no memory to end a transaction, or no way to write: over with the connection, which is closed after the call */
  st_counts counts;
  stele_status status; /* of the last failure, with its text */
  bool orphan;         /* that failure was a row whose parent does not exist; SQLite only */
  char problem[400];
  void (*log)(void *user, stele_log_level level, const char *message); /* may be NULL */
  void *user;
} st_conn;

/* A prepared statement; drivers append their own. */
struct st_prepared {
  st_conn *conn;
};

struct st_driver {
  st_engine engine;
  const char *name; /* "sqlite", "postgres" */

  /* Connect.  Creates nothing and changes nothing in an existing store, unless create is true: then
  ** a missing file (or schema) is made, empty.  With target->readonly, or with create false, a
  ** missing file is STELE_NOTFOUND.  On failure *out is NULL and the reason is in problem. */
  stele_status (*open)(const st_target *target, bool create, st_conn **out, char problem[400]);
  void (*close)(st_conn *conn);

  /* What is there?  Only reads.  Also sets conn->renamed. */
  stele_status (*look)(st_conn *conn, st_look *look);
  /* Is there a table (or index) of that name and, unless NULL, a column of it? */
  stele_status (*probe)(st_conn *conn, const char *table, const char *column, bool *found);
  /* A number that is another one once tables or columns were made or dropped, by whoever.  False: it cannot be told
  ** without looking at them, or a transaction that writes is open, whose tables may yet be undone.  NULL: it never can. */
  bool (*definitions)(st_conn *conn, int64_t *number);
  /* Write the version mark, inside a write transaction. */
  stele_status (*mark)(st_conn *conn, int version);

  /* Run a script of statements without parameters or rows (schema, migration step, savepoint). */
  stele_status (*script)(st_conn *conn, const char *sql);

  /* Parameters are numbered ?1 ?2 ... (SQLite) or $1 $2 ... (PostgreSQL). */
  stele_status (*prepare)(st_conn *conn, const char *sql, st_prepared **out);
  void (*finalize)(st_prepared *prepared);
  /* Bind all parameters and begin to run.  Values must live until reset. */
  stele_status (*start)(st_prepared *prepared, const st_value *const *params, size_t count);
  /* The same for many rows: they are fetched as they are asked for, in constant memory, unless the connection
  ** is used for something else meanwhile. */
  stele_status (*start_stream)(st_prepared *prepared, const st_value *const *params, size_t count);
  stele_status (*step)(st_prepared *prepared); /* ROW, DONE or a failure */
  size_t (*columns)(st_prepared *prepared);
  const char *(*column_name)(st_prepared *prepared, size_t column);
  /* The value of a column; text and bytes live until the next step or reset. */
  void (*column)(st_prepared *prepared, size_t column, st_value *out);
  int64_t (*changes)(st_prepared *prepared); /* rows changed, once DONE */
  void (*reset)(st_prepared *prepared);
  /* Inside a transaction: run a statement whose outcome nobody waits for; values need not live on.  A failure is told by the next
  ** use of the connection, the commit at the latest.  posted: the rows that such statements have changed since it was last asked.
  ** NULL: this engine gains nothing by it. */
  stele_status (*post)(st_prepared *prepared, const st_value *const *params, size_t count);
  stele_status (*posted)(st_conn *conn, int64_t *changes);

  /* Transactions.  A write waits for its turn, at most target->wait_ms (else STELE_BUSY), and keeps
  ** it until commit or rollback.  A failed commit has rolled back.  rollback never fails. */
  stele_status (*begin)(st_conn *conn, bool write);
  stele_status (*commit)(st_conn *conn);
  void (*rollback)(st_conn *conn);
  /* Of a replica: does it have all that this process has written to the primary?  NULL: this engine has none. */
  bool (*is_current)(st_conn *conn);
  /* Is a transaction open?  A grave failure inside one may have ended it. */
  bool (*active)(st_conn *conn);

  /* A copy of the store, as it is at one moment, in an empty file; only SQLite.  It is read back and compared with the
  ** store, table by table; made tells what was found (st_contents_free).  After a failure the file is of no use. */
  stele_status (*backup)(st_conn *conn, const char *path, const st_watch *watch, st_contents *made);
  /* mode: passive, full, restart, truncate.  Only SQLite. */
  stele_status (*checkpoint)(st_conn *conn, const char *mode, bool *busy, int64_t *log, int64_t *done);
  /* Bytes the store takes (all its files; all its tables), and of the write-ahead log. */
  stele_status (*size)(st_conn *conn, int64_t *bytes, int64_t *wal_bytes);
  /* Give free pages back to the file system, as far as the file allows it. */
  stele_status (*shrink)(st_conn *conn);
  /* The live definitions: DDL of tables, indexes and triggers, one row each through add(). */
  stele_status (*schema)(st_conn *conn,
                         void (*add)(void *to, const char *type, const char *name, const char *table, const char *ddl),
                         void *to);

  /* A statement of somebody else's: confine.h.  confinable sees to what it needs, confine prepares and starts it, and
  ** release, which follows every confine that answered OK, ends it. */
  stele_status (*confinable)(st_conn *conn, const char *const *hidden);
  stele_status (*confine)(st_conn *conn, st_confined *what, st_prepared **out);
  stele_status (*release)(st_conn *conn, st_prepared *prepared);

  const st_raw_driver *raw; /* raw.h; NULL: this engine has no raw statements */
};

extern const st_driver st_driver_sqlite;
#ifdef STELE_POSTGRES
extern const st_driver st_driver_postgres;
#endif

/* Fill in conn->status and conn->problem; answers the status. */
stele_status st_conn_fail(st_conn *conn, stele_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The number that a statement without parameters tells; 0 if it has no row. */
stele_status st_conn_number(st_conn *conn, const char *sql, int64_t *number);

/* What a file has.  has(from, table, column) answers for a column, has(from, name, NULL) for a table, index or
** trigger. */
typedef struct st_file {
  const st_store *store;
  st_engine engine;
  bool (*has)(void *from, const char *name, const char *column);
  void *from;
} st_file;

/* Compare what a store has with what it must have.  Sets look->foreign, look->advice, look->renamed and
** look->missing. */
void st_look_shape(const st_file *file, st_look *look);

/* The same for an older version, whose columns are not known: it must have some of ours. */
void st_look_older(const st_file *file, st_look *look);

/* Is there anything to be migrated or completed? */
bool st_look_is_old(const st_store *store, const st_look *look);

#endif
