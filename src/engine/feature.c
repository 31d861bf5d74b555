/* feature.c - see feature.h. */
#include "engine/feature.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/time.h"
#include "engine/handle.h"

/* Another process may have made one.  It is not asked at every call: SQLite's schema_version needs a read transaction of its own,
** two locks, and PostgreSQL a query, which is as much as a small read itself takes.  What needs a feature looks when it makes it, in
** its transaction, so that only a reader is late, as if it had read a second before; and what misses one that was taken away is run
** again (dispatch.c). */
#define LOOK_AGAIN_MS 1000
#define SCRIPT_MAX ((size_t)1 << 20)
#define TRIES 20 /* PostgreSQL: another process makes the same */

/* Moved on when this process made or undid a feature, so that its other handles look again at once
** and not only after LOOK_AGAIN_MS: a reader must not miss what a writer was told is done. */
static atomic_uint generation;

void st_features_changed(st_opened *opened) {
  if (!opened->made) return;
  opened->made = false;
  atomic_fetch_add(&generation, 1);
}

static stele_status probe(st_opened *opened, uint16_t index, bool *found) {
  const st_feature *feature = &opened->store->features[index];
  *found = false;
  stele_status status = opened->driver->probe(opened->conn, feature->table, feature->column, found);
  if (status == STELE_OK && *found) opened->features |= UINT32_C(1) << index;
  return status;
}

/* Have the tables been the same since the last look?  A search asks each time, and there are many features. */
static bool are_known(st_opened *opened) {
  int64_t before = opened->features_ms ? opened->definitions : -1, now = -1;
  if (!opened->driver->definitions || !opened->driver->definitions(opened->conn, &now)) now = -1;
  opened->definitions = now;
  return now != -1 && now == before;
}

stele_status st_features_look(st_opened *opened) {
  stele_status status = STELE_OK;
  bool found;
  opened->generation = atomic_load(&generation); /* before looking: what comes meanwhile is looked for again */
  opened->scant = 0;
  if (are_known(opened)) {
    opened->features_ms = st_monotonic_ms();
    return STELE_OK;
  }
  opened->features = 0;
  for (uint16_t i = 0; i < opened->store->nfeatures && status == STELE_OK; i++) status = probe(opened, i, &found);
  opened->features_ms = status == STELE_OK ? st_monotonic_ms() : 0;
  return status;
}

static const st_renamed *renamed_word(const st_opened *opened, const char *word, size_t length) {
  for (uint16_t i = 0; i < opened->store->nrenamed; i++) {
    const st_renamed *column = &opened->store->renamed[i];
    if (opened->conn->renamed >> i & 1 && strlen(column->name) == length && strncmp(column->name, word, length) == 0) return column;
  }
  return NULL;
}

/* The script, with the names that this file has for its columns. */
static stele_status run_script(st_opened *opened, const char *sql) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  st_str text;
  if (!opened->conn->renamed) return opened->driver->script(opened->conn, sql);
  st_str_init(&text, SCRIPT_MAX);
  while (*sql) {
    size_t word = strspn(sql, letters), other = word ? word : strcspn(sql, letters);
    const st_renamed *column = word ? renamed_word(opened, sql, word) : NULL;
    if (column)
      st_str_addz(&text, column->also);
    else
      st_str_add(&text, sql, other);
    sql += other;
  }
  stele_status status = !text.failed ? opened->driver->script(opened->conn, text.text)
                                         : st_conn_fail(opened->conn, STELE_NOMEM, "out of memory");
  st_str_free(&text);
  return status;
}

/* Inside a write transaction: another process may have been faster.  What only the other engine has is never made. */
static stele_status make(st_opened *opened, uint16_t index) {
  const char *sql = opened->store->features[index].sql[opened->driver->engine];
  bool found;
  stele_status status = probe(opened, index, &found);
  if (status != STELE_OK || found || !sql) return status;
  status = run_script(opened, sql);
  opened->made = true;
  return status == STELE_OK ? probe(opened, index, &found) : status;
}

