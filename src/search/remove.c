/* remove.c - see remove.h. */
#include "search/remove.h"

#include "base/time.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "registry_ids.h"

#define STEP_MS 25
#define ROWS_FIRST 100
#define ROWS_MAX 2000

/* The large tables of an FTS5 table go away under other names, as plain tables; then the rest of it can be
** dropped at once, and at no moment is there a search table that is half empty and looks damaged. */
#define SET_ASIDE(table, data, content)                                        \
  "ALTER TABLE " table "_data RENAME TO " data ";"                             \
  "ALTER TABLE " table "_content RENAME TO " content ";"                       \
  "CREATE TABLE " table "_data (id INTEGER PRIMARY KEY, block BLOB);"          \
  "CREATE TABLE " table "_content (id INTEGER PRIMARY KEY, c0);"               \
  "DROP TABLE " table ";"

static const char *const ASIDE =
    "DROP TRIGGER IF EXISTS messages_fts_insert; DROP TRIGGER IF EXISTS messages_fts_delete;"
    "DROP TRIGGER IF EXISTS messages_fts_update; DROP TRIGGER IF EXISTS messages_fts_trigram_insert;"
    "DROP TRIGGER IF EXISTS messages_fts_trigram_delete; DROP TRIGGER IF EXISTS messages_fts_trigram_update;"
    SET_ASIDE("messages_fts", "stele_removed_1", "stele_removed_2")
    SET_ASIDE("messages_fts_trigram", "stele_removed_3", "stele_removed_4");

enum { TABLES = 4 };

#define TAKE_SOME(table) "DELETE FROM " table " WHERE id IN (SELECT id FROM " table " ORDER BY id LIMIT ?1)"

static const struct {
  const char *name, *some, *drop;
} REMOVED[TABLES] = {
    {"stele_removed_1", TAKE_SOME("stele_removed_1"), "DROP TABLE IF EXISTS stele_removed_1"},
    {"stele_removed_2", TAKE_SOME("stele_removed_2"), "DROP TABLE IF EXISTS stele_removed_2"},
    {"stele_removed_3", TAKE_SOME("stele_removed_3"), "DROP TABLE IF EXISTS stele_removed_3"},
    {"stele_removed_4", TAKE_SOME("stele_removed_4"), "DROP TABLE IF EXISTS stele_removed_4"},
};

int st_step_rows(int rows, int64_t ms, int most) {
  if (ms < STEP_MS / 2) rows *= 2;
  else if (ms > STEP_MS) rows = (int)(rows * STEP_MS / ms);
  return rows < 1 ? 1 : rows > most ? most : rows;
}

static void script(st_call *call, const char *sql) {
  stele_status status = st_ok(call) ? call->store->driver->script(call->store->conn, sql) : STELE_OK;
  if (status != STELE_OK) st_fail_conn(call, status);
}

static bool is_there(st_call *call, const char *table) {
  bool found = false;
  stele_status status = st_ok(call) ? call->store->driver->probe(call->store->conn, table, NULL, &found) : STELE_OK;
  if (status != STELE_OK) st_fail_conn(call, status);
  return found;
}

static bool some_are_there(st_call *call) {
  bool found = false;
  for (int i = 0; i < TABLES && !found; i++) found = is_there(call, REMOVED[i].name);
  return found;
}

void st_remove_begin(st_call *call) {
  bool both = is_there(call, "messages_fts_content") && is_there(call, "messages_fts_trigram_content");
  if (both && !some_are_there(call)) script(call, ASIDE);
  else st_feature_undo(call, ST_F_CONVERSATION_COMPATIBLE);
  if (st_ok(call)) st_features_refresh(call);
}

/* Run one of the statements; how many rows went. */
static int64_t empty(st_call *call, const char *sql, int rows) {
  const st_driver *driver = call->store->driver;
  st_prepared *prepared = NULL;
  st_value limit = st_int(rows);
  int64_t changed = 0;
  stele_status status = driver->prepare(call->store->conn, sql, &prepared);
  if (status == STELE_OK) status = driver->start(prepared, (const st_value *const[]){&limit}, 1);
  if (status == STELE_OK) status = driver->step(prepared);
  if (status == STELE_DONE) changed = driver->changes(prepared);
  else st_fail_conn(call, status);
  if (prepared) driver->finalize(prepared);
  return changed;
}

/* One transaction: some rows of a table, or the empty table.  False: it is gone. */
static bool step(st_call *call, int number, int rows) {
  st_call_begin(call, true);
  if (!st_ok(call)) return false;
  bool there = is_there(call, REMOVED[number].name);
  if (there && empty(call, REMOVED[number].some, rows) == 0) {
    script(call, REMOVED[number].drop);
    there = false;
  }
  st_call_end(call);
  return there && st_ok(call);
}

static void remove_table(st_call *call, int number) {
  int rows = ROWS_FIRST;
  for (bool more = is_there(call, REMOVED[number].name); more;) {
    int64_t start = st_monotonic_ms();
    more = step(call, number, rows);
    rows = st_step_rows(rows, st_monotonic_ms() - start, ROWS_MAX);
    if (more && call->db->progress && call->db->progress(call->db->user, "remove", 0, 0) != 0) {
      st_fail(call, STELE_CANCELLED, NULL, "it was stopped; another call goes on from there");
      return;
    }
  }
}

void st_remove_finish(st_call *call) {
  for (int i = 0; i < TABLES; i++) remove_table(call, i);
}
