/* driver_postgres.c - PostgreSQL through libpq, behind driver.h.
**
** A store is a schema; the session's search path is that schema alone, so that the SQL of a method
** names tables as it does on SQLite.  Writes run SERIALIZABLE: the server finds conflicts and the
** caller runs a transaction again.  Reads run REPEATABLE READ, which also works on a replica.
**
** A statement's rows are fetched whole: see postgres_stmt.c.
**
** A lost connection is made anew at the next use outside a transaction; statements keep their SQL
** and are prepared again when they are next started. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/confine.h"
#include "engine/driver.h"
#include "engine/postgres_conn.h"
#include "engine/postgres_url.h"

#define NAME_MAX_BYTES 63 /* PostgreSQL cuts longer identifiers, silently */
#define DEFAULT_WAIT_MS 20000
#define DEAD_MAX 65536

/* ---- Session ------------------------------------------------------------------------------- */

bool st_postgres_lost(const st_postgres *pg) {
  return PQstatus(pg->link) != CONNECTION_OK;
}

/* The server stopped waiting for its standby, and says so with a commit that went well: what was written could be lost
** with that server.  The text is translated; the function that says it is not. */
static bool tells_of_no_standby(const PGresult *notice) {
  const char *where = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);
  return where && strcmp(where, "SyncRepWaitForLSN") == 0;
}

static void on_notice(void *from, const PGresult *notice) {
  st_conn *conn = from;
  char line[300];
  if (tells_of_no_standby(notice)) st_postgres_of(conn)->unconfirmed = true;
  if (!conn->log) return;
  st_postgres_first_line(PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY), line, sizeof line);
  conn->log(conn->user, STELE_LOG_WARNING, line);
}

/* Settings that everything else relies on, whatever the server, database or role has as default.
** A store of full durability does not weaken a server that waits for its replicas to apply a commit.  Statements are
** not compiled (jit): that takes a second where running them takes a few milliseconds. */
stele_status st_postgres_set_up(st_postgres *pg) {
  static const char sql[] =
      "SELECT set_config('search_path', $1, false),"
      " set_config('synchronous_commit', CASE WHEN NOT $2::boolean THEN 'off'"
      "  WHEN current_setting('synchronous_commit') = 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),"
      " set_config('lock_timeout', $3, false),"
      " set_config('statement_timeout', coalesce($5::text, current_setting('statement_timeout')), false),"
      " set_config('default_transaction_read_only', CASE WHEN $4::boolean THEN 'on'"
      "  ELSE current_setting('default_transaction_read_only') END, false),"
      " set_config('TimeZone', 'UTC', false), set_config('DateStyle', 'ISO, YMD', false),"
      " set_config('bytea_output', 'hex', false), set_config('extra_float_digits', '1', false),"
      " set_config('client_min_messages', 'warning', false), set_config('jit', 'off', false)" ST_POSTGRES_MARK;
  char wait[16];
  snprintf(wait, sizeof wait, "%d", pg->wait_ms);
  const char *const values[] = {pg->quoted, pg->full ? "1" : "0", wait, pg->readonly ? "1" : "0", pg->statement_timeout};
  PGresult *result = PQexecParams(pg->link, sql, 5, NULL, values, NULL, NULL, 0);
  stele_status status = st_postgres_check(pg, result);
  if (status == STELE_OK) st_postgres_marked(pg, result);
  PQclear(result);
  if (status != STELE_OK) pg->broken = true;
  return status;
}

/* A session has just been made. */
static stele_status begin_session(st_postgres *pg) {
  pg->broken = pg->spent = pg->wrote = pg->unconfirmed = false;
  pg->replayed = 0;
  pg->generation++;
  st_str_free(&pg->dead); /* the new session has no statement to forget */
  st_str_init(&pg->dead, DEAD_MAX);
  return st_postgres_set_up(pg);
}

/* Let the server forget finalized statements.  What fails here is harmless. */
static void bury(st_postgres *pg) {
  if (pg->dead.length == 0 && !pg->dead.failed) return;
  if (!pg->dead.failed) PQclear(PQexec(pg->link, pg->dead.text));
  st_str_free(&pg->dead);
  st_str_init(&pg->dead, DEAD_MAX);
}

/* A posted statement failed: whoever uses the link next is told. */
static stele_status tell_posted(st_postgres *pg) {
  stele_status status = pg->post_status;
  pg->post_status = STELE_OK;
  return status == STELE_OK ? status : st_conn_fail(&pg->base, status, "%s", pg->post_problem);
}

