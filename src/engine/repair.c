/* repair.c - stele.repair: stores of the present version are made whole, and rows without a parent put aside. */
#include <stdio.h>
#include <string.h>

#include "engine/backup.h"
#include "engine/complete.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "engine/keys.h"
#include "engine/mend.h"
#include "engine/quarantine.h"
#include "engine/state.h"
#include "engine/system.h"
#include "registry_ids.h"

/* One thing that was done. */
typedef struct mended mended;
struct mended {
  mended *next;
  const char *action, *name, *reason;
  int64_t rows; /* -1: it is not about rows */
};

typedef struct repair {
  st_call *call;
  bool in_earnest; /* else it is taken back */
  bool made;       /* a file that nobody has used yet: it needs no copy */
  mended *first, **end;
  char backup[ST_PATH_MAX];
} repair;

static bool add(repair *r, mended what) {
  mended *kept = st_call_alloc(r->call, sizeof *kept);
  if (!kept) return false;
  *kept = what;
  kept->name = st_call_copy(r->call, what.name, strlen(what.name));
  if (what.reason) kept->reason = st_call_copy(r->call, what.reason, strlen(what.reason));
  *r->end = kept;
  r->end = &kept->next;
  return st_ok(r->call);
}

static stele_status kept(st_opened *opened, bool yes) {
  return yes ? STELE_OK : st_conn_fail(opened->conn, STELE_NOMEM, "out of memory");
}

/* ---- What is missing ---- */

static stele_status find(st_opened *opened, repair *r, const char *name, const char *column, bool *there) {
  char both[200];
  stele_status status = opened->driver->probe(opened->conn, name, column, there);
  if (status != STELE_OK || *there) return status;
  snprintf(both, sizeof both, "%s%s%s", name, column ? "." : "", column ? column : "");
  return kept(opened, add(r, (mended){.action = "added", .name = both, .rows = -1}));
}

/* Named before anything is added: of a table that is missing, the table alone. */
static stele_status find_missing(st_opened *opened, repair *r) {
  const st_store *store = opened->store;
  stele_status status = STELE_OK;
  const char *table = "";
  bool exists = false, there;
  for (uint16_t i = 0; i < store->nshape && status == STELE_OK; i++) {
    const st_shape_column *column = &store->shape[i];
    if (strcmp(column->table, table) != 0) status = find(opened, r, table = column->table, NULL, &exists);
    if (status == STELE_OK && exists) status = find(opened, r, table, column->column, &there);
  }
  for (const char *const *name = store->objects[opened->driver->engine]; *name && status == STELE_OK; name++)
    status = find(opened, r, *name, NULL, &there);
  return status;
}

/* ---- First rows ---- */

static stele_status count_rows(st_opened *opened, const char *table, int64_t *rows) {
  char sql[200];
  snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
  return st_conn_number(opened->conn, sql, rows);
}

static stele_status sow(st_opened *opened, repair *r, uint32_t due) {
  st_engine engine = opened->driver->engine;
  stele_status status = STELE_OK;
  for (uint16_t i = 0; i < opened->store->nseeds[engine] && status == STELE_OK; i++) {
    const char *table = opened->store->seeds[engine][i].into;
    int64_t before = 0, after = 0;
    if (!(due >> i & 1)) continue;
    status = count_rows(opened, table, &before);
    if (status == STELE_OK) status = st_complete_rows(opened, UINT32_C(1) << i);
    if (status == STELE_OK) status = count_rows(opened, table, &after);
    if (status == STELE_OK && after > before)
      status = kept(opened, add(r, (mended){.action = "seeded", .name = table, .rows = after - before}));
  }
  return status;
}

/* ---- Rows without a parent ---- */

static bool add_put_aside(void *to, const st_put_aside *what) {
  return add(to, (mended){.action = "quarantined", .name = what->table, .reason = what->reason, .rows = what->rows});
}

static stele_status put_aside(st_opened *opened, repair *r) {
  int64_t last = 0;
  stele_status status = st_quarantine_last(opened, &last);
  if (status == STELE_OK) status = st_quarantine(opened);
  return status == STELE_OK ? st_quarantine_since(opened, last, add_put_aside, r) : status;
}

/* ---- A store ---- */

/* In the order of a migration: what a row refers to may be in a table that is missing. */
static stele_status mend(st_opened *opened, repair *r) {
  const st_store *store = opened->store;
  const stele_db *db = r->call->db;
  stele_status status = STELE_OK;
  uint32_t due = 0;
  if (r->in_earnest && !r->made) status = st_backup_beside(opened, store->version, &(st_watch){db->progress, db->user}, r->backup);
  if (status == STELE_OK) status = st_complete_look(opened, &due);
  if (status == STELE_OK && store->complete) status = find_missing(opened, r);
  if (status == STELE_OK) status = st_complete_tables(opened);
  if (status == STELE_OK && store->quarantine) status = put_aside(opened, r);
  return status == STELE_OK ? sow(opened, r, due) : status;
}

