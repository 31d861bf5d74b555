/* postgres_confine.c - a confined statement on PostgreSQL.  See confine.h, and postgres_role.c for who it runs as.
**
** The server prepares the text, which takes one statement only and tells its parameters and columns.  Then it is
** executed inside the role's function, as EXECUTE with the values, and the function's rows are read.
**
** A statement can leave things behind in its session, such as settings and locks: the settings are put right at once,
** for the rest of the transaction, and the session ends with it. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/str.h"
#include "engine/confine.h"
#include "engine/postgres_conn.h"

#define TEXT_MAX ((size_t)64 << 20)

typedef struct inner {
  st_postgres *pg;
  char name[16];      /* the server's, of the prepared text */
  PGresult *described;
} inner;

static stele_status set_timeout(st_postgres *pg, int timeout_ms) {
  static const char sql[] =
      "SELECT pg_catalog.current_setting('statement_timeout'), pg_catalog.set_config('statement_timeout', $1, true)";
  char value[16];
  PGresult *result;
  snprintf(value, sizeof value, "%d", timeout_ms);
  stele_status status = st_postgres_query(pg, sql, 1, (const char *const[]){value}, &result);
  if (status != STELE_OK) return status;
  snprintf(pg->timeout_before, sizeof pg->timeout_before, "%s", PQgetvalue(result, 0, 0));
  PQclear(result);
  return STELE_OK;
}

static stele_status prepare(inner *in, const char *sql) {
  st_postgres *pg = in->pg;
  stele_status status = st_postgres_ready(pg);
  if (status != STELE_OK) return status;
  PQclear(in->described);
  in->described = NULL;
  snprintf(in->name, sizeof in->name, "s%u", ++pg->last_name);
  PGresult *result = PQprepare(pg->link, in->name, sql, 0, NULL);
  status = st_postgres_check(pg, result);
  PQclear(result);
  if (status != STELE_OK) return status;
  in->described = PQdescribePrepared(pg->link, in->name);
  return st_postgres_check(pg, in->described);
}

/* EXECUTE does not tell how many rows were changed, but RETURNING gives a row for each. */
static stele_status prepare_counted(inner *in, const st_confined *what) {
  size_t length = strlen(what->sql);
  while (length > 0 && strchr(" \t\r\n;", what->sql[length - 1])) length--;
  st_str sql;
  st_str_init(&sql, TEXT_MAX);
  st_str_add(&sql, what->sql, length);
  st_str_addz(&sql, "\nRETURNING 1");
  stele_status status = sql.failed ? st_conn_fail(&in->pg->base, STELE_NOMEM, "out of memory") : prepare(in, sql.text);
  st_str_free(&sql);
  if (status == STELE_INTERNAL)
    status = st_conn_fail(&in->pg->base, STELE_INVALID, "nothing may stand behind the statement's semicolon");
  return status;
}

static stele_status describe(inner *in, st_confined *what) {
  stele_status status = prepare(in, what->sql);
  if (status != STELE_OK) return status;
  size_t count = (size_t)PQnparams(in->described);
  if (count > ST_CONFINED_PARAMS) return st_conn_fail(&in->pg->base, STELE_INVALID, "at most %d parameters", ST_CONFINED_PARAMS);
  if (count != what->nparams) return st_conn_fail(&in->pg->base, STELE_INVALID, ST_CONFINED_COUNT, count, what->nparams);
  if (PQnfields(in->described) > 0) return STELE_OK;
  what->silent = what->write;
  if (what->write) return prepare_counted(in, what);
  return st_conn_fail(&in->pg->base, STELE_READONLY, "the statement gives no columns: it writes");
}

/* A value as a literal: the prepared statement knows what type it is to be. */
static void add_literal(st_str *out, st_postgres *pg, const st_value *value) {
  char number[ST_REAL_MAX];
  switch (value->type) {
    case ST_INT: st_str_addf(out, "'%lld'", (long long)value->integer); return;
    case ST_REAL:
      st_format_real(value->real, number);
      st_str_addf(out, "'%s'", number);
      return;
    case ST_TEXT: {
      char *literal = PQescapeLiteral(pg->link, value->bytes, value->length);
      if (literal) st_str_addz(out, literal);
      else out->failed = true;
      PQfreemem(literal);
      return;
    }
    default: st_str_addz(out, "NULL");
  }
}

static stele_status write_run(inner *in, const st_confined *what, st_str *out) {
  st_str_addf(out, "EXECUTE %s", in->name);
  for (size_t i = 0; i < what->nparams; i++) {
    if (what->params[i].type == ST_TEXT && memchr(what->params[i].bytes, 0, what->params[i].length))
      return st_conn_fail(&in->pg->base, STELE_INVALID, "text with a NUL character cannot be kept on PostgreSQL");
    st_str_addc(out, i ? ',' : '(');
    add_literal(out, in->pg, &what->params[i]);
  }
  if (what->nparams) st_str_addc(out, ')');
  return out->failed ? st_conn_fail(&in->pg->base, STELE_NOMEM, "out of memory") : STELE_OK;
}