stele_status st_postgres_ready(st_postgres *pg) {
  st_postgres_settle(pg);
  st_postgres_post_settle(pg);
  stele_status posted = tell_posted(pg);
  if (posted != STELE_OK) return posted;
  if (pg->in_transaction) {
    if (!pg->broken && !st_postgres_lost(pg)) return STELE_OK;
    return st_conn_fail(&pg->base, STELE_UNAVAILABLE,
                        "the connection to PostgreSQL was lost, and the transaction with it");
  }
  if (pg->broken || pg->spent || st_postgres_lost(pg)) {
    if (pg->standby && !pg->may_reconnect) /* another one may be further behind */
      return st_conn_fail(&pg->base, STELE_UNAVAILABLE, "the connection to the replica was lost");
    PQreset(pg->link);
    return st_postgres_lost(pg) ? st_postgres_unreachable(pg) : begin_session(pg);
  }
  bury(pg);
  return STELE_OK;
}

bool st_postgres_may_repeat(const st_postgres *pg, int attempt) {
  return attempt == 0 && !pg->in_transaction && st_postgres_lost(pg);
}

stele_status st_postgres_query(st_postgres *pg, const char *sql, int count, const char *const *values,
                               PGresult **out) {
  stele_status status;
  for (int attempt = 0;; attempt++) {
    status = st_postgres_ready(pg);
    if (status != STELE_OK) break;
    PGresult *result = PQexecParams(pg->link, sql, count, NULL, values, NULL, NULL, 0);
    status = st_postgres_check(pg, result);
    if (status == STELE_OK && out) *out = result;
    else PQclear(result);
    if (status == STELE_OK || !st_postgres_may_repeat(pg, attempt)) break;
  }
  if (status != STELE_OK && out) *out = NULL;
  return status;
}

/* What is done under it may take long, whatever a statement may take otherwise. */
stele_status st_postgres_lock(st_postgres *pg) {
  static const char sql[] =
      "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('stele ' || $1::text, 0)),"
      " pg_catalog.set_config('statement_timeout', '0', true)";
  return st_postgres_query(pg, sql, 1, (const char *const[]){pg->schema}, NULL);
}

/* ---- Open and close ------------------------------------------------------------------------ */

static void postgres_close(st_conn *conn) {
  st_postgres *pg = st_postgres_of(conn);
  if (!pg) return;
  if (pg->link) { /* without one libpq may not even be loaded */
    PQfreemem(pg->quoted);
    PQfinish(pg->link);
  }
  st_str_free(&pg->dead);
  st_free(pg->schema);
  st_free(pg->statement_timeout);
  st_free(pg);
}

static stele_status schema_exists(st_postgres *pg, bool *exists) {
  PGresult *result;
  stele_status status = st_postgres_query(pg, "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", 1,
                                          (const char *const[]){pg->schema}, &result);
  if (status != STELE_OK) return status;
  *exists = PQntuples(result) > 0;
  PQclear(result);
  return STELE_OK;
}

