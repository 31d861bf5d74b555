/* call.c - what native methods work with.  See call.h. */
#include "engine/call.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/dispatch.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "engine/retry.h"

bool st_ok(const st_call *call) { return call->error->status == STELE_OK; }

void st_fail(st_call *call, stele_status status, const char *field, const char *format, ...) {
  st_error *error = call->error;
  va_list args;
  if (error->status != STELE_OK) return;
  error->status = status;
  snprintf(error->method, sizeof error->method, "%s", call->method->public.name);
  snprintf(error->field, sizeof error->field, "%s", field ? field : "");
  int used = snprintf(error->message, sizeof error->message, "%s: ", call->method->public.name);
  va_start(args, format);
  vsnprintf(error->message + used, sizeof error->message - (size_t)used, format, args);
  va_end(args);
}

void st_hint(st_call *call, const char *format, ...) {
  va_list args;
  if (st_ok(call)) return;
  va_start(args, format);
  vsnprintf(call->error->hint, sizeof call->error->hint, format, args);
  va_end(args);
}

void st_fail_conn(st_call *call, stele_status status) {
  if (st_ok(call) && st_retry_fits(status)) call->again = true;
  st_fail(call, status, NULL, "%s", call->store->conn->problem);
  if (status == STELE_CORRUPT)
    st_hint(call, "`stele check` tells what is damaged; `stele restore` brings a backup back, and `stele repair --salvage` gets the rows out of the file");
  if (status == STELE_HELD) st_hint(call, "stele.list_holds tells by which hold, and why; stele.release_hold lifts it");
}

void st_note(st_call *call, const char *format, ...) {
  char line[400];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (call->db->notes.length && strstr(call->db->notes.text, line)) return; /* said before */
  st_str_addf(&call->db->notes, "%s%s", call->db->notes.length ? "\n" : "", line);
}

int st_shared(const st_call *call, int method) { return call->store->store->shared_methods[method]; }
int st_shared_feature(const st_call *call, int feature) { return call->store->store->shared_features[feature]; }

double st_seconds(const st_call *call, const st_value *time) {
  st_micros micros;
  if (time->type == ST_REAL) return time->real;
  if (time->type == ST_INT) return call->store->store->time_form == ST_TIME_MILLIS ? (double)time->integer / 1000 : (double)time->integer;
  if (time->type == ST_TEXT && st_time_parse(time->bytes, time->length, &micros)) return (double)micros / 1000000;
  return 0;
}

bool st_has(const st_call *call, int param) { return call->args[param].type > ST_NULL; }

int64_t st_arg_int(const st_call *call, int param) {
  return call->args[param].type == ST_INT ? call->args[param].integer : 0;
}

double st_arg_real(const st_call *call, int param) {
  const st_value *value = &call->args[param];
  return value->type == ST_REAL ? value->real : value->type == ST_INT ? (double)value->integer : 0;
}

const char *st_arg_text(const st_call *call, int param) {
  return call->args[param].type == ST_TEXT ? call->args[param].bytes : NULL;
}

void *st_call_alloc(st_call *call, size_t size) {
  void *memory = st_ok(call) ? st_arena_zero(call->arena, size) : NULL;
  if (!memory) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return memory;
}

char *st_call_copy(st_call *call, const char *text, size_t length) {
  char *copy = st_ok(call) ? st_arena_copy(call->arena, text, length) : NULL;
  if (!copy) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return copy;
}

st_value st_call_text(st_call *call, const char *text, size_t length) {
  const char *copy = st_call_copy(call, text, length);
  return copy ? (st_value){.type = ST_TEXT, .bytes = copy, .length = length} : (st_value){.type = ST_NULL};
}