/* "c1 bigint, c2 text", in the server's words. */
static stele_status name_types(inner *in, PGresult **out) {
  static const char sql[] =
      "SELECT pg_catalog.string_agg(pg_catalog.format('c%s %s', place, pg_catalog.format_type(type, modifier)), ', ' ORDER BY place) "
      "FROM unnest($1::oid[], $2::int[]) WITH ORDINALITY AS t(type, modifier, place)";
  st_str types, modifiers;
  st_str_init(&types, TEXT_MAX);
  st_str_init(&modifiers, TEXT_MAX);
  for (int i = 0; i < PQnfields(in->described); i++) {
    st_str_addf(&types, "%c%u", i ? ',' : '{', PQftype(in->described, i));
    st_str_addf(&modifiers, "%c%d", i ? ',' : '{', PQfmod(in->described, i));
  }
  st_str_addc(&types, '}');
  st_str_addc(&modifiers, '}');
  stele_status status = types.failed || modifiers.failed
                            ? st_conn_fail(&in->pg->base, STELE_NOMEM, "out of memory")
                            : st_postgres_query(in->pg, sql, 2, (const char *const[]){types.text, modifiers.text}, out);
  st_str_free(&types);
  st_str_free(&modifiers);
  return status;
}

static void add_identifier(st_str *out, st_postgres *pg, const char *name) {
  char *quoted = PQescapeIdentifier(pg->link, name, strlen(name));
  if (quoted) st_str_addz(out, quoted);
  else out->failed = true;
  PQfreemem(quoted);
}

/* SELECT c1 AS "id", ... FROM the role's function: the columns keep their names, and these may occur twice. */
static stele_status write_outer(inner *in, const st_confined *what, st_str *out) {
  PGresult *types;
  stele_status status = name_types(in, &types);
  if (status != STELE_OK) return status;
  for (int i = 0; i < PQnfields(in->described); i++) {
    st_str_addf(out, "%sc%d AS ", i ? ", " : "SELECT ", i + 1);
    add_identifier(out, in->pg, PQfname(in->described, i));
  }
  st_str_addz(out, " FROM ");
  st_str_addf(out, "%s.stele_confined($1::text) AS t(%s)", in->pg->quoted, PQgetvalue(types, 0, 0));
  if (!what->write) st_str_addf(out, " LIMIT %lld", (long long)what->rows);
  PQclear(types);
  return out->failed ? st_conn_fail(&in->pg->base, STELE_NOMEM, "out of memory") : STELE_OK;
}

static stele_status start(inner *in, const st_confined *what, st_prepared **out) {
  st_str run, outer;
  st_str_init(&run, TEXT_MAX);
  st_str_init(&outer, TEXT_MAX);
  stele_status status = write_run(in, what, &run);
  if (status == STELE_OK) status = write_outer(in, what, &outer);
  if (status == STELE_OK) status = st_postgres_prepare(&in->pg->base, outer.text, out);
  if (status == STELE_OK) {
    const st_value text = {.type = ST_TEXT, .bytes = run.text, .length = run.length}, *values[] = {&text};
    status = st_postgres_start_stream(*out, values, 1);
  }
  st_str_free(&run);
  st_str_free(&outer);
  return status;
}

stele_status st_postgres_confine(st_conn *conn, st_confined *what, st_prepared **out) {
  inner in = {.pg = st_postgres_of(conn)};
  *out = NULL;
  what->silent = false;
  in.pg->spent = true;
  stele_status status = set_timeout(in.pg, what->timeout_ms);
  if (status == STELE_OK) status = describe(&in, what);
  if (status == STELE_OK) status = start(&in, what, out);
  PQclear(in.described);
  if (status == STELE_OK) return STELE_OK;
  st_postgres_finalize(*out);
  *out = NULL;
  return status; /* the transaction has failed: its end brings the settings back */
}

stele_status st_postgres_release(st_conn *conn, st_prepared *prepared) {
  static const char sql[] = "SELECT pg_catalog.set_config('statement_timeout', $1, true)";
  st_postgres *pg = st_postgres_of(conn);
  st_postgres_finalize(prepared);
  st_postgres_settle(pg);
  if (PQtransactionStatus(pg->link) != PQTRANS_INTRANS) return STELE_OK; /* it failed, and is undone with its settings */
  stele_status status = st_postgres_query(pg, sql, 1, (const char *const[]){pg->timeout_before}, NULL);
  return status == STELE_OK ? st_postgres_set_up(pg) : status;
}
