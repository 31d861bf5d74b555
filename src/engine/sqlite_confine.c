/* sqlite_confine.c - a confined statement on a SQLite connection: an authorizer, a deadline, limits.  See confine.h.
**
** The authorizer is in force from confine to release, and not only while the statement is prepared: SQLite prepares it
** anew when the schema has changed, and functions like pragma_table_info() prepare statements while they run. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/time.h"
#include "engine/confine.h"
#include "engine/sqlite_driver.h"

#define PATTERN_MAX 1000 /* of LIKE: matching a long one takes long, and cannot be interrupted */

static bool is_one_of(const char *name, const char *const *names) {
  for (; name && *names; names++)
    if (strcasecmp(name, *names) == 0) return true;
  return false;
}

/* The tables of SQLite itself tell of all others: names, sizes, and samples of their values (sqlite_stat4). */
static bool hides(const st_sqlite *conn, const char *table) {
  static const char *const telling[] = {"dbstat", "bytecode", "tables_used", NULL};
  if (!table) return false;
  return strncasecmp(table, "sqlite_", strlen("sqlite_")) == 0 || is_one_of(table, telling) ||
         st_confined_hides(conn->confined->hidden, table);
}

/* Those that ask about a table that may be seen; data_version is what a search table of FTS5 asks for. */
static bool may_ask(const st_sqlite *conn, const char *pragma, const char *about) {
  static const char *const of_a_table[] = {"table_info", "table_xinfo", "index_list", "foreign_key_list", NULL};
  if (!about) return strcasecmp(pragma, "data_version") == 0;
  return is_one_of(pragma, of_a_table) && !hides(conn, about);
}

/* SQLite was built without the first; the others are of its shell and of old search tables. */
static bool is_harmless(const char *function) {
  static const char *const harmful[] = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", NULL};
  return !is_one_of(function, harmful);
}

/* Triggers of Stele's own ask whether a row is under a legal hold, through a view: the statement that makes them run need not know
** of it.  One that has such a name in it may have given it to a query of its own, which SQLite does not tell from the view. */
static bool is_asked(const st_sqlite *conn, const char *inside) {
  static const char *const asking[] = {"stele_hold_", "stele_held_"};
  for (size_t i = 0; inside && i < sizeof asking / sizeof *asking; i++)
    if (strncmp(inside, asking[i], strlen(asking[i])) == 0 && !strstr(conn->confined->sql, asking[i])) return true;
  return false;
}

/* A table of Stele's own notes what is changed, by triggers: the statement that makes them run need not know of it. */
static bool is_noted(const char *table, const char *trigger) {
  return trigger && strncmp(trigger, "stele_document_", strlen("stele_document_")) == 0 && strcmp(table, "stele_document_change") == 0;
}

static int authorize(void *argument, int action, const char *first, const char *second, const char *database,
                     const char *inside) {
  st_sqlite *conn = argument;
  bool allowed = false;
  (void)database;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: allowed = true; break;
    case SQLITE_READ: allowed = !hides(conn, first) || is_asked(conn, inside); break;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE: allowed = conn->confined->write && (!hides(conn, first) || is_noted(first, inside)); break;
    case SQLITE_FUNCTION: allowed = is_harmless(second); break;
    case SQLITE_PRAGMA: allowed = may_ask(conn, first, second); break;
    default: break; /* tables, triggers, views, files, transactions: never */
  }
  if (allowed) return SQLITE_OK;
  snprintf(conn->refused, sizeof conn->refused, "%s", action == SQLITE_FUNCTION ? second : first ? first : "");
  return SQLITE_DENY;
}

stele_status st_sqlite_confinable(st_conn *base, const char *const *hidden) {
  (void)base;
  (void)hidden;
  return STELE_OK;
}

static void put_limits(st_sqlite *conn, int bytes, int pattern) {
  conn->bytes_before = sqlite3_limit(conn->db, SQLITE_LIMIT_LENGTH, bytes);
  conn->pattern_before = sqlite3_limit(conn->db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, pattern);
}

