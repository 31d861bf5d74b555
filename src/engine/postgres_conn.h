/* postgres_conn.h - what the files of the PostgreSQL driver share. */
#ifndef ST_POSTGRES_CONN_H
#define ST_POSTGRES_CONN_H

#include <stdbool.h>

#include "base/str.h"
#include "engine/driver.h"
#include "engine/postgres_library.h"
#include "engine/postgres_stream.h"
#include "engine/postgres_written.h"

struct st_postgres {
  st_conn base;
  PGconn *link;
  char *schema; /* as it is named, not quoted */
  char *quoted; /* the same as an identifier of SQL; of libpq's memory */
  bool full;
  bool readonly;
  int wait_ms;
  char *statement_timeout; /* as the server reads it; NULL: as the server has it */
  bool has_replicas;       /* how far it writes is noted */
  st_postgres_written *mark; /* there */
  bool standby;            /* a replica is wanted */
  uint64_t replayed;       /* of a replica: so far this session has come */
  bool may_reconnect;      /* of a replica: it will be asked how far it has come */
  bool broken;         /* the session is in an unknown state: connect again before the next use */
  bool in_transaction; /* from begin to commit or rollback, even if the link is lost meanwhile */
  bool writing;        /* ... and it may write */
  bool wrote;          /* this session has written before */
  bool wants_primary;  /* of several servers it wants the one that takes writes */
  bool unconfirmed;    /* the server gave up waiting for its standby to confirm a commit */
  bool spent;          /* a confined statement ran: the session is not used beyond the transaction */
  char timeout_before[32]; /* statement_timeout without it */
  unsigned generation; /* counts sessions: a statement of an earlier one must be prepared again */
  unsigned last_name;  /* number of the newest prepared statement */
  bool piped;          /* statements were posted, and are under way */
  int posted;          /* so many */
  int64_t post_changes; /* rows that posted statements have changed since that was last asked */
  stele_status post_status; /* the first failure of one, until somebody is told */
  char post_problem[400];
  st_postgres_stream *stream; /* whose rows occupy the link; NULL: nobody's */
  bool pooled;         /* a pooler is between us and the server */
  char mark_of_session[40]; /* what it is known by */
  st_str dead;         /* DEALLOCATE of finalized statements, to be sent between transactions */
};

static inline st_postgres *st_postgres_of(st_conn *conn) {
  return (st_postgres *)conn;
}

/* The server can no longer be talked to over this link. */
bool st_postgres_lost(const st_postgres *pg);

/* Take in the rows of a stream that occupies the link. */
void st_postgres_settle(st_postgres *pg);

/* See to a usable session.  Outside a transaction a lost one is made anew; inside one that is
** STELE_UNAVAILABLE, since the transaction is gone with it. */
stele_status st_postgres_ready(st_postgres *pg);

/* Put the session's settings to what everything relies on. */
stele_status st_postgres_set_up(st_postgres *pg);

/* After a failure of something that bears being done twice: was the session found dead, and is it
** worth a second attempt?  attempt counts from 0. */
bool st_postgres_may_repeat(const st_postgres *pg, int attempt);

/* Run one statement of the driver's own, with text parameters.  It must bear being run twice: a
** session found dead outside a transaction is made anew and the statement sent again.  *out may be
** NULL; otherwise release it with PQclear. */
stele_status st_postgres_query(st_postgres *pg, const char *sql, int count, const char *const *values,
                               PGresult **out);

/* Wait for the schema's lock of creation and migration, held until the transaction ends. */
stele_status st_postgres_lock(st_postgres *pg);

/* ---- postgres_pooler.c ---- */

#define ST_POSTGRES_SESSION "stele.session"
/* The end of the SELECT that sets a session up. */
#define ST_POSTGRES_MARK \
  ", set_config('" ST_POSTGRES_SESSION "', pg_catalog.gen_random_uuid()::text, false), pg_catalog.pg_backend_pid()"
