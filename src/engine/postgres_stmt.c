/* postgres_stmt.c - prepared statements of the PostgreSQL driver.
**
** A statement is prepared on the server once per session, under a name of its own, and stays usable
** when a transaction is undone.  Its rows are fetched whole, into one PGresult: then any number of
** statements can be in progress on the one connection, as on SQLite, and a failure is known before
** the first row is seen.  Where there may be many rows, or they have shown to be large, they are streamed instead (postgres_stream.h). */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/postgres_conn.h"
#include "engine/postgres_value.h"

#define LARGE ((size_t)128 << 10) /* of a result: the memory for more is given back to the system each time */

typedef struct statement {
  st_prepared base;
  char *sql;
  unsigned name;         /* the server knows it as s<name> */
  unsigned generation;   /* session that knows it; 0: none */
  PGresult *result;      /* of the last start; when streamed, of the present row */
  PGresult *description; /* columns, when asked for before a start */
  bool streamed;
  st_postgres_stream stream;
  int row;               /* current row of result; -1: before the first */
  bool binary; /* its rows suit that form, as an earlier result has shown */
  bool large;  /* and were so large that they are wanted one by one: all at once they cost more memory than what is made of them */
  bool has_decoded;
  char *decoded; /* of the current row: see postgres_value.h */
  size_t decoded_room;
  st_postgres_params params;
} statement;

static st_postgres *conn_of(const statement *stmt) {
  return st_postgres_of(stmt->base.conn);
}

static void server_name(const statement *stmt, char out[16]) {
  snprintf(out, 16, "s%u", stmt->name);
}

/* The server's statement is of no more use. */
static void forget(statement *stmt) {
  st_postgres *pg = conn_of(stmt);
  if (stmt->generation != 0 && stmt->generation == pg->generation)
    st_str_addf(&pg->dead, "DEALLOCATE s%u;", stmt->name);
  stmt->generation = 0;
  stmt->binary = stmt->large = false;
  PQclear(stmt->description);
  stmt->description = NULL;
}

/* Make the statement known to the present session, unless it is. */
static stele_status server_prepare(statement *stmt) {
  st_postgres *pg = conn_of(stmt);
  char name[16];
  if (stmt->generation == pg->generation) return STELE_OK;
  forget(stmt);
  stmt->name = ++pg->last_name;
  server_name(stmt, name);
  PGresult *result = PQprepare(pg->link, name, stmt->sql, 0, NULL);
  stele_status status = st_postgres_check(pg, result);
  PQclear(result);
  if (status == STELE_OK) stmt->generation = pg->generation;
  return status;
}

void st_postgres_reset(st_prepared *prepared) {
  statement *stmt = (statement *)prepared;
  if (stmt->streamed) st_postgres_stream_end(&stmt->stream);
  stmt->streamed = false;
  PQclear(stmt->result);
  stmt->result = NULL;
  stmt->row = -1;
  st_postgres_unbind(&stmt->params);
}

void st_postgres_finalize(st_prepared *prepared) {
  statement *stmt = (statement *)prepared;
  if (!stmt) return;
  st_postgres_reset(prepared);
  forget(stmt);
  st_postgres_params_free(&stmt->params);
  st_free(stmt->decoded);
  st_free(stmt->sql);
  st_free(stmt);
}

stele_status st_postgres_prepare(st_conn *conn, const char *sql, st_prepared **out) {
  st_postgres *pg = st_postgres_of(conn);
  stele_status status;
  *out = NULL;
  statement *stmt = st_alloc_zero(sizeof *stmt);
  if (!stmt) return st_conn_fail(conn, STELE_NOMEM, "out of memory");
  stmt->base.conn = conn;
  stmt->row = -1;
  stmt->sql = st_strdup(sql);
  if (!stmt->sql) {
    status = st_conn_fail(conn, STELE_NOMEM, "out of memory");
    goto failed;
  }
  for (int attempt = 0;; attempt++) {
    status = st_postgres_ready(pg);
    if (status != STELE_OK) goto failed;
    status = server_prepare(stmt);
    if (status == STELE_OK || !st_postgres_may_repeat(pg, attempt)) break;
  }
  if (status != STELE_OK) goto failed;
  *out = &stmt->base;
  return STELE_OK;
failed:
  st_postgres_finalize(&stmt->base);
  return status;
}

