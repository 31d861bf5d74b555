/* quarantine.c - see quarantine.h. */
#include "engine/quarantine.h"

#include <string.h>

#include "base/alloc.h"

static const char TABLE[] =
    "CREATE TABLE IF NOT EXISTS stele_quarantine (\n"
    "  id INTEGER PRIMARY KEY,\n"
    "  \"table\" TEXT NOT NULL,\n"
    "  row TEXT NOT NULL,\n" /* JSON object; what is no JSON, bytes, as x'...' */
    "  reason TEXT NOT NULL,\n"
    "  quarantined_at INTEGER NOT NULL\n" /* epoch milliseconds */
    ")";

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
    if (!made) status = opened->driver->script(opened->conn, TABLE);
    made = true;
    if (status == STELE_OK) status = opened->driver->script(opened->conn, script);
    st_free(script);
    script = NULL;
    if (status == STELE_OK) status = next_script(opened, &script);
  }
  return status;
}
