/* sqlite_driver.h - what the files of the SQLite driver share. */
#ifndef ST_SQLITE_DRIVER_H
#define ST_SQLITE_DRIVER_H

#include <sqlite3.h>

#include "engine/driver.h"
#include "engine/turn.h"

#define ST_CHECKPOINT_PAGES 1000 /* about 4 MB of log */
#define ST_SQLITE_INTERRUPTED "interrupted" /* SQLite's own word for it */

typedef struct st_sqlite st_sqlite;
struct st_sqlite {
  st_conn base;
  st_sqlite *next, **at; /* among those of this process: see sqlite_open.c */
  sqlite3 *db;
  char *path;
  bool memory;
  bool readonly;
  int wait_ms;
  const atomic_bool *interrupted;
  const st_confined *confined; /* the statement of somebody else's that is running, if one is: see confine.h */
  int64_t deadline_ms;                /* when that is stopped; 0: never */
  char refused[64];                   /* what it wanted to use and may not */
  int bytes_before, pattern_before;   /* the connection's limits without it */
  int64_t busy_since_ms; /* start of the present wait for SQLite's own lock */
  st_turn *turn;         /* NULL: in memory, read-only, or its file cannot be had */
  bool has_turn;
  bool writing;  /* a write transaction is open */
  bool doubtful; /* something could not be read: see sqlite_tx.c */
  int system_error; /* the system's, when something last failed: see driver_sqlite.c */
  sqlite3_stmt *begin_write, *begin_read, *commit, *rollback;
  sqlite3_stmt *definitions; /* tells their version; NULL until it is first asked */
  int wal_pages;     /* in the log after our last commit */
  int checkpoint_at; /* log pages at which we try the next checkpoint */
  int64_t checkpoint_ms; /* and the time at which we do, though it has fewer */
  int64_t restart_ms, restart_pause_ms; /* when we next wait for readers so that it can be begun anew: see sqlite_tx.c */
};

/* Turn a SQLite result code into a status, with SQLite's own words. */
stele_status st_sqlite_status(int code);
stele_status st_sqlite_fail(st_sqlite *conn, int code);
/* Is this what SQLite says of a statement that names what the file does not define, or of a search table that lacks one of its own
** tables or rows?  There is no code for it. */
bool st_sqlite_undefined(const char *problem);
/* Did a sync fail?  Then nobody knows what is on the disk, and another sync would report success for data that was dropped. */
bool st_sqlite_unsynced(int code);

/* sqlite_open.c */
stele_status st_sqlite_open(const st_target *target, bool create, st_conn **out, char problem[400]);
void st_sqlite_close(st_conn *base);
/* Keep everybody from a file until the descriptor is closed.  STELE_BUSY: somebody has it open. */
stele_status st_sqlite_seize(const char *path, int *fd, char problem[400]);
/* sqlite_group.c */
int st_sqlite_functions(sqlite3 *db);
/* sqlite_tx.c */
stele_status st_sqlite_begin(st_conn *base, bool write);
stele_status st_sqlite_commit(st_conn *base);
void st_sqlite_rollback(st_conn *base);
/* The statements of transactions are prepared before one begins: ending it must not fail for want of
** memory.  A changed schema expires them; then they are prepared anew. */
int st_sqlite_ready(st_sqlite *conn, bool anew);
bool st_sqlite_active(st_conn *base);
/* For raw statements: the turn, until they have no write transaction any more. */
stele_status st_sqlite_take_turn(st_sqlite *conn);
void st_sqlite_end_turn(st_sqlite *conn);
int st_sqlite_interrupted(void *conn);
int st_sqlite_busy(void *conn, int tries);
int st_sqlite_on_commit(void *conn, sqlite3 *db, const char *name, int pages);
stele_status st_sqlite_checkpoint(st_conn *base, const char *mode, bool *busy, int64_t *log, int64_t *done);
/* sqlite_stmt.c */
stele_status st_sqlite_script(st_conn *base, const char *sql);
stele_status st_sqlite_prepare(st_conn *base, const char *sql, st_prepared **out);
/* The first statement of a text, and what stands behind it. */
stele_status st_sqlite_prepare_first(st_conn *base, const char *sql, const char **rest, st_prepared **out);
sqlite3_stmt *st_sqlite_stmt(st_prepared *base); /* NULL: the text held none */
void st_sqlite_finalize(st_prepared *base);
stele_status st_sqlite_start(st_prepared *base, const st_value *const *params, size_t count);
stele_status st_sqlite_step(st_prepared *base);
size_t st_sqlite_columns(st_prepared *base);
const char *st_sqlite_column_name(st_prepared *base, size_t column);
void st_sqlite_column(st_prepared *base, size_t column, st_value *out);
int64_t st_sqlite_changes(st_prepared *base);
void st_sqlite_reset(st_prepared *base);
/* sqlite_look.c */
stele_status st_sqlite_look(st_conn *base, st_look *look);
bool st_sqlite_definitions(st_conn *base, int64_t *number);
stele_status st_sqlite_probe(st_conn *base, const char *table, const char *column, bool *found);
stele_status st_sqlite_mark(st_conn *base, int version);
stele_status st_sqlite_schema(st_conn *base,
                              void (*add)(void *to, const char *type, const char *name, const char *table,
                                          const char *ddl),
                              void *to);
stele_status st_sqlite_size(st_conn *base, int64_t *bytes, int64_t *wal_bytes);
stele_status st_sqlite_shrink(st_conn *base);
/* sqlite_backup.c */
stele_status st_sqlite_backup(st_conn *base, const char *path, const st_watch *watch, st_contents *made);
/* sqlite_contents.c */
/* What is in it, as SQLite's code; SQLITE_INTERRUPT: the watch stopped it. */
int st_sqlite_contents(sqlite3 *db, const st_watch *watch, st_contents *out);
/* Open a file that nobody writes, for reading: nothing is made beside it, and no log is looked for. */
int st_sqlite_open_copy(const char *path, sqlite3 **out);
/* Read every page and index.  STELE_CORRUPT: something is wrong. */
stele_status st_sqlite_whole(sqlite3 *db, char problem[400]);
/* Both, of a file that nobody writes: it is whole, and holds what is wanted (NULL: whatever it holds). */
stele_status st_sqlite_verify(const char *path, const st_contents *wanted, const st_watch *watch, char problem[400]);

#endif
