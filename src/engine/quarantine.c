/* quarantine.c - see quarantine.h. */
#include "engine/quarantine.h"

#include <string.h>

#include "base/alloc.h"

/* What makes the table: a feature, as every table that Stele adds to a file of another program.  The generator sees to
** it that a store with @quarantine has it. */
static const st_feature *feature_of(const st_opened *opened) {
  const st_feature *feature = opened->store->features;
  while (strcmp(feature->name, "quarantine") != 0) feature++;
  return feature;
}

static stele_status make_table(st_opened *opened) {
  const st_feature *feature = feature_of(opened);
  bool there = false;
  stele_status status = opened->driver->probe(opened->conn, feature->table, NULL, &there);
  if (status != STELE_OK || there) return status;
  opened->made = true;
  return opened->driver->script(opened->conn, feature->sql[opened->driver->engine]);
}

/* The script that empties one table of its orphans, or no row.  SQLite itself writes it: the names are those of the
** file.  A row of a table WITHOUT ROWID cannot be named so, and stays. */
static const char NEXT_SCRIPT[] =
    "SELECT 'WITH orphan AS MATERIALIZED (SELECT c.\"rowid\" AS id, group_concat(''no ''||c.parent||'' for ''||k.\"from\", ''; '') AS why"
    " FROM pragma_foreign_key_check('||quote(t)||') AS c JOIN pragma_foreign_key_list('||quote(t)||') AS k ON k.id = c.fkid"
    " AND k.seq = 0 GROUP BY c.\"rowid\") INSERT INTO stele_quarantine (\"table\", row, reason, quarantined_at) SELECT '||quote(t)||', json_object('||"
    " (SELECT group_concat(quote(name)||', CASE typeof(r.'||q||') WHEN ''blob'' THEN quote(r.'||q||') ELSE r.'||q||' END')"
    " FROM (SELECT name, '\"'||replace(name, '\"', '\"\"')||'\"' AS q FROM pragma_table_info(t) ORDER BY cid))||'), orphan.why,"
    " CAST((julianday(''now'') - 2440587.5) * 86400000 AS INTEGER) FROM \"'||replace(t, '\"', '\"\"')||'\" AS r JOIN orphan ON orphan.id = r.rowid;"
    " DELETE FROM \"'||replace(t, '\"', '\"\"')||'\" WHERE rowid IN (SELECT \"rowid\" FROM pragma_foreign_key_check('||quote(t)||'))'"
    " FROM (SELECT \"table\" AS t FROM pragma_foreign_key_check WHERE \"rowid\" IS NOT NULL LIMIT 1)";

/* *script is NULL when there is nothing left to do. */
static stele_status next_script(st_opened *opened, char **script) {
  const st_driver *driver = opened->driver;
  st_prepared *prepared = NULL;
  st_value value = {.type = ST_NULL};
  *script = NULL;
  stele_status status = driver->prepare(opened->conn, NEXT_SCRIPT, &prepared);
  if (status == STELE_OK) status = driver->start(prepared, NULL, 0);
  if (status == STELE_OK) status = driver->step(prepared);
  if (status == STELE_ROW) {
    driver->column(prepared, 0, &value);
    *script = st_alloc(value.length + 1);
    if (*script) memcpy(*script, value.bytes, value.length);
    if (*script) (*script)[value.length] = '\0';
    status = *script ? STELE_OK : st_conn_fail(opened->conn, STELE_NOMEM, "out of memory");
  } else if (status == STELE_DONE) {
    status = STELE_OK;
  }
  driver->finalize(prepared);
  return status;
}

stele_status st_quarantine(st_opened *opened) {
  char *script = NULL;
  bool made = false;
  if (opened->driver->engine != ST_SQLITE) return STELE_OK;
  stele_status status = next_script(opened, &script);
  while (status == STELE_OK && script) {
    if (!made) status = make_table(opened);
    made = true;
    if (status == STELE_OK) status = opened->driver->script(opened->conn, script);
    st_free(script);
    script = NULL;
    if (status == STELE_OK) status = next_script(opened, &script);
  }
  return status;
}

stele_status st_quarantine_last(st_opened *opened, int64_t *last) {
  bool there = false;
  *last = 0;
  if (!opened->store->quarantine) return STELE_OK;
  stele_status status = opened->driver->probe(opened->conn, feature_of(opened)->table, NULL, &there);
  return status == STELE_OK && there ? st_conn_number(opened->conn, "SELECT max(id) FROM stele_quarantine", last) : status;
}

static const char *column(st_prepared *prepared, size_t index) {
  st_value value;
  prepared->conn->driver->column(prepared, index, &value);
  return value.bytes;
}

stele_status st_quarantine_since(st_opened *opened, int64_t last, bool (*tell)(void *to, const st_put_aside *what), void *to) {
  static const char sql[] = "SELECT \"table\", reason, count(*) FROM stele_quarantine WHERE id > ?1 GROUP BY 1, 2 ORDER BY min(id)";
  const st_driver *driver = opened->driver;
  st_value after = {.type = ST_INT, .integer = last}, rows;
  const st_value *values[] = {&after};
  st_prepared *prepared = NULL;
  int64_t newest;
  stele_status status = st_quarantine_last(opened, &newest);
  if (status != STELE_OK || newest == last) return status;
  status = driver->prepare(opened->conn, sql, &prepared);
  if (status == STELE_OK) status = driver->start(prepared, values, 1);
  while (status == STELE_OK && (status = driver->step(prepared)) == STELE_ROW) {
    driver->column(prepared, 2, &rows);
    bool kept = tell(to, &(st_put_aside){column(prepared, 0), column(prepared, 1), rows.integer});
    status = kept ? STELE_OK : st_conn_fail(opened->conn, STELE_NOMEM, "out of memory");
  }
  driver->finalize(prepared);
  return status == STELE_DONE ? STELE_OK : status;
}
