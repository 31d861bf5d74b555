/* plans_postgres.c - the PostgreSQL half of plans.c: the server, which believes in a million rows, is asked for its plans. */
#include "scale/plans.h"

#ifdef STELE_POSTGRES

#include <stdio.h>
#include <string.h>

#include "engine/postgres_conn.h"

#define NAME "planned"
#define BELIEVED "1000000"
/* Reading a million rows costs 10,000 at the least; a row that is answered may cost as much as a few pages that have to be found. */
#define COST_MAX 5000
#define COST_PER_ROW 20
#define SQL_MAX (1u << 20)

static PGconn *link_of(const st_opened *opened) { return ((st_postgres *)opened->conn)->link; }

static void run(st_opened *opened, const char *sql) {
  PGresult *result = PQexec(link_of(opened), sql);
  if (PQresultStatus(result) != PGRES_COMMAND_OK) {
    point(false, "postgres", opened->store->name);
    printf("# %s: %s\n", sql, PQerrorMessage(link_of(opened)));
  }
  PQclear(result);
}

/* Run the statements that a query answers for a table. */
static void run_each(st_opened *opened, const char *query, const char *table) {
  PGresult *result = PQexecParams(link_of(opened), query, 1, NULL, (const char *const[]){table}, NULL, NULL, 0);
  if (PQresultStatus(result) != PGRES_TUPLES_OK) point(false, "postgres", PQerrorMessage(link_of(opened)));
  for (int i = 0; i < PQntuples(result); i++) run(opened, PQgetvalue(result, i, 0));
  PQclear(result);
}

/* What rows are made of may be what no constraint allows, and no trigger is to look at it. */
static const char drop_constraints[] =
    "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint "
    "WHERE conrelid = $1::regclass AND contype IN ('c', 'f')";

/* The columns of a table, and whether each is the last of a unique key: its values are all different then. */
#define COLUMNS                                                                                                            \
  "(SELECT a.attrelid, a.attname, a.attnotnull, format_type(a.atttypid, NULL) AS type, EXISTS (SELECT 1 FROM pg_index AS x "             \
  "WHERE x.indrelid = a.attrelid AND x.indisunique AND x.indkey[x.indnkeyatts - 1] = a.attnum) AS own "                    \
  "FROM pg_attribute AS a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS c"

/* Rows of one value are a hundred, however many rows there are. */
static const char spread_values[] =
    "SELECT format('ALTER TABLE %s ALTER COLUMN %I SET (n_distinct = -0.01)', c.attrelid::regclass, c.attname) FROM " COLUMNS
    " WHERE NOT c.own";

static const char insert_rows[] =
    "SELECT format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM generate_series(1, " TEXT_OF(ROWS) ") AS n', "
    "$1::text, string_agg(quote_ident(c.attname), ', '), string_agg(CASE c.type "
    "WHEN 'text' THEN '(' || v.number || ')::text' WHEN 'bigint' THEN v.number WHEN 'integer' THEN v.number WHEN 'smallint' THEN v.number "
    "WHEN 'double precision' THEN v.number WHEN 'boolean' THEN 'n % 2 = 0' "
    "WHEN 'timestamp with time zone' THEN 'timestamptz ''2026-01-01'' + interval ''1 minute'' * ' || v.number "
    "WHEN 'bytea' THEN 'convert_to((' || v.number || ')::text, ''UTF8'')' WHEN 'tsvector' THEN '((' || v.number || ')::text)::tsvector' "
    "WHEN 'text[]' THEN 'ARRAY[(' || v.number || ')::text]' WHEN 'json' THEN '''{}''' WHEN 'jsonb' THEN '''{}''' ELSE 'NULL' END, ', ')) "
    "FROM " COLUMNS ", LATERAL (SELECT CASE WHEN c.own THEN 'n' WHEN c.attnotnull THEN '(n % " TEXT_OF(VALUES) " + 1)' "
    "ELSE 'CASE WHEN n % 4 < 2 THEN n % " TEXT_OF(VALUES) " + 1 END' END AS number) AS v";

static const char believe[] = "SELECT format('ANALYZE %s', $1::text) UNION ALL SELECT format('UPDATE pg_class SET reltuples = " BELIEVED
                              " WHERE oid = %1$L::regclass OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = %1$L::regclass)', $1::text)";

static void fill_table(st_opened *opened, const char *table) {
  run_each(opened, drop_constraints, table);
  run_each(opened, spread_values, table);
  run_each(opened, insert_rows, table);
  run_each(opened, believe, table);
}

void fill_postgres(st_opened *opened) {
  run(opened, "SET session_replication_role = replica");
  run(opened, "SET plan_cache_mode = force_custom_plan");
  PGresult *tables = PQexec(link_of(opened), "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition "
                                             "AND relnamespace = current_schema()::regnamespace");
  for (int i = 0; i < PQntuples(tables); i++)
    if (!stays_small(opened->store, PQgetvalue(tables, i, 0))) fill_table(opened, PQgetvalue(tables, i, 0));
  PQclear(tables);
}

/* A value for a parameter, as the server reads it from a text of unknown type. */
static const char *value_of(const stele_field *param, const st_store *store) {
  bool iso = param->type == STELE_TYPE_TIME && store->time_form == ST_TIME_ISO;
  if (param->type == STELE_TYPE_BOOL) return "true";
  if (param->type == STELE_TYPE_JSON) return "{}";
  if (iso) return param->flags & STELE_LIST ? "{2026-01-01 00:17+00}" : "2026-01-01 00:17+00";
  if (is_limit(param)) return TEXT_OF(ASKED_FOR);
  if (param->flags & STELE_LIST) return "{" SOME_VALUE "}";
  return SOME_VALUE;
}

static PGresult *explain(const subject *s) {
  st_str sql;
  st_str_init(&sql, SQL_MAX);
  st_str_addz(&sql, "EXPLAIN EXECUTE " NAME);
  for (unsigned i = 0; i < s->variant->nparams; i++)
    st_str_addf(&sql, "%s'%s'", i ? ", " : "(", value_of(&s->method->public.params[s->variant->params[i]], s->opened->store));
  if (s->variant->nparams) st_str_addc(&sql, ')');
  PGresult *plan = PQexec(link_of(s->opened), sql.text);
  st_str_free(&sql);
  return plan;
}

void check_postgres_plan(const subject *s) {
  PGconn *link = link_of(s->opened);
  PGresult *prepared = PQprepare(link, NAME, s->sql, 0, NULL), *plan = explain(s);
  double cost = 0, rows = 0;
  if (PQntuples(plan) == 0) complain(s, "%s", PQerrorMessage(link));
  if (PQntuples(plan) && sscanf(strstr(PQgetvalue(plan, 0, 0), "(cost="), "(cost=%*f..%lf rows=%lf", &cost, &rows) != 2)
    complain(s, "%s is not understood", PQgetvalue(plan, 0, 0));
  for (int i = 0; cost > COST_MAX + COST_PER_ROW * rows && i < PQntuples(plan); i++) complain(s, "%s", PQgetvalue(plan, i, 0));
  PQclear(plan);
  PQclear(prepared);
  PQclear(PQexec(link, "DEALLOCATE ALL"));
}

#endif
