/* feature.c - see feature.h. */
#include "engine/feature.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/time.h"
#include "engine/handle.h"

#define LOOK_AGAIN_MS 1000 /* another process may have made one */
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

stele_status st_features_look(st_opened *opened) {
  stele_status status = STELE_OK;
  bool found;
  opened->features = 0;
  opened->generation = atomic_load(&generation); /* before looking: what comes meanwhile is looked for again */
  for (uint16_t i = 0; i < opened->store->nfeatures && status == STELE_OK; i++) status = probe(opened, i, &found);
  opened->features_ms = status == STELE_OK ? st_monotonic_ms() : 0;
  return status;
}

/* Inside a write transaction: another process may have been faster. */
static stele_status make(st_opened *opened, uint16_t index) {
  bool found;
  stele_status status = probe(opened, index, &found);
  if (status != STELE_OK || found) return status;
  status = opened->driver->script(opened->conn, opened->store->features[index].sql[opened->driver->engine]);
  opened->made = true;
  return status == STELE_OK ? probe(opened, index, &found) : status;
}

static stele_status make_alone(st_opened *opened, uint16_t index) {
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

bool st_features_refresh(st_call *call) {
  uint32_t before = call->store->features;
  stele_status status = st_features_look(call->store);
  if (status != STELE_OK) st_fail_conn(call, status);
  return call->store->features != before;
}

bool st_feature_has(const st_call *call, int feature) { return call->store->features >> feature & 1; }

void st_feature_need(st_call *call, int feature) {
  st_opened *opened = call->store;
  if (!st_ok(call) || st_feature_has(call, feature) || opened->target.readonly) return;
  bool inside = opened->driver->active(opened->conn);
  stele_status status = inside ? make(opened, (uint16_t)feature) : make_alone(opened, (uint16_t)feature);
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

void st_features_ensure(st_call *call) {
  st_opened *opened = call->store;
  uint32_t needed = call->method->features;
  bool stale = opened->features_ms == 0 || st_monotonic_ms() - opened->features_ms > LOOK_AGAIN_MS ||
               opened->generation != atomic_load_explicit(&generation, memory_order_relaxed);
  if (stale && opened->store->nfeatures) st_features_refresh(call);
  for (int i = 0; needed >> i; i++)
    if (needed >> i & 1) st_feature_need(call, i);
}
