/* remove.c - see remove.h. */
#include "search/remove.h"

#include "base/time.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "registry_ids.h"

#define STEP_MS 25
#define ROWS_FIRST 100
#define ROWS_MAX 2000

static const char *const ASIDE =
    "DROP TRIGGER IF EXISTS messages_fts_insert; DROP TRIGGER IF EXISTS messages_fts_delete;"
    "DROP TRIGGER IF EXISTS messages_fts_update; DROP TRIGGER IF EXISTS messages_fts_trigram_insert;"
    "DROP TRIGGER IF EXISTS messages_fts_trigram_delete; DROP TRIGGER IF EXISTS messages_fts_trigram_update;"
    "ALTER TABLE messages_fts RENAME TO stele_removed_fts;"
    "ALTER TABLE messages_fts_trigram RENAME TO stele_removed_fts_trigram;";

static const char *const TABLE[] = {"stele_removed_fts", "stele_removed_fts_trigram"};

/* What is large in them, two in each. */
static const char *const EMPTY[] = {
    "DELETE FROM stele_removed_fts_data WHERE id IN"
    " (SELECT id FROM stele_removed_fts_data ORDER BY id LIMIT ?1)",
    "DELETE FROM stele_removed_fts_content WHERE id IN"
    " (SELECT id FROM stele_removed_fts_content ORDER BY id LIMIT ?1)",
    "DELETE FROM stele_removed_fts_trigram_data WHERE id IN"
    " (SELECT id FROM stele_removed_fts_trigram_data ORDER BY id LIMIT ?1)",
    "DELETE FROM stele_removed_fts_trigram_content WHERE id IN"
    " (SELECT id FROM stele_removed_fts_trigram_content ORDER BY id LIMIT ?1)",
};

static const char *const DROP =
    "DROP TABLE IF EXISTS stele_removed_fts; DROP TABLE IF EXISTS stele_removed_fts_trigram";

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

void st_remove_begin(st_call *call) {
  bool both = is_there(call, "messages_fts") && is_there(call, "messages_fts_trigram");
  bool before = is_there(call, TABLE[0]) || is_there(call, TABLE[1]);
  if (both && !before) script(call, ASIDE);
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

/* One transaction: some rows of a table.  False: it has none left, or is not there. */
static bool step(st_call *call, int number, int rows) {
  int64_t gone = 0;
  st_call_begin(call, true);
  if (!st_ok(call)) return false;
  if (is_there(call, TABLE[number / 2])) gone = empty(call, EMPTY[number], rows);
  st_call_end(call);
  return gone > 0 && st_ok(call);
}

static void empty_table(st_call *call, int number) {
  int rows = ROWS_FIRST;
  for (bool more = st_ok(call); more;) {
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
  if (!is_there(call, TABLE[0]) && !is_there(call, TABLE[1])) return;
  for (int i = 0; i < 4; i++) empty_table(call, i);
  st_call_begin(call, true);
  if (!st_ok(call)) return;
  script(call, DROP);
  st_call_end(call);
}