static stele_status mend_at_once(st_opened *opened, void *with) {
  repair *r = with;
  r->first = NULL;
  r->end = &r->first;
  stele_status status = opened->driver->begin(opened->conn, true);
  if (status != STELE_OK) return status;
  status = mend(opened, r);
  if (status == STELE_OK && r->in_earnest) return opened->driver->commit(opened->conn);
  opened->driver->rollback(opened->conn);
  return status;
}

/* First on trial: a store that is well is not written, and not copied either. */
static stele_status repair_file(st_opened *opened, repair *r, bool dry_run) {
  char problem[400] = "";
  stele_status status = opened->driver->open(&opened->target, false, &opened->conn, problem);
  if (status != STELE_OK) st_fail(r->call, status, NULL, "%s: %s", opened->store->name, problem);
  if (status == STELE_OK) status = st_without_keys(opened, mend_at_once, r);
  r->in_earnest = r->first && !dry_run;
  if (status == STELE_OK && r->in_earnest) status = st_without_keys(opened, mend_at_once, r);
  if (status != STELE_OK && opened->conn) st_fail(r->call, status, NULL, "%s: %s", opened->store->name, opened->conn->problem);
  st_features_changed(opened);
  return status;
}

stele_status st_mend_made(st_call *call, st_opened *opened) {
  repair r = {.call = call, .in_earnest = true, .made = true};
  st_look look;
  stele_status status = opened->driver->look(opened->conn, &look);
  if (status != STELE_OK || !opened->store->complete || look.foreign[0] || look.version != opened->store->version) return status;
  return st_without_keys(opened, mend_at_once, &r);
}

static void tell(st_call *call, const st_opened *opened, const repair *r) {
  for (const mended *each = r->first; each; each = each->next) {
    st_value *row = st_reply(call);
    if (!row) return;
    row[ST_R_STELE_REPAIR_STORE] = st_textz(opened->store->name);
    row[ST_R_STELE_REPAIR_ACTION] = st_textz(each->action);
    row[ST_R_STELE_REPAIR_NAME] = st_textz(each->name);
    if (each->rows >= 0) row[ST_R_STELE_REPAIR_ROWS] = st_int(each->rows);
    row[ST_R_STELE_REPAIR_REASON] = st_textz(each->reason);
    if (r->backup[0]) row[ST_R_STELE_REPAIR_BACKUP] = st_textz(st_call_copy(call, r->backup, strlen(r->backup)));
  }
}

/* ---- Which stores ---- */

/* Why a store cannot be repaired as it is, or "". */
static void judge(const st_opened *opened, const st_state *state, char why[500]) {
  const st_store *store = opened->store;
  why[0] = '\0';
  if (!st_state_is_ours(state))
    snprintf(why, 500, "%s cannot be repaired: %s", store->name, state->problem);
  else if (state->look.version > store->accepts)
    snprintf(why, 500, "%s is of version %d, and this Stele knows up to %d: it is left as it is", store->name,
             state->look.version, store->accepts);
  else if (state->look.version < store->version)
    snprintf(why, 500, "%s is of version %d: `stele migrate %s` brings it to %d, and mends it", store->name,
             state->look.version, store->name, store->version);
}

static void repair_store(st_call *call, int index, bool wanted) {
  const st_opened *own = &call->db->stores[index];
  st_opened apart = st_opened_apart(own, false);
  repair r = {.call = call};
  st_state state;
  char why[500];
  if (!own->store->complete || st_opened_in_memory(own)) return;
  st_state_look(&apart, &state);
  if (strcmp(state.name, "absent") == 0 || strcmp(state.name, "fresh") == 0) return;
  judge(own, &state, why);
  if (why[0] && !wanted) {
    st_note(call, "%s", why);
  } else if (why[0]) {
    st_fail(call, state.status == STELE_OK ? STELE_FORMAT : state.status, "store", "%s", why);
  } else if (call->db->tx == own) {
    st_fail(call, STELE_MISUSE, NULL, "cannot run inside a transaction");
  } else {
    if (repair_file(&apart, &r, st_arg_int(call, ST_P_STELE_REPAIR_DRY_RUN) != 0) == STELE_OK) tell(call, &apart, &r);
    st_opened_close(&apart);
  }
}

void st_stele_repair(st_call *call) {
  int wanted = st_wanted_store(call, ST_P_STELE_REPAIR_STORE);
  for (int i = 0; i < st_registry.nstores && st_ok(call); i++)
    if (wanted < 0 || wanted == i) repair_store(call, i, wanted == i);
}
