/* postgres_look.c - what a schema of PostgreSQL holds: whose it is, its version, size and DDL.
**
** The version is kept in stele_meta (key, value), under the key version; the key store says whose
** it is, since two stores may well have the same version. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "engine/postgres_conn.h"

/* Of the schema's own relations, not those that an extension put there. */
#define OWN_RELATIONS                                                                                \
  "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "             \
  "AND n.nspname = $1 AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.objid = c.oid " \
  "AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.deptype = 'e') "

/* ---- Look ---------------------------------------------------------------------------------- */

/* Every table and index with its columns, in the order of strcmp, so that has() can search them. */
static stele_status fetch_columns(st_postgres *pg, PGresult **out) {
  static const char sql[] =
      "SELECT c.relname, a.attname " OWN_RELATIONS
      "LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
      "WHERE c.relkind IN ('r','p','f','v','m','i','I') "
      "ORDER BY c.relname COLLATE \"C\", a.attname COLLATE \"C\"";
  return st_postgres_query(pg, sql, 1, (const char *const[]){pg->schema}, out);
}

static bool has(void *from, const char *table, const char *column) {
  const PGresult *columns = from;
  int low = 0;
  int high = PQntuples(columns);
  while (low < high) {
    int middle = low + (high - low) / 2;
    int order = strcmp(table, PQgetvalue(columns, middle, 0));
    if (order == 0 && column) order = strcmp(column, PQgetvalue(columns, middle, 1));
    if (order == 0) return true;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return false;
}

/* A transaction sees the store as it was when its snapshot was taken: before it waited for the
** lock.  The catalog itself is always seen as it is now; if it has a stele_meta that the snapshot
** has not, another process has just made or migrated the store. */
static stele_status check_snapshot(st_postgres *pg, bool has_meta) {
  static const char sql[] =
      "SELECT pg_catalog.to_regclass(pg_catalog.format('%I.stele_meta', $1::text)) IS NOT NULL";
  PGresult *result;
  stele_status status = st_postgres_query(pg, sql, 1, (const char *const[]){pg->schema}, &result);
  if (status != STELE_OK) return status;
  bool now = PQgetvalue(result, 0, 0)[0] == 't';
  PQclear(result);
  if (now == has_meta) return STELE_OK;
  return st_conn_fail(&pg->base, STELE_CONFLICT, "another process has just made or migrated the store");
}

/* The version and the name in stele_meta.  *version is 0 when it holds none. */
static stele_status read_meta(st_postgres *pg, st_look *look) {
  /* Who is going to migrate locks the mark: if somebody else has moved it meanwhile, that is a
  ** serialization failure here, before any step runs. */
  const char *sql = pg->in_transaction && pg->writing
                        ? "SELECT key, value FROM stele_meta WHERE key IN ('version','store') FOR UPDATE"
                        : "SELECT key, value FROM stele_meta WHERE key IN ('version','store')";
  PGresult *result;
  stele_status status = st_postgres_query(pg, sql, 0, NULL, &result);
  if (status != STELE_OK) return status;
  for (int i = 0; i < PQntuples(result); i++) {
    const char *value = PQgetvalue(result, i, 1);
    int64_t version;
    if (strcmp(PQgetvalue(result, i, 0), "store") == 0) {
      if (strcmp(value, pg->base.store->name) != 0)
        snprintf(look->foreign, sizeof look->foreign, "its stele_meta says that it is a %.60s store", value);
    } else if (st_parse_int(value, strlen(value), &version) && version > 0 && version <= 1000000) {
      look->version = (int)version;
    } else if (!look->foreign[0]) {
      snprintf(look->foreign, sizeof look->foreign, "its stele_meta holds no version number but \"%.60s\"", value);
    }
  }
  PQclear(result);
  return STELE_OK;
}

/* Which of the columns with two names have the other one. */
static uint32_t find_renamed(const st_store *store, PGresult *columns) {
  uint32_t renamed = 0;
  for (uint16_t i = 0; i < store->nrenamed; i++) {
    const st_renamed *column = &store->renamed[i];
    if (!has(columns, column->table, column->name) && has(columns, column->table, column->also))
      renamed |= UINT32_C(1) << i;
  }
  return renamed;
}

stele_status st_postgres_look(st_conn *conn, st_look *look) {
  st_postgres *pg = st_postgres_of(conn);
  bool changing = pg->in_transaction && pg->writing;
  PGresult *columns = NULL;
  stele_status status = STELE_OK;
  *look = (st_look){0};

  if (changing) status = st_postgres_lock(pg);
  if (status == STELE_OK) status = fetch_columns(pg, &columns);
  if (status != STELE_OK) return status;
  bool has_meta = has(columns, "stele_meta", "key") && has(columns, "stele_meta", "value");
  if (changing) status = check_snapshot(pg, has_meta);
  if (status == STELE_OK && has_meta) status = read_meta(pg, look);
  if (status != STELE_OK) goto done;

  st_file file = {conn->store, ST_POSTGRES, has, columns};
  if (PQntuples(columns) == 0) {
    look->fresh = true;
  } else if (look->version > 0) {
    look->renamed = find_renamed(conn->store, columns); /* else the mark is believed */
    if (conn->store->complete && !look->foreign[0] && look->version == conn->store->version) st_look_shape(&file, look);
  } else if (!look->foreign[0]) {
    st_look_shape(&file, look);
    if (!look->foreign[0]) look->version = conn->store->version;
  }
  conn->renamed = look->renamed;
done:
  PQclear(columns);
  return status;
}

/* ---- Mark ---------------------------------------------------------------------------------- */

stele_status st_postgres_probe(st_conn *conn, const char *table, const char *column, bool *found) {
  static const char sql[] =
      "SELECT pg_catalog.to_regclass(pg_catalog.format('%I.%I', $1::text, $2::text)) IS NOT NULL AND ($3::text IS NULL OR "
      "EXISTS (SELECT 1 FROM pg_catalog.pg_attribute WHERE NOT attisdropped AND attname = $3::text AND attrelid = "
      "pg_catalog.to_regclass(pg_catalog.format('%I.%I', $1::text, $2::text)))) OR $3::text IS NULL AND "
      "EXISTS (SELECT 1 FROM pg_catalog.pg_trigger AS t JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid "
      "WHERE t.tgname = $2::text AND c.relnamespace = pg_catalog.to_regnamespace(pg_catalog.quote_ident($1::text)))";
  st_postgres *pg = st_postgres_of(conn);
  PGresult *result;
  *found = false;
  stele_status status = st_postgres_query(pg, sql, 3, (const char *const[]){pg->schema, table, column}, &result);
  if (status != STELE_OK) return status;
  *found = PQgetvalue(result, 0, 0)[0] == 't';
  PQclear(result);
  return STELE_OK;
}

stele_status st_postgres_mark(st_conn *conn, int version) {
  static const char upsert[] =
      "INSERT INTO stele_meta (key, value) VALUES ('store', $1), ('version', $2) "
      "ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value";
  st_postgres *pg = st_postgres_of(conn);
  char text[16];
  snprintf(text, sizeof text, "%d", version);
  stele_status status = st_postgres_query(
      pg, "CREATE TABLE IF NOT EXISTS stele_meta (key text PRIMARY KEY, value text NOT NULL)", 0, NULL, NULL);
  if (status == STELE_OK)
    status = st_postgres_query(pg, upsert, 2, (const char *const[]){conn->store->name, text}, NULL);
  return status;
}

/* ---- Size and definitions ------------------------------------------------------------------ */

stele_status st_postgres_size(st_conn *conn, int64_t *bytes, int64_t *wal_bytes) {
  static const char sql[] =
      "SELECT COALESCE(sum(pg_catalog.pg_total_relation_size(c.oid)), 0)::bigint " OWN_RELATIONS
      "WHERE c.relkind IN ('r','p','m')";
  st_postgres *pg = st_postgres_of(conn);
  PGresult *result;
  *bytes = 0;
  *wal_bytes = 0; /* the server's log is not this store's */
  stele_status status = st_postgres_query(pg, sql, 1, (const char *const[]){pg->schema}, &result);
  if (status != STELE_OK) return status;
  const char *text = PQgetvalue(result, 0, 0);
  st_parse_int(text, strlen(text), bytes);
  PQclear(result);
  return STELE_OK;
}

/* One line of a table's body, for a column and for a constraint. */
#define COLUMN_LINE                                                                                          \
  "pg_catalog.format('  %I %s', a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod))"                 \
  " || COALESCE((SELECT pg_catalog.format(' COLLATE %I', l.collname) FROM pg_catalog.pg_collation l"         \
  " JOIN pg_catalog.pg_type t ON t.oid = a.atttypid"                                                         \
  " WHERE l.oid = a.attcollation AND a.attcollation <> t.typcollation), '')"                                 \
  " || CASE WHEN a.attidentity = 'a' THEN ' GENERATED ALWAYS AS IDENTITY'"                                   \
  " WHEN a.attidentity = 'd' THEN ' GENERATED BY DEFAULT AS IDENTITY'"                                       \
  " WHEN a.attgenerated = 's' THEN"                                                                          \
  " pg_catalog.format(' GENERATED ALWAYS AS (%s) STORED', pg_catalog.pg_get_expr(d.adbin, d.adrelid, true))" \
  " WHEN d.adbin IS NOT NULL THEN ' DEFAULT ' || pg_catalog.pg_get_expr(d.adbin, d.adrelid, true)"           \
  " ELSE '' END || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END"
#define CONSTRAINT_LINE \
  "pg_catalog.format('  CONSTRAINT %I %s', k.conname, pg_catalog.pg_get_constraintdef(k.oid, true))"

/* PostgreSQL keeps no CREATE TABLE text; it is put together again from the catalog.  With the
** schema in the search path, the server's own functions leave its name away. */
static const char schema_sql[] =
    "WITH own AS (SELECT c.oid, c.relname, c.relkind " OWN_RELATIONS "WHERE c.relkind IN ('r','p','v','m','f') AND NOT c.relispartition), "
    "line AS ("
    "SELECT o.oid, 1 AS part, a.attnum::int AS place, ''::text AS name, " COLUMN_LINE " AS line "
    "FROM own o JOIN pg_catalog.pg_attribute a ON a.attrelid = o.oid AND a.attnum > 0 AND NOT a.attisdropped "
    "LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum "
    "UNION ALL "
    "SELECT o.oid, 2, pg_catalog.strpos('pufcx', k.contype::text), k.conname::text, " CONSTRAINT_LINE " "
    "FROM own o JOIN pg_catalog.pg_constraint k ON k.conrelid = o.oid AND k.contype IN ('p','u','f','c','x')) "
    "SELECT type, name, parent, ddl FROM ("
    "SELECT 1 AS rank, 'table' AS type, o.relname::text AS name, o.relname::text AS parent, "
    "pg_catalog.format(E'CREATE TABLE %I (\\n%s\\n)', o.relname, (SELECT pg_catalog.string_agg(l.line, E',\\n' "
    "ORDER BY l.part, l.place, l.name COLLATE \"C\") FROM line l WHERE l.oid = o.oid)) "
    "|| COALESCE(' PARTITION BY ' || pg_catalog.pg_get_partkeydef(o.oid), '') AS ddl "
    "FROM own o WHERE o.relkind IN ('r','p','f') "
    "UNION ALL "
    "SELECT 1, 'view', o.relname::text, o.relname::text, "
    "pg_catalog.format(E'CREATE VIEW %I AS\\n%s', o.relname, pg_catalog.pg_get_viewdef(o.oid, true)) "
    "FROM own o WHERE o.relkind IN ('v','m') "
    "UNION ALL "
    "SELECT 2, 'index', i.relname::text, o.relname::text, pg_catalog.pg_get_indexdef(i.oid, 0, true) "
    "FROM own o JOIN pg_catalog.pg_index x ON x.indrelid = o.oid JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid "
    "WHERE NOT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint k "
    "WHERE k.conindid = i.oid AND k.contype IN ('p','u','x')) "
    "UNION ALL "
    "SELECT 3, 'trigger', t.tgname::text, o.relname::text, pg_catalog.pg_get_triggerdef(t.oid, true) "
    "FROM own o JOIN pg_catalog.pg_trigger t ON t.tgrelid = o.oid AND NOT t.tgisinternal) AS definitions "
    "ORDER BY parent COLLATE \"C\", rank, name COLLATE \"C\"";

stele_status st_postgres_schema(st_conn *conn,
                                void (*add)(void *to, const char *type, const char *name, const char *table,
                                            const char *ddl),
                                void *to) {
  st_postgres *pg = st_postgres_of(conn);
  PGresult *result;
  stele_status status = st_postgres_query(pg, schema_sql, 1, (const char *const[]){pg->schema}, &result);
  if (status != STELE_OK) return status;
  for (int i = 0; i < PQntuples(result); i++)
    add(to, PQgetvalue(result, i, 0), PQgetvalue(result, i, 1), PQgetvalue(result, i, 2), PQgetvalue(result, i, 3));
  PQclear(result);
  return STELE_OK;
}
