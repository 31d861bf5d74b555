/* capturing.c - see capturing.h. */
#include "capture/capturing.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/time.h"
#include "capture/write_capture.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "registry_ids.h"

#define TRIES 20 /* of a batch, after conflicts */
#define ARENA_MAX ((size_t)512 << 20)

/* ---- Failing -------------------------------------------------------------------------------- */

static void forget_failure(st_capturing *c) {
  memset(&c->error, 0, sizeof c->error);
  c->call.again = false;
  c->call.first = c->call.last = NULL;
  st_arena_reset(&c->arena);
}

/* Without memory nothing goes on; otherwise only this store is left alone, until the next pass. */
static void give_up(st_capturing *c) {
  c->on = false;
  if (c->error.status == STELE_NOMEM) st_fail(c->importing, STELE_NOMEM, NULL, "out of memory");
  else st_note(c->importing, "nothing more goes into the capture store: %s; the next import makes up for it", c->error.message);
  forget_failure(c);
}

/* ---- Opening -------------------------------------------------------------------------------- */

void st_capturing_begin(st_capturing *c, st_call *importing, bool into_foreign) {
  const st_method *method = &st_registry.methods[STELE_M_CAPTURE_MARK_CAPTURED];
  *c = (st_capturing){.importing = importing, .into_foreign = into_foreign, .wanted = true, .on = true};
  st_arena_init(&c->arena, ARENA_MAX);
  c->call = (st_call){.db = importing->db, .method = method, .arena = &c->arena, .error = &c->error};
  if (gethostname(c->hostname, sizeof c->hostname) != 0) c->hostname[0] = '\0';
  c->hostname[sizeof c->hostname - 1] = '\0';
}

void st_capturing_open(st_capturing *c) {
  if (!c->on || c->open || !st_ok(c->importing)) return;
  if (st_handle_store(c->call.db, c->call.method->store, &c->error, &c->call.store)) {
    c->wanted = c->on = c->open = c->call.store->target.in_home || c->into_foreign;
    if (c->on) st_feature_need(&c->call, ST_F_CAPTURE_CAPTURED);
  }
  if (st_ok(&c->call)) return;
  c->open = false;
  give_up(c);
}

void st_capturing_pass(st_capturing *c) { c->on = c->wanted; }

void st_capturing_free(st_capturing *c) { st_arena_free(&c->arena); }

/* ---- How far ------------------------------------------------------------------------------- */

enum { KNOWN = ST_R_CAPTURE_FIND_CAPTURED_STATE + 1 };

static bool is_as_far(const st_value *known, const st_job *job, int64_t size, int64_t modified) {
  return known[ST_R_CAPTURE_FIND_CAPTURED_DEVICE].integer == job->device &&
         known[ST_R_CAPTURE_FIND_CAPTURED_INODE].integer == job->inode &&
         known[ST_R_CAPTURE_FIND_CAPTURED_SIZE].integer == size &&
         known[ST_R_CAPTURE_FIND_CAPTURED_MODIFIED].integer == modified &&
         known[ST_R_CAPTURE_FIND_CAPTURED_CONSUMED].integer == job->consumed &&
         (uint64_t)known[ST_R_CAPTURE_FIND_CAPTURED_CHECKED].integer == job->checked;
}

void st_capturing_look(st_capturing *c, st_job *job, int64_t size, int64_t modified) {
  st_rows rows;
  st_value known[KNOWN];
  job->captured = false;
  if (!c->on) return;
  st_rows_start(&c->call, &rows, STELE_M_CAPTURE_FIND_CAPTURED, (const st_value[]){st_textz(job->path)});
  bool found = st_rows_next(&c->call, &rows);
  for (size_t i = 0; found && i < KNOWN; i++) st_rows_value(&c->call, &rows, i, &known[i]);
  if (found && st_ok(&c->call) && is_as_far(known, job, size, modified)) {
    const st_value *state = &known[ST_R_CAPTURE_FIND_CAPTURED_STATE];
    job->captured = true;
    if (state->type == ST_TEXT) job->segments = st_strndup(state->bytes, state->length);
    if (state->type == ST_TEXT && !job->segments) st_fail(&c->call, STELE_NOMEM, NULL, "out of memory");
  }
  st_rows_end(&c->call, &rows);
  if (!st_ok(&c->call)) give_up(c);
  st_arena_reset(&c->arena);
}

void st_capturing_move(st_capturing *c, const char *was, const char *path) {
  if (!c->on) return;
  st_call_begin(&c->call, true);
  st_run(&c->call, STELE_M_CAPTURE_MOVE_CAPTURED, (const st_value[]){st_textz(path), st_textz(was)});
  st_call_end(&c->call);
  if (!st_ok(&c->call)) give_up(c);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static bool has_work(const st_batch *batch) {
  for (const st_item *item = batch->first; item; item = item->next)
    if (st_is_captured(item)) return true;
  return false;
}

static void write_once(st_capturing *c, const st_batch *batch) {
  st_value now = st_int((int64_t)(st_time_now() / 1000));
  st_call_begin(&c->call, true);
  if (!st_ok(&c->call)) return;
  for (const st_item *item = batch->first; item && st_ok(&c->call); item = item->next)
    if (st_is_captured(item)) st_write_captured(&c->call, item, c->hostname, now);
  st_call_end(&c->call);
}

/* What failed is told of the harnesses that it was for. */
static void tell_failure(st_capturing *c, const st_batch *batch, const char *why) {
  const st_reader *told = NULL;
  st_value now = st_int((int64_t)(st_time_now() / 1000));
  for (const st_item *item = batch->first; item; item = item->next) {
    if (!st_is_captured(item) || item->job->reader == told) continue;
    told = item->job->reader;
    st_call_begin(&c->call, true);
    st_write_source_error(&c->call, told, why, now);
    st_call_end(&c->call);
    forget_failure(c);
  }
}

void st_capturing_write(st_capturing *c, const st_batch *batch) {
  if (!c->on || !st_ok(c->importing) || !has_work(batch)) return;
  for (unsigned tries = 0;; tries++) {
    write_once(c, batch);
    if (st_ok(&c->call) || !c->call.again || tries == TRIES) break;
    forget_failure(c);
    usleep(1000u << (tries < 7 ? tries : 7));
  }
  if (!st_ok(&c->call)) {
    char why[sizeof c->error.message];
    snprintf(why, sizeof why, "%s", c->error.message);
    give_up(c);
    tell_failure(c, batch, why);
  }
  forget_failure(c);
}