/* The lock keeps Stele's processes apart: IF NOT EXISTS alone lets two of them create at once, and
** one fail. */
static stele_status create_schema(st_postgres *pg) {
  char sql[2 * NAME_MAX_BYTES + 64];
  snprintf(sql, sizeof sql, "CREATE SCHEMA IF NOT EXISTS %s", pg->quoted);
  stele_status status = st_postgres_query(pg, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", 0, NULL, NULL);
  if (status != STELE_OK) return status;
  pg->in_transaction = true;
  status = st_postgres_lock(pg);
  if (status == STELE_OK) status = st_postgres_query(pg, sql, 0, NULL, NULL);
  if (status == STELE_OK) status = st_postgres_query(pg, "COMMIT", 0, NULL, NULL);
  pg->in_transaction = false;
  if (status != STELE_OK && !st_postgres_lost(pg)) PQclear(PQexec(pg->link, "ROLLBACK"));
  return status;
}

static stele_status find_schema(st_postgres *pg, bool create) {
  bool exists = false;
  stele_status status = schema_exists(pg, &exists);
  if (status != STELE_OK || exists) return status;
  if (!create || pg->readonly)
    return st_conn_fail(&pg->base, STELE_NOTFOUND, "the database has no schema \"%s\"", pg->schema);
  status = create_schema(pg);
  if (status != STELE_CONFLICT) return status;
  stele_status again = schema_exists(pg, &exists); /* another program created it in this moment */
  return again == STELE_OK && exists ? STELE_OK : status;
}

/* search_path gives "$user" a meaning of its own, even quoted. */
static bool valid_schema(const char *name) {
  return name && name[0] && strlen(name) <= NAME_MAX_BYTES && strcmp(name, "$user") != 0;
}

static stele_status postgres_open(const st_target *target, bool create, st_conn **out, char problem[400]) {
  stele_status status = STELE_NOMEM;
  st_postgres *pg = st_alloc_zero(sizeof *pg);
  *out = NULL;
  snprintf(problem, 400, "out of memory");
  if (!pg) return status;
  pg->base.driver = &st_driver_postgres;
  pg->base.store = target->store;
  pg->full = target->full;
  pg->readonly = target->readonly;
  pg->has_replicas = target->has_replicas;
  pg->standby = target->standby;
  pg->mark = st_postgres_written_at(target->location);
  pg->wait_ms = target->wait_ms > 0 ? target->wait_ms : DEFAULT_WAIT_MS;
  st_str_init(&pg->dead, DEAD_MAX);
  if (!valid_schema(target->schema)) {
    status = st_conn_fail(&pg->base, STELE_INVALID, "the name of a schema has 1 to %d bytes and is not $user",
                          NAME_MAX_BYTES);
    goto failed;
  }
  pg->schema = st_strdup(target->schema);
  pg->statement_timeout = target->statement_timeout ? st_strdup(target->statement_timeout) : NULL;
  if (!pg->schema || (target->statement_timeout && !pg->statement_timeout)) {
    status = st_conn_fail(&pg->base, STELE_NOMEM, "out of memory");
    goto failed;
  }
  status = st_postgres_reach(pg, target->location);
  if (status != STELE_OK) goto failed;
  pg->quoted = PQescapeIdentifier(pg->link, pg->schema, strlen(pg->schema));
  if (!pg->quoted) {
    status = st_conn_fail(&pg->base, STELE_INVALID, "the name of the schema is not UTF-8");
    goto failed;
  }
  PQsetNoticeReceiver(pg->link, on_notice, pg);
  status = begin_session(pg);
  if (status == STELE_OK) status = find_schema(pg, create);
  if (status != STELE_OK) goto failed;
  problem[0] = '\0';
  *out = &pg->base;
  return STELE_OK;
failed:
  snprintf(problem, 400, "%s", pg->base.problem);
  postgres_close(&pg->base);
  return status;
}

/* ---- Transactions -------------------------------------------------------------------------- */

static stele_status postgres_begin(st_conn *conn, bool write) {
  st_postgres *pg = st_postgres_of(conn);
  if (pg->in_transaction) return st_conn_fail(conn, STELE_MISUSE, "a transaction is open already");
  if (write && pg->readonly) return st_conn_fail(conn, STELE_READONLY, "the store is open for reading only");
  if (write && conn->stopped)
    return st_conn_fail(conn, STELE_CORRUPT, "the server found damaged data: nothing more is written");

  const char *sql = write ? "BEGIN ISOLATION LEVEL SERIALIZABLE" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
  stele_status status = STELE_OK;
  for (int attempt = 0;; attempt++) {
    status = st_postgres_ready(pg);
    if (status != STELE_OK) return status;
    PGresult *result = st_postgres_send_begin(pg, sql);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    status = st_postgres_is_ours(pg, result);
    if (status != STELE_OK) {
      PQclear(result);
      return status;
    }
    if (write && state && strcmp(state, "0A000") == 0) /* a replica has no SERIALIZABLE */
      status = st_postgres_refused(pg, "the server is a replica: it only reads");
    else
      status = st_postgres_check(pg, result);
    PQclear(result);
    if (status == STELE_OK || !st_postgres_may_repeat(pg, attempt)) break;
  }
  pg->in_transaction = status == STELE_OK;
  pg->writing = write;
  pg->post_changes = 0;
  return status;
}

/* Whatever the server thinks of it, there is no transaction afterwards. */
static void postgres_rollback(st_conn *conn) {
  st_postgres *pg = st_postgres_of(conn);
  if (!pg->in_transaction) return;
  st_postgres_settle(pg);
  st_postgres_post_settle(pg);
  pg->post_status = STELE_OK; /* it is undone, whatever it was */
  pg->in_transaction = false;
  if (pg->broken || st_postgres_lost(pg)) return;
  PQclear(PQexec(pg->link, "ROLLBACK"));
  if (PQtransactionStatus(pg->link) != PQTRANS_IDLE) pg->broken = true;
}

/* Send the commit of a transaction that writes, and make of the answer what it means. */
static stele_status commit_write(st_postgres *pg) {
  PGresult *result = pg->has_replicas ? st_postgres_commit_marked(pg) : PQexec(pg->link, "COMMIT");
  stele_status status = st_postgres_check(pg, result);
  if (st_postgres_lost(pg) || pg->broken)
    status = st_conn_fail(&pg->base, STELE_INDOUBT,
                          "the connection to PostgreSQL was lost during the commit: whether it was done is unknown");
  else if (status == STELE_OK && pg->unconfirmed)
    status = st_conn_fail(&pg->base, STELE_INDOUBT, "it was committed, but no standby confirmed it: it may be lost with the server");
  else if (status == STELE_OK && strcmp(PQcmdStatus(result), "ROLLBACK") == 0)
    status = st_conn_fail(&pg->base, STELE_INTERNAL, "a statement of the transaction had failed: it was rolled back");
  PQclear(result);
  pg->wrote = pg->wrote || status == STELE_OK;
  pg->unconfirmed = false;
  if (status == STELE_OK) pg->base.counts.commits++;
  return status;
}

static stele_status commit_read(st_postgres *pg) {
  PGresult *result = PQexec(pg->link, "COMMIT");
  stele_status status = st_postgres_check(pg, result);
  PQclear(result);
  return status;
}

/* Has the server ended the session meanwhile?  Then the transaction is gone, and that is certain.  The first look takes
** what it said, the second finds the end behind it. */
static void look_before_commit(st_postgres *pg) {
  for (int i = 0; i < 2; i++) PQconsumeInput(pg->link);
}

static stele_status postgres_commit(st_conn *conn) {
  st_postgres *pg = st_postgres_of(conn);
  if (!pg->in_transaction) return st_conn_fail(conn, STELE_MISUSE, "no transaction is open");
  look_before_commit(pg);
  stele_status status = st_postgres_ready(pg);
  if (status != STELE_OK) {
    postgres_rollback(conn);
    return status;
  }
  status = pg->writing ? commit_write(pg) : commit_read(pg);
  if (PQtransactionStatus(pg->link) != PQTRANS_IDLE) postgres_rollback(conn);
  pg->in_transaction = false;
  return status;
}

static bool postgres_active(st_conn *conn) {
  st_postgres *pg = st_postgres_of(conn);
  st_postgres_post_settle(pg);
  return pg->in_transaction && !pg->broken && PQtransactionStatus(pg->link) == PQTRANS_INTRANS;
}

static stele_status postgres_script(st_conn *conn, const char *sql) {
  st_postgres *pg = st_postgres_of(conn);
  stele_status status = st_postgres_ready(pg);
  if (status != STELE_OK) return status;
  PGresult *result = PQexec(pg->link, sql);
  status = st_postgres_check(pg, result);
  PQclear(result);
  return status;
}

/* ---- What PostgreSQL does by itself ---------------------------------------------------------- */

static stele_status postgres_backup(st_conn *conn, const char *path, const st_watch *watch, st_contents *made) {
  (void)path, (void)watch, (void)made;
  return st_conn_fail(conn, STELE_UNSUPPORTED,
                      "a store on PostgreSQL is backed up by the server's own means: pg_dump --schema, or a base backup; `stele copy DIRECTORY` makes files of it");
}

static stele_status postgres_checkpoint(st_conn *conn, const char *mode, bool *busy, int64_t *log, int64_t *done) {
  (void)mode;
  *busy = false;
  *log = 0;
  *done = 0;
  return st_conn_fail(conn, STELE_UNSUPPORTED, "PostgreSQL checkpoints by itself");
}

static stele_status postgres_shrink(st_conn *conn) {
  (void)conn; /* autovacuum does it */
  return STELE_OK;
}

const st_driver st_driver_postgres = {
    .engine = ST_POSTGRES,
    .name = "postgres",
    .open = postgres_open,
    .close = postgres_close,
    .look = st_postgres_look,
    .probe = st_postgres_probe,
    .mark = st_postgres_mark,
    .script = postgres_script,
    .prepare = st_postgres_prepare,
    .finalize = st_postgres_finalize,
    .start = st_postgres_start,
    .start_stream = st_postgres_start_stream,
    .step = st_postgres_step,
    .columns = st_postgres_columns,
    .column_name = st_postgres_column_name,
    .column = st_postgres_column,
    .changes = st_postgres_changes,
    .reset = st_postgres_reset,
    .post = st_postgres_post,
    .posted = st_postgres_posted,
    .begin = postgres_begin,
    .commit = postgres_commit,
    .rollback = postgres_rollback,
    .is_current = st_postgres_is_current,
    .active = postgres_active,
    .backup = postgres_backup,
    .checkpoint = postgres_checkpoint,
    .size = st_postgres_size,
    .shrink = postgres_shrink,
    .schema = st_postgres_schema,
    .confinable = st_postgres_confinable,
    .confine = st_postgres_confine,
    .release = st_postgres_release,
};
