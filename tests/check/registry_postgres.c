/* registry_postgres.c - the PostgreSQL half of registry.c: here the server also tells the types. */
#include "check/registry.h"

#ifdef STELE_POSTGRES

#include <stdio.h>
#include <string.h>

#include "engine/postgres_conn.h"

/* Numbers of types, from the server's catalog: they never change. */
enum { BOOL = 16, BYTEA = 17, INT8 = 20, INT2 = 21, INT4 = 23, TEXT = 25, JSON = 114, FLOAT8 = 701, JSONB = 3802 };
enum { BOOLS = 1000, BYTEAS = 1001, TEXTS = 1009, INT8S = 1016, FLOAT8S = 1022, JSONS = 199 };
enum { TIMESTAMPTZ = 1184, TIMESTAMPTZS = 1185 };

#define NAME "checked" /* the server forgets a statement without a name at the next command */

static PGconn *link_of(const st_opened *opened) { return ((st_postgres *)opened->conn)->link; }

static Oid time_type(const st_store *store) {
  switch (store->time_form) {
    case ST_TIME_SECONDS: return FLOAT8;
    case ST_TIME_MILLIS: return INT8;
    case ST_TIME_ISO: return TIMESTAMPTZ;
    default: return TEXT;
  }
}

/* The type that docs/grammar.md gives a declared type. */
static Oid scalar_type(const stele_field *field, const st_store *store) {
  switch (field->type) {
    case STELE_TYPE_INT: return INT8;
    case STELE_TYPE_REAL:
    case STELE_TYPE_DURATION: return FLOAT8;
    case STELE_TYPE_BOOL: return BOOL;
    case STELE_TYPE_JSON: return JSON;
    case STELE_TYPE_BLOB: return BYTEA;
    case STELE_TYPE_TIME: return time_type(store);
    default: return TEXT;
  }
}

static Oid list_type(Oid item) {
  switch (item) {
    case BOOL: return BOOLS;
    case BYTEA: return BYTEAS;
    case INT8: return INT8S;
    case FLOAT8: return FLOAT8S;
    case JSON: return JSONS;
    case TIMESTAMPTZ: return TIMESTAMPTZS;
    default: return TEXTS;
  }
}

static bool fits(Oid found, const stele_field *field, const st_store *store) {
  Oid wanted = scalar_type(field, store);
  if (found == wanted) return true;
  if (wanted == JSON && (found == TEXT || found == JSONB)) return true; /* it comes as text, whatever it is kept as */
  return wanted == INT8 && (found == INT4 || found == INT2);            /* a count, a constant: no digit is lost */
}

static const char *column_name(const void *from, size_t i) { return PQfname(from, (int)i); }

static void check_parameters(const subject *s, const PGresult *described) {
  if (PQnparams(described) != s->variant->nparams)
    complain(s, "%d parameters, and %u are bound", PQnparams(described), s->variant->nparams);
  for (int i = 0; i < PQnparams(described) && i < s->variant->nparams; i++) {
    const stele_field *param = &s->method->public.params[s->variant->params[i]];
    Oid wanted = scalar_type(param, s->opened->store);
    if (param->flags & STELE_LIST) wanted = list_type(wanted);
    if (PQparamtype(described, i) != wanted)
      complain(s, "parameter %s has type %u instead of %u", param->name, PQparamtype(described, i), wanted);
  }
}

static void check_types(const subject *s, const PGresult *described) {
  for (size_t i = 0; s->last && i < (size_t)PQnfields(described) && i < result_count(s->method); i++) {
    const stele_field *result = result_at(s->method, i);
    if (!fits(PQftype(described, (int)i), result, s->opened->store))
      complain(s, "column %s has type %u, and %u is declared", result->name, PQftype(described, (int)i),
               scalar_type(result, s->opened->store));
  }
}

/* A read-only transaction refuses what writes. */
static void check_readonly(const subject *s) {
  PGconn *link = link_of(s->opened);
  PQclear(PQexec(link, "BEGIN READ ONLY"));
  PGresult *result = PQexecPrepared(link, NAME, s->variant->nparams, (const char *const[64]){NULL}, NULL, NULL, 0);
  const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  bool refused = state && strcmp(state, "25006") == 0;
  if (refused == s->statement->readonly)
    complain(s, "it %s, and is declared otherwise", refused ? "writes" : "only reads");
  PQclear(result);
  PQclear(PQexec(link, "ROLLBACK"));
}

void check_postgres(const subject *s) {
  PGconn *link = link_of(s->opened);
  PGresult *prepared = PQprepare(link, NAME, s->sql, 0, NULL);
  PGresult *described = PQdescribePrepared(link, NAME);
  if (PQresultStatus(prepared) != PGRES_COMMAND_OK || PQresultStatus(described) != PGRES_COMMAND_OK) {
    complain(s, "%s", PQerrorMessage(link));
  } else {
    check_parameters(s, described);
    check_columns(s, (size_t)PQnfields(described), column_name, described);
    check_types(s, described);
    check_readonly(s);
  }
  PQclear(prepared);
  PQclear(described);
  PQclear(PQexec(link, "DEALLOCATE ALL"));
}

#endif
