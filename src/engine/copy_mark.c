/* copy_mark.c - see copy_mark.h. */
#include "engine/copy_mark.h"

#include <stdio.h>
#include <string.h>

#include "base/time.h"

/* ---- One statement ---- */

static const st_value none = {.type = ST_NULL};

/* Run it; value, unless NULL, gets the first column of its first row: a number, or a text into room. */
static stele_status run(const st_opened *opened, const char *sql, const st_value *const *params, size_t count, st_value *value,
                        char room[400]) {
  const st_driver *driver = opened->driver;
  st_prepared *prepared = NULL;
  stele_status status = driver->prepare(opened->conn, sql, &prepared);
  if (status == STELE_OK) status = driver->start(prepared, params, count);
  if (status == STELE_OK) status = driver->step(prepared);
  if (status == STELE_ROW && value) {
    driver->column(prepared, 0, value);
    if (value->type == ST_TEXT && room) snprintf(room, 400, "%s", value->bytes);
  }
  if (prepared) driver->finalize(prepared);
  return status == STELE_ROW || status == STELE_DONE ? STELE_OK : status;
}

static st_value text(const char *of) { return (st_value){.type = ST_TEXT, .bytes = of, .length = strlen(of)}; }

/* ---- The marks ---- */

stele_status st_copy_mark_read(const st_opened *target, const char *mark, char source[400]) {
  static const char *const sql[] = {"SELECT value FROM " ST_COPYING " WHERE what = 'source'", "SELECT source FROM " ST_COPIED};
  bool there = false;
  st_value value = none;
  source[0] = '\0';
  stele_status status = target->driver->probe(target->conn, mark, NULL, &there);
  if (status != STELE_OK || !there) return status;
  return run(target, sql[strcmp(mark, ST_COPIED) == 0], NULL, 0, &value, source);
}

stele_status st_copy_mark_place(const st_opened *opened, char place[400]) {
  static const char sql[] = "SELECT 'postgres ' || system_identifier || ' ' || pg_catalog.current_database() || ' ' || pg_catalog.current_schema()"
                            " FROM pg_catalog.pg_control_system()";
  st_value value = none;
  place[0] = '\0';
  return run(opened, sql, NULL, 0, &value, place);
}

/* PostgreSQL has no key of a partitioned table that holds for what comes only: it comes back whole, or not at all. */
#define LATER " AND c.relkind <> 'p'"
#define AT_ONCE " AND c.relkind = 'p'"
#define KEYS \
  " FROM pg_catalog.pg_constraint AS k JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid WHERE k.contype = 'f'" \
  " AND k.conparentid = 0" /* those of partitions come and go with their table's */ \
  " AND k.connamespace = pg_catalog.to_regnamespace(pg_catalog.quote_ident(pg_catalog.current_schema()))"

/* Take the foreign keys off, and remember how they are put back. */
static const char *const OFF[ST_ENGINES] = {
    "",
    "INSERT INTO " ST_COPYING " (what, value) SELECT 'key', pg_catalog.format('ALTER TABLE %I ADD CONSTRAINT %I %s NOT VALID',"
    " c.relname, k.conname, pg_catalog.replace(pg_catalog.pg_get_constraintdef(k.oid), ' NOT VALID', ''))" KEYS LATER ";"
    "INSERT INTO " ST_COPYING " (what, value) SELECT 'check', pg_catalog.format('ALTER TABLE %I VALIDATE CONSTRAINT %I',"
    " c.relname, k.conname)" KEYS LATER ";"
    "INSERT INTO " ST_COPYING " (what, value) SELECT 'check', pg_catalog.format('ALTER TABLE %I ADD CONSTRAINT %I %s',"
    " c.relname, k.conname, pg_catalog.pg_get_constraintdef(k.oid))" KEYS AT_ONCE ";"
    "DO $$ DECLARE line text; BEGIN FOR line IN SELECT pg_catalog.format('ALTER TABLE %I DROP CONSTRAINT %I', c.relname, k.conname)" KEYS
    " LOOP EXECUTE line; END LOOP; END $$"};

/* A row of the source may lack the row it refers to: then the key holds for what comes, and says so. */
static const char *const ON[ST_ENGINES] = {
    "",
    "DO $$ DECLARE line text; BEGIN"
    " FOR line IN SELECT value FROM " ST_COPYING " WHERE what = 'key' LOOP EXECUTE line; END LOOP;"
    " FOR line IN SELECT value FROM " ST_COPYING " WHERE what = 'check' LOOP"
    " BEGIN EXECUTE line; EXCEPTION WHEN foreign_key_violation THEN RAISE WARNING '%', SQLERRM; END;"
    " END LOOP; END $$"};

static stele_status at_once(const st_opened *target, stele_status (*work)(const st_opened *, const char *), const char *source) {
  stele_status status = target->driver->begin(target->conn, true);
  if (status != STELE_OK) return status;
  status = work(target, source);
  if (status == STELE_OK) return target->driver->commit(target->conn);
  target->driver->rollback(target->conn);
  return status;
}

static stele_status set_out(const st_opened *target, const char *source) {
  static const char *const note[ST_ENGINES] = {"INSERT INTO " ST_COPYING " (what, value) VALUES ('source', ?1)",
                                               "INSERT INTO " ST_COPYING " (what, value) VALUES ('source', $1::text)"};
  st_engine engine = target->driver->engine;
  st_value from = text(source);
  stele_status status = target->driver->script(
      target->conn, "DROP TABLE IF EXISTS " ST_COPIED "; CREATE TABLE " ST_COPYING " (what TEXT NOT NULL, value TEXT NOT NULL)");
  if (status == STELE_OK) status = run(target, note[engine], (const st_value *const[]){&from}, 1, NULL, NULL);
  return status == STELE_OK && OFF[engine][0] ? target->driver->script(target->conn, OFF[engine]) : status;
}