void st_postgres_marked(st_postgres *pg, const PGresult *row);

/* Begin a transaction; and is it one of our session?  If not, it has been ended. */
PGresult *st_postgres_send_begin(const st_postgres *pg, const char *begin);
stele_status st_postgres_is_ours(st_postgres *pg, const PGresult *begun);

/* The body of the function that confined statements run in (postgres_role.c). */
#define ST_CONFINED_BODY "BEGIN RETURN QUERY EXECUTE run; END"

/* ---- postgres_reach.c ---- */

/* Connect to the server, or to the one of several that is as wanted. */
stele_status st_postgres_reach(st_postgres *pg, const char *location);

/* Fail with what libpq says of each server that it tried, without secrets. */
stele_status st_postgres_unreachable(st_postgres *pg);

/* ---- postgres_post.c ---- */

/* Are so many under way that their answers must be taken in first? */
bool st_postgres_post_is_full(const st_postgres *pg);
/* Send a statement that the session knows.  The link is free, or has only posted statements. */
stele_status st_postgres_post_send(st_postgres *pg, const char *name, int count, const char *const *values, const int *lengths,
                                   const int *formats);
/* Take in the answers.  A failure is kept in post_status. */
void st_postgres_post_settle(st_postgres *pg);
stele_status st_postgres_posted(st_conn *conn, int64_t *changes);

/* ---- postgres_standby.c ---- */

/* Send a commit, and note how far it went; the result of the commit, or NULL. */
PGresult *st_postgres_commit_marked(st_postgres *pg);
bool st_postgres_is_current(st_conn *conn);

/* ---- postgres_error.c ---- */

/* Fail because the server takes no writes.  If it once did, or another one was wanted, a new session may lead to
** one that does: STELE_UNAVAILABLE.  Otherwise STELE_READONLY, in the given words. */
stele_status st_postgres_refused(st_postgres *pg, const char *line);

/* STELE_OK, or the failure a result stands for, told in conn->problem.  NULL is a failure too. */
stele_status st_postgres_check(st_postgres *pg, const PGresult *result);

/* Does the failed result say that a prepared statement must be prepared again? */
bool st_postgres_is_stale(const PGresult *result);

/* The first line of a message, without surrounding space; never NULL. */
void st_postgres_first_line(const char *message, char *out, size_t size);

/* ---- postgres_stmt.c: functions of the driver's table ---- */

stele_status st_postgres_prepare(st_conn *conn, const char *sql, st_prepared **out);
void st_postgres_finalize(st_prepared *prepared);
stele_status st_postgres_start(st_prepared *prepared, const st_value *const *params, size_t count);
stele_status st_postgres_start_stream(st_prepared *prepared, const st_value *const *params, size_t count);
stele_status st_postgres_step(st_prepared *prepared);
size_t st_postgres_columns(st_prepared *prepared);
const char *st_postgres_column_name(st_prepared *prepared, size_t column);
void st_postgres_column(st_prepared *prepared, size_t column, st_value *out);
int64_t st_postgres_changes(st_prepared *prepared);
void st_postgres_reset(st_prepared *prepared);
stele_status st_postgres_post(st_prepared *prepared, const st_value *const *params, size_t count);
/* The rows that a result's statement changed.  A SELECT also has a count, but it changed nothing. */
int64_t st_postgres_changed(PGresult *result);

/* ---- postgres_look.c: functions of the driver's table ---- */

stele_status st_postgres_look(st_conn *conn, st_look *look);
stele_status st_postgres_probe(st_conn *conn, const char *table, const char *column, bool *found);
stele_status st_postgres_mark(st_conn *conn, int version);
stele_status st_postgres_size(st_conn *conn, int64_t *bytes, int64_t *wal_bytes);
stele_status st_postgres_schema(st_conn *conn,
                                void (*add)(void *to, const char *type, const char *name, const char *table,
                                            const char *ddl),
                                void *to);

#endif