/* Has it many bytes, as its first row tells?  What writes is known to have succeeded before its rows are seen. */
static bool is_large(const PGresult *result) {
  size_t row = 0, rows = (size_t)PQntuples(result);
  if (rows < 2 || strncmp(PQcmdStatus((PGresult *)result), "SELECT", 6) != 0) return false;
  for (int i = 0; i < PQnfields(result); i++) row += (size_t)PQgetlength(result, 0, i);
  return row * rows > LARGE;
}

static PGresult *send(statement *stmt) {
  st_postgres *pg = conn_of(stmt);
  const st_postgres_params *params = &stmt->params;
  char name[16];
  server_name(stmt, name);
  stmt->streamed = stmt->streamed || stmt->large;
  if (stmt->streamed)
    return st_postgres_stream_begin(&stmt->stream, pg, name, (int)params->count, params->values, params->lengths,
                                    params->formats, stmt->binary);
  PGresult *result =
      PQexecPrepared(pg->link, name, (int)params->count, params->values, params->lengths, params->formats, stmt->binary);
  stmt->binary = stmt->binary || st_postgres_suits_binary(result);
  stmt->large = stmt->binary && is_large(result);
  return result;
}

/* Run it with what is bound.  A statement that another process's migration has made stale is
** prepared again: at once, or, since the failure has undone the transaction, when that is run again. */
static stele_status execute(statement *stmt) {
  st_postgres *pg = conn_of(stmt);
  for (int attempt = 0;; attempt++) {
    stele_status status = st_postgres_ready(pg);
    if (status == STELE_OK) status = server_prepare(stmt);
    if (status != STELE_OK) return status;
    stmt->result = send(stmt);
    status = st_postgres_check(pg, stmt->result);
    if (status == STELE_OK) return status;
    bool stale = st_postgres_is_stale(stmt->result);
    PQclear(stmt->result);
    stmt->result = NULL;
    if (!stale) return status;
    forget(stmt);
    if (pg->in_transaction || attempt > 0)
      return st_conn_fail(&pg->base, STELE_CONFLICT, "another process has just changed the store's format");
  }
}

static stele_status start(st_prepared *prepared, const st_value *const *params, size_t count, bool streamed) {
  statement *stmt = (statement *)prepared;
  const char *why = "";
  st_postgres_reset(prepared);
  stmt->streamed = streamed;
  stele_status status = st_postgres_bind(&stmt->params, params, count, &why);
  if (status != STELE_OK) return st_conn_fail(prepared->conn, status, "%s", why);
  status = execute(stmt);
  st_postgres_unbind(&stmt->params);
  stmt->has_decoded = status == STELE_OK && st_postgres_has_decoded(stmt->result);
  return status;
}

stele_status st_postgres_start(st_prepared *prepared, const st_value *const *params, size_t count) {
  return start(prepared, params, count, false);
}

stele_status st_postgres_start_stream(st_prepared *prepared, const st_value *const *params, size_t count) {
  return start(prepared, params, count, true);
}

/* Bound first: what fails before it is sent leaves the link as it was. */
stele_status st_postgres_post(st_prepared *prepared, const st_value *const *params, size_t count) {
  statement *stmt = (statement *)prepared;
  st_postgres *pg = conn_of(stmt);
  const char *why = "";
  char name[16];
  st_postgres_reset(prepared);
  stele_status status = st_postgres_bind(&stmt->params, params, count, &why);
  if (status != STELE_OK) return st_conn_fail(prepared->conn, status, "%s", why);
  if (!pg->piped || stmt->generation != pg->generation || st_postgres_post_is_full(pg)) {
    status = st_postgres_ready(pg);
    if (status == STELE_OK) status = server_prepare(stmt);
  }
  server_name(stmt, name);
  const st_postgres_params *bound = &stmt->params;
  if (status == STELE_OK) status = st_postgres_post_send(pg, name, (int)bound->count, bound->values, bound->lengths, bound->formats);
  st_postgres_unbind(&stmt->params);
  return status;
}