/* Behind the statement there may be comments, but no other one. */
static stele_status check_rest(st_sqlite *conn, const char *rest) {
  while (*rest) {
    sqlite3_stmt *more = NULL;
    int code = sqlite3_prepare_v2(conn->db, rest, -1, &more, &rest);
    bool another = more || code == SQLITE_ERROR || code == SQLITE_AUTH;
    sqlite3_finalize(more);
    if (another) return st_conn_fail(&conn->base, STELE_INVALID, "one statement at a time");
    if (code != SQLITE_OK) return st_sqlite_fail(conn, code);
  }
  return STELE_OK;
}

/* Which of the values a parameter stands for, from 1; 0: it has a name.  $1 is a name to SQLite, ?1 and ? are numbers. */
static int64_t place_of(sqlite3_stmt *stmt, int at) {
  const char *name = sqlite3_bind_parameter_name(stmt, at);
  int64_t number = 0;
  if (!name || name[0] == '?') return at;
  return name[0] == '$' && isdigit((unsigned char)name[1]) && st_parse_int(name + 1, strlen(name + 1), &number) ? number : 0;
}

static stele_status start(st_sqlite *conn, const st_confined *what, st_prepared *prepared) {
  sqlite3_stmt *stmt = st_sqlite_stmt(prepared);
  const st_value *values[ST_CONFINED_PARAMS];
  static const st_value null = {.type = ST_NULL};
  int count = sqlite3_bind_parameter_count(stmt);
  size_t used = 0;
  if (count > ST_CONFINED_PARAMS) return st_conn_fail(&conn->base, STELE_INVALID, "at most %d parameters", ST_CONFINED_PARAMS);
  for (int i = 1; i <= count; i++) {
    int64_t place = place_of(stmt, i);
    if (place == 0) return st_conn_fail(&conn->base, STELE_INVALID, "parameters are numbered: $1, $2, ...");
    if ((uint64_t)place > used) used = (size_t)place;
    values[i - 1] = (uint64_t)place <= what->nparams ? &what->params[place - 1] : &null;
  }
  if (used != what->nparams)
    return st_conn_fail(&conn->base, STELE_INVALID, ST_CONFINED_COUNT, used, what->nparams);
  return st_sqlite_start(prepared, values, (size_t)count);
}

static stele_status prepare(st_sqlite *conn, const st_confined *what, st_prepared **out) {
  const char *rest = "";
  conn->refused[0] = '\0';
  stele_status status = st_sqlite_prepare_first(&conn->base, what->sql, &rest, out);
  if (status == STELE_DENIED && conn->refused[0])
    return st_conn_fail(&conn->base, STELE_DENIED, "permission denied for %s", conn->refused);
  if (status != STELE_OK) return status;
  sqlite3_stmt *stmt = st_sqlite_stmt(*out);
  if (!stmt) return st_conn_fail(&conn->base, STELE_INVALID, "there is no statement");
  if (!what->write && !sqlite3_stmt_readonly(stmt)) return st_conn_fail(&conn->base, STELE_READONLY, "the statement writes");
  status = check_rest(conn, rest);
  return status == STELE_OK ? start(conn, what, *out) : status;
}

stele_status st_sqlite_confine(st_conn *base, st_confined *what, st_prepared **out) {
  st_sqlite *conn = (st_sqlite *)base;
  *out = NULL;
  what->silent = false;
  conn->confined = what;
  conn->deadline_ms = st_monotonic_ms() + what->timeout_ms;
  put_limits(conn, what->bytes_max, PATTERN_MAX);
  sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL); /* what search tables are made of is not written */
  sqlite3_set_authorizer(conn->db, authorize, conn);
  stele_status status = prepare(conn, what, out);
  if (status != STELE_OK) {
    st_sqlite_release(base, *out);
    *out = NULL;
  }
  return status;
}

/* Setting an authorizer makes all statements of the connection expire: those that end a transaction are prepared anew.
** What conn->problem says of the statement stays. */
stele_status st_sqlite_release(st_conn *base, st_prepared *prepared) {
  st_sqlite *conn = (st_sqlite *)base;
  st_sqlite_finalize(prepared);
  sqlite3_set_authorizer(conn->db, NULL, NULL);
  sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
  put_limits(conn, conn->bytes_before, conn->pattern_before);
  conn->confined = NULL;
  conn->deadline_ms = 0;
  return st_sqlite_ready(conn, true) == SQLITE_OK ? STELE_OK : STELE_NOMEM;
}