static stele_status arrive(const st_opened *target, const char *source) {
  static const char *const note[ST_ENGINES] = {"INSERT INTO " ST_COPIED " (source, at) VALUES (?1, ?2)",
                                               "INSERT INTO " ST_COPIED " (source, at) VALUES ($1::text, $2::text)"};
  st_engine engine = target->driver->engine;
  char now[ST_TIME_MAX] = "";
  st_time_iso(st_time_now(), now);
  st_value from = text(source), at = text(now);
  stele_status status = ON[engine][0] ? target->driver->script(target->conn, ON[engine]) : STELE_OK;
  if (status == STELE_OK)
    status = target->driver->script(
        target->conn, "DROP TABLE " ST_COPYING "; CREATE TABLE " ST_COPIED " (source TEXT NOT NULL, at TEXT NOT NULL)");
  return status == STELE_OK ? run(target, note[engine], (const st_value *const[]){&from, &at}, 2, NULL, NULL) : status;
}

stele_status st_copy_mark_begin(const st_opened *target, const char *source) { return at_once(target, set_out, source); }
stele_status st_copy_mark_end(const st_opened *target, const char *source) { return at_once(target, arrive, source); }

/* ---- Counters ---- */

/* The last number given for a table (?1) with a key of one column (?2); 0: none, or the table does not count. */
static const char *const LAST[ST_ENGINES] = {
    "SELECT seq FROM sqlite_sequence WHERE name = ?1 AND ?2 <> ''",
    "SELECT coalesce(s.last_value, 0) FROM pg_catalog.pg_sequences AS s WHERE pg_catalog.format('%I.%I', s.schemaname, s.sequencename)"
    " = pg_catalog.pg_get_serial_sequence(pg_catalog.quote_ident($1::text), $2::text)"};

/* At least ?3, and at least the greatest key that is there. */
static const char *const SET[ST_ENGINES] = {
    "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?3 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1) AND ?2 <> ''",
    "SELECT pg_catalog.setval(pg_catalog.pg_get_serial_sequence(pg_catalog.quote_ident($1::text), $2::text), $3::bigint)"
    " WHERE pg_catalog.pg_get_serial_sequence(pg_catalog.quote_ident($1::text), $2::text) IS NOT NULL"};

static bool is_integer(const char *type) { return strncmp(type, "INT", 3) == 0 || strcmp(type, "bigint") == 0; }

static stele_status last_number(const st_opened *opened, const char *table, const char *column, int64_t *out) {
  st_value name = text(table), key = text(column), found = none;
  bool counts = opened->driver->engine == ST_POSTGRES;
  stele_status status = counts ? STELE_OK : opened->driver->probe(opened->conn, "sqlite_sequence", NULL, &counts);
  *out = 0;
  if (status == STELE_OK && counts)
    status = run(opened, LAST[opened->driver->engine], (const st_value *const[]){&name, &key}, 2, &found, NULL);
  if (found.type == ST_INT) *out = found.integer;
  return status;
}

static stele_status greatest_key(const st_opened *opened, const char *table, const char *column, int64_t *out) {
  char sql[300];
  snprintf(sql, sizeof sql, "SELECT coalesce(max(\"%s\"), 0) FROM \"%s\"", column, table);
  return st_conn_number(opened->conn, sql, out);
}

/* SQLite counts only where the table was declared so, and keeps the count of a table with rows itself. */
static stele_status counts_by_itself(const st_opened *target, const char *table, bool *yes) {
  static const char sql[] = "SELECT sql LIKE '%AUTOINCREMENT%' FROM sqlite_schema WHERE type = 'table' AND name = ?1";
  st_value name = text(table), found = none;
  *yes = true;
  if (target->driver->engine == ST_POSTGRES) return STELE_OK;
  stele_status status = run(target, sql, (const st_value *const[]){&name}, 1, &found, NULL);
  *yes = found.type == ST_INT && found.integer;
  return status;
}

static stele_status set_number(const st_opened *target, const char *table, const char *column, int64_t number) {
  st_value name = text(table), key = text(column), last = {.type = ST_INT, .integer = number};
  const st_value *const params[] = {&name, &key, &last};
  stele_status status = target->driver->begin(target->conn, true);
  if (status != STELE_OK) return status;
  if (target->driver->engine == ST_SQLITE)
    status = run(target, "UPDATE sqlite_sequence SET seq = max(seq, ?3) WHERE name = ?1 AND ?2 <> ''", params, 3, NULL, NULL);
  if (status == STELE_OK) status = run(target, SET[target->driver->engine], params, 3, NULL, NULL);
  if (status == STELE_OK) return target->driver->commit(target->conn);
  target->driver->rollback(target->conn);
  return status;
}

stele_status st_copy_counter(const st_copy_plan *plan, const st_copy_table *table, const st_opened **whose) {
  const st_copy_column *key = &table->columns[table->keys[0]];
  int64_t last = 0, greatest = 0, now = 0;
  bool counts = false;
  *whose = plan->source;
  if (table->nkeys != 1 || !is_integer(key->type[0])) return STELE_OK;
  stele_status status = last_number(plan->source, table->name, key->from, &last);
  if (status != STELE_OK) return status;
  *whose = plan->target;
  status = counts_by_itself(plan->target, table->name, &counts);
  if (status == STELE_OK && counts) status = greatest_key(plan->target, table->name, key->to, &greatest);
  if (status == STELE_OK && counts) status = last_number(plan->target, table->name, key->to, &now);
  if (greatest > last) last = greatest;
  return status == STELE_OK && counts && last > now ? set_number(plan->target, table->name, key->to, last) : status;
}