stele_status st_features_make(st_opened *opened, uint16_t index) {
  stele_status status = STELE_CONFLICT;
  for (unsigned tries = 0; status == STELE_CONFLICT && tries < TRIES; tries++) {
    if (tries) usleep(10000u * tries);
    status = opened->driver->begin(opened->conn, true);
    if (status != STELE_OK) continue;
    status = make(opened, index);
    if (status == STELE_OK)
      status = opened->driver->commit(opened->conn);
    else
      opened->driver->rollback(opened->conn);
    st_features_changed(opened);
    if (status != STELE_OK) opened->features &= ~(UINT32_C(1) << index);
  }
  return status;
}

static stele_status has_older_form(st_opened *opened, const st_feature *feature, bool *found) {
  stele_status status = STELE_OK;
  *found = false;
  for (const char *const *table = feature->replaces; *table && !*found && status == STELE_OK; table++)
    status = opened->driver->probe(opened->conn, *table, NULL, found);
  return status;
}

stele_status st_features_renew(st_opened *opened) {
  stele_status status = STELE_OK;
  for (uint16_t i = 0; i < opened->store->nfeatures && status == STELE_OK && !opened->target.readonly; i++) {
    bool older = false;
    if (opened->features >> i & 1) continue;
    status = has_older_form(opened, &opened->store->features[i], &older);
    if (older && status == STELE_OK) status = st_features_make(opened, i);
  }
  return status;
}

bool st_features_refresh(st_call *call) {
  uint32_t before = call->store->features;
  stele_status status = st_features_look(call->store);
  if (status != STELE_OK) st_fail_conn(call, status);
  return call->store->features != before;
}

bool st_feature_has(const st_call *call, int feature) { return call->store->features >> feature & 1; }

bool st_feature_look(st_call *call, int feature) {
  bool found = st_feature_has(call, feature);
  if (found || !st_ok(call)) return found;
  stele_status status = probe(call->store, (uint16_t)feature, &found);
  if (status != STELE_OK) st_fail_conn(call, status);
  return found;
}

void st_feature_need(st_call *call, int feature) {
  st_opened *opened = call->store;
  if (!st_ok(call) || st_feature_has(call, feature) || opened->target.readonly) return;
  bool inside = opened->driver->active(opened->conn);
  stele_status status = inside ? make(opened, (uint16_t)feature) : st_features_make(opened, (uint16_t)feature);
  if (status != STELE_OK) st_fail_conn(call, status);
}

void st_feature_undo(st_call *call, int feature) {
  st_opened *opened = call->store;
  const char *sql = opened->store->features[feature].undo[opened->driver->engine];
  if (!st_ok(call) || !sql) return;
  stele_status status = opened->driver->script(opened->conn, sql);
  if (status != STELE_OK) st_fail_conn(call, status);
  opened->made = true;
  st_features_refresh(call);
}

/* Is there so much that the feature is worth having?  What was too little is asked again when the features are looked for. */
static bool has_enough(st_call *call, uint16_t index) {
  st_opened *opened = call->store;
  const char *sql = opened->store->features[index].enough;
  st_prepared *prepared = NULL;
  if (!sql || !st_ok(call)) return true;
  if (opened->scant >> index & 1) return false;
  stele_status status = opened->driver->prepare(opened->conn, sql, &prepared);
  if (status == STELE_OK) status = opened->driver->start(prepared, NULL, 0);
  if (status == STELE_OK) status = opened->driver->step(prepared);
  if (status == STELE_DONE) opened->scant |= UINT32_C(1) << index;
  if (status != STELE_ROW && status != STELE_DONE) st_fail_conn(call, status);
  opened->driver->finalize(prepared);
  return status == STELE_ROW;
}

void st_features_ensure(st_call *call) {
  st_opened *opened = call->store;
  uint32_t needed = call->method->features;
  bool stale = opened->features_ms == 0 || st_monotonic_ms() - opened->features_ms > LOOK_AGAIN_MS ||
               opened->generation != atomic_load_explicit(&generation, memory_order_relaxed);
  if (stale && opened->store->nfeatures) st_features_refresh(call);
  for (int i = 0; needed >> i; i++)
    if (needed >> i & 1 && !st_feature_has(call, i) && !opened->target.readonly && has_enough(call, (uint16_t)i)) st_feature_need(call, i);
}