st_value st_take(st_call *call, st_str *out) {
  if (out->failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_value taken = st_call_text(call, out->text, out->length);
  st_str_free(out);
  return taken;
}

static st_variant *start(st_call *call, const st_method *method, uint16_t statement, const st_value *args, bool stream) {
  const st_value *params[64];
  if (!st_ok(call)) return NULL;
  const st_driver *driver = call->store->driver;
  assert(statement < method->nstatements[driver->engine]);
  st_variant *variant = st_variant_get(call->store, method, statement, args);
  if (!variant) {
    st_fail_conn(call, call->store->conn->status);
    return NULL;
  }
  for (uint16_t i = 0; i < variant->nparams; i++) params[i] = &args[variant->params[i]];
  stele_status status = (stream ? driver->start_stream : driver->start)(variant->prepared, params, variant->nparams);
  if (status == STELE_OK) return variant;
  st_fail_conn(call, status);
  st_variant_done(call->store, variant);
  return NULL;
}

st_variant *st_start(st_call *call, const st_method *method, uint16_t statement, const st_value *args) {
  return start(call, method, statement, args, false);
}

st_variant *st_start_stream(st_call *call, const st_method *method, const st_value *args) {
  return start(call, method, 0, args, true);
}

/* One statement to its end.  *status tells a failure, which is not the call's yet. */
static int64_t run_one(st_call *call, const st_method *method, uint16_t number, const st_value *args,
                       stele_status *status) {
  const st_driver *driver = call->store->driver;
  st_variant *variant = st_start(call, method, number, args);
  int64_t changed = 0;
  *status = STELE_OK;
  if (!variant) return 0;
  while ((*status = driver->step(variant->prepared)) == STELE_ROW) continue;
  if (*status == STELE_DONE) {
    changed = driver->changes(variant->prepared);
    *status = STELE_OK;
  }
  st_variant_done(call->store, variant);
  return changed;
}

int64_t st_run(st_call *call, int id, const st_value *args) {
  const st_method *method = &st_registry.methods[id];
  int64_t changed = 0;
  assert(!st_ok(call) || method->nstatements[call->store->driver->engine] > 0);
  for (uint16_t i = 0; i < method->nstatements[call->store->driver->engine] && st_ok(call); i++) {
    stele_status status;
    changed += run_one(call, method, i, args, &status);
    if (status != STELE_OK) st_fail_conn(call, status);
  }
  return changed;
}

int64_t st_run_child(st_call *call, int id, const st_value *args) {
  stele_status status;
  int64_t changed = run_one(call, &st_registry.methods[id], 0, args, &status);
  if (status != STELE_OK && !call->store->conn->orphan) st_fail_conn(call, status);
  return changed;
}

/* To a driver that does not wait for the outcome. */
static void post(st_call *call, const st_method *method, const st_value *args) {
  const st_value *params[64];
  st_variant *variant = st_variant_get(call->store, method, 0, args);
  if (!variant) {
    st_fail_conn(call, call->store->conn->status);
    return;
  }
  for (uint16_t i = 0; i < variant->nparams; i++) params[i] = &args[variant->params[i]];
  stele_status status = call->store->driver->post(variant->prepared, params, variant->nparams);
  if (status != STELE_OK) st_fail_conn(call, status);
  st_variant_done(call->store, variant);
}

void st_post(st_call *call, int id, const st_value *args) {
  if (!st_ok(call)) return;
  if (call->store->driver->post) post(call, &st_registry.methods[id], args);
  else call->posted += st_run(call, id, args);
}

void st_post_child(st_call *call, int id, const st_value *args) {
  if (!st_ok(call)) return;
  if (call->store->driver->post) post(call, &st_registry.methods[id], args);
  else call->posted += st_run_child(call, id, args);
}

int64_t st_posted(st_call *call) {
  int64_t changes = call->posted;
  call->posted = 0;
  if (!st_ok(call) || !call->store->driver->posted) return changes;
  stele_status status = call->store->driver->posted(call->store->conn, &changes);
  if (status != STELE_OK) st_fail_conn(call, status);
  return changes;
}

void st_rows_start(st_call *call, st_rows *rows, int id, const st_value *args) {
  rows->method = &st_registry.methods[id];
  rows->variant = st_start(call, rows->method, 0, args);
}

void st_rows_stream(st_call *call, st_rows *rows, int id, const st_value *args) {
  rows->method = &st_registry.methods[id];
  rows->variant = st_start_stream(call, rows->method, args);
}

bool st_rows_next(st_call *call, st_rows *rows) {
  if (!rows->variant || !st_ok(call)) return false;
  stele_status status = call->store->driver->step(rows->variant->prepared);
  if (status == STELE_ROW) return true;
  if (status != STELE_DONE) st_fail_conn(call, status);
  return false;
}

void st_rows_value(st_call *call, st_rows *rows, size_t column, st_value *out) {
  call->store->driver->column(rows->variant->prepared, column, out);
  st_coerce(&rows->method->public.results[column], out);
}

void st_rows_end(st_call *call, st_rows *rows) {
  if (rows->variant) st_variant_done(call->store, rows->variant);
  rows->variant = NULL;
}

void st_rows_keep(st_call *call, st_rows *rows, st_value *out) {
  for (size_t i = 0; i < rows->method->public.nresults; i++) {
    st_rows_value(call, rows, i, &out[i]);
    if (out[i].type == ST_TEXT || out[i].type == ST_BLOB) out[i].bytes = st_call_copy(call, out[i].bytes, out[i].length);
  }
}

bool st_one(st_call *call, int method, const st_value *args, st_value *out) {
  st_rows rows;
  st_rows_start(call, &rows, method, args);
  bool there = st_rows_next(call, &rows);
  if (there) st_rows_keep(call, &rows, out);
  st_rows_end(call, &rows);
  return there && st_ok(call);
}

st_value st_int(int64_t integer) { return (st_value){.type = ST_INT, .integer = integer}; }
st_value st_real(double real) { return (st_value){.type = ST_REAL, .real = real}; }
st_value st_bool(bool truth) { return (st_value){.type = ST_INT, .integer = truth}; }

st_value st_textz(const char *text) {
  st_value value = {.type = ST_NULL};
  if (!text) return value;
  value.type = ST_TEXT;
  value.bytes = text;
  value.length = strlen(text);
  return value;
}

st_value *st_reply(st_call *call) {
  size_t count = call->method->public.nresults;
  st_row *row = st_call_alloc(call, sizeof *row + count * sizeof row->values[0]);
  if (!row) return NULL;
  for (size_t i = 0; i < count; i++) row->values[i].type = ST_NULL;
  if (call->last)
    call->last->next = row;
  else
    call->first = row;
  call->last = row;
  return row->values;
}

st_value *st_reply_read(st_call *call, st_rows *rows, size_t left_out) {
  st_value *reply = st_reply(call);
  for (size_t i = 0; reply && i < rows->method->public.nresults; i++) {
    if (i == left_out) continue;
    st_rows_value(call, rows, i, &reply[i]);
    if (reply[i].type == ST_TEXT || reply[i].type == ST_BLOB)
      reply[i].bytes = st_call_copy(call, reply[i].bytes, reply[i].length);
  }
  return reply;
}

bool st_reply_one(st_call *call, int method, const st_value *args) {
  st_rows rows;
  st_rows_start(call, &rows, method, args);
  bool there = st_rows_next(call, &rows);
  if (there) st_reply_read(call, &rows, ST_ALL_COLUMNS);
  st_rows_end(call, &rows);
  return there && st_ok(call);
}

void st_call_begin(st_call *call, bool write) {
  if (st_ok(call) && write) st_settle_streams(call->db, call->store);
  if (!st_ok(call)) return;
  stele_status status = call->store->driver->begin(call->store->conn, write);
  if (status != STELE_OK) st_fail_conn(call, status);
}

static void finish(st_call *call, bool keep) {
  const st_driver *driver = call->store->driver;
  stele_status status = STELE_OK;
  if (st_ok(call) && keep)
    status = driver->commit(call->store->conn);
  else
    driver->rollback(call->store->conn);
  if (status != STELE_OK) st_fail_conn(call, status);
  if (!st_ok(call) || !keep) call->store->features_ms = 0; /* one that was made inside is gone again */
  st_features_changed(call->store);
}

void st_call_end(st_call *call) { finish(call, true); }

bool st_call_transaction(st_call *call, bool write, bool (*work)(st_call *call, void *user), void *user) {
  st_retry retry = st_retry_begin(call->db);
  bool kept = false;
  if (!st_ok(call)) return false;
  do {
    st_call_begin(call, write);
    if (!st_ok(call)) continue;
    kept = work(call, user);
    finish(call, kept);
  } while (st_retry_call(&retry, call));
  call->again = false; /* the whole call is not made again */
  return kept && st_ok(call);
}