/* Decode the bytes of the row here, where running out of memory can still be told. */
static stele_status decode_row(statement *stmt) {
  size_t size = st_postgres_decoded_size(stmt->result, stmt->row);
  if (size > stmt->decoded_room) {
    char *room = st_realloc(stmt->decoded, size);
    if (!room) return st_conn_fail(stmt->base.conn, STELE_NOMEM, "out of memory");
    stmt->decoded = room;
    stmt->decoded_room = size;
  }
  if (st_postgres_decode(stmt->result, stmt->row, stmt->decoded)) return STELE_ROW;
  return st_conn_fail(stmt->base.conn, STELE_INTERNAL, "the server sent bytes in a form that was not asked for");
}

/* The next row of a stream takes the place of the present one. */
static stele_status advance(statement *stmt) {
  PQclear(stmt->result);
  stmt->result = st_postgres_stream_next(&stmt->stream);
  stmt->row = -1;
  if (stmt->result) return st_postgres_check(conn_of(stmt), stmt->result);
  return st_conn_fail(stmt->base.conn, STELE_NOMEM, "out of memory");
}

stele_status st_postgres_step(st_prepared *prepared) {
  statement *stmt = (statement *)prepared;
  if (!stmt->result) return st_conn_fail(prepared->conn, STELE_MISUSE, "the statement was not started");
  if (stmt->row == 0 && PQresultStatus(stmt->result) == PGRES_SINGLE_TUPLE) {
    stele_status status = advance(stmt);
    if (status != STELE_OK) return status;
  }
  int rows = PQntuples(stmt->result);
  if (stmt->row < rows) stmt->row++;
  if (stmt->row >= rows) return STELE_DONE;
  return stmt->has_decoded ? decode_row(stmt) : STELE_ROW;
}

/* The result, or before a start the server's description of it; NULL when that fails. */
static const PGresult *columns_of(statement *stmt) {
  st_postgres *pg = conn_of(stmt);
  char name[16];
  if (stmt->result) return stmt->result;
  if (stmt->description) return stmt->description;
  if (st_postgres_ready(pg) != STELE_OK || server_prepare(stmt) != STELE_OK) return NULL;
  server_name(stmt, name);
  PGresult *result = PQdescribePrepared(pg->link, name);
  if (st_postgres_check(pg, result) == STELE_OK) stmt->description = result;
  else PQclear(result);
  return stmt->description;
}

size_t st_postgres_columns(st_prepared *prepared) {
  return (size_t)PQnfields(columns_of((statement *)prepared));
}

const char *st_postgres_column_name(st_prepared *prepared, size_t column) {
  return PQfname(columns_of((statement *)prepared), (int)column);
}

void st_postgres_column(st_prepared *prepared, size_t column, st_value *out) {
  const statement *stmt = (const statement *)prepared;
  *out = (st_value){.type = ST_NULL};
  if (!stmt->result || stmt->row < 0 || stmt->row >= PQntuples(stmt->result)) return;
  if (column < (size_t)PQnfields(stmt->result))
    st_postgres_value(stmt->result, stmt->row, (int)column, stmt->decoded, out);
}

int64_t st_postgres_changed(PGresult *result) {
  static const char *const writers[] = {"INSERT ", "UPDATE ", "DELETE ", "MERGE "};
  int64_t count = 0;
  const char *tag = PQcmdStatus(result);
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
    if (strncmp(tag, writers[i], strlen(writers[i])) != 0) continue;
    const char *text = PQcmdTuples(result);
    st_parse_int(text, strlen(text), &count);
  }
  return count;
}

int64_t st_postgres_changes(st_prepared *prepared) {
  statement *stmt = (statement *)prepared;
  return stmt->result ? st_postgres_changed(stmt->result) : 0;
}
