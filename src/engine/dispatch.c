/* dispatch.c - runs a call.  The only place that begins and ends a call's transaction. */
#include "engine/dispatch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/args.h"
#include "engine/feature.h"
#include "engine/holds.h"
#include "engine/idempotency.h"
#include "engine/queue.h"
#include "engine/raw.h"
#include "engine/replica.h"
#include "engine/reply.h"
#include "engine/retry.h"

static const char *const SAVE = "SAVEPOINT stele_call";
static const char *const KEEP = "RELEASE SAVEPOINT stele_call";
static const char *const UNDO = "ROLLBACK TO SAVEPOINT stele_call; RELEASE SAVEPOINT stele_call";

void st_coerce(const stele_field *field, st_value *value) {
  if (field->type == STELE_TYPE_REAL && value->type == ST_INT) {
    value->type = ST_REAL;
    value->real = (double)value->integer;
  } else if (field->type == STELE_TYPE_INT && value->type == ST_REAL && floor(value->real) == value->real &&
             fabs(value->real) < 9007199254740992.0) {
    value->type = ST_INT;
    value->integer = (int64_t)value->real;
  } else if (field->type == STELE_TYPE_BOOL && value->type == ST_INT) {
    value->integer = value->integer != 0;
  }
}

/* Text and bytes of a row live until the next step only: the call keeps its own. */
static void keep(st_call *call, st_value *value) {
  if (value->type == ST_TEXT || value->type == ST_BLOB) value->bytes = st_call_copy(call, value->bytes, value->length);
}

static void add_row(st_call *call, st_prepared *prepared) {
  const st_method *method = call->method;
  st_value *values = st_reply(call);
  size_t column = 0;
  for (size_t i = 0; values && i < method->public.nresults; i++) {
    if (method->changed && method->changed[i]) continue; /* not a column: filled in at the end */
    call->store->driver->column(prepared, column++, &values[i]);
    st_coerce(&method->public.results[i], &values[i]);
    keep(call, &values[i]);
  }
}

/* What a statement that found nothing means, for people. */
static void fail_else(st_call *call, const st_statement *statement) {
  const char *name = statement->else_param < 0 ? NULL : call->method->public.params[statement->else_param].name;
  const st_value *value = statement->else_param < 0 ? NULL : &call->args[statement->else_param];
  const char *what = statement->else_status == STELE_NOTFOUND  ? "does not exist"
                     : statement->else_status == STELE_INVALID ? "exists already"
                                                               : "is not in a state that allows this";
  if (value && value->type == ST_INT)
    st_fail(call, statement->else_status, name, "%s %lld %s", name, (long long)value->integer, what);
  else if (value && value->type == ST_TEXT)
    st_fail(call, statement->else_status, name, "%s %.100s %s", name, value->bytes, what);
  else
    st_fail(call, statement->else_status, name, "there is none");
}

static void run_statement(st_call *call, uint16_t number, bool last) {
  const st_driver *driver = call->store->driver;
  const st_statement *statement = &call->method->statements[driver->engine][number];
  st_variant *variant = st_start(call, call->method, number, call->args);
  stele_status status = STELE_DONE;
  int64_t rows = 0;
  if (!variant) return;
  while (st_ok(call) && (status = driver->step(variant->prepared)) == STELE_ROW) {
    rows++;
    if (last) add_row(call, variant->prepared);
  }
  if (status != STELE_ROW && status != STELE_DONE) st_fail_conn(call, status);
  if (st_ok(call)) call->changed[number] = driver->changes(variant->prepared);
  st_variant_done(call->store, variant);
  if (st_ok(call) && statement->else_status != STELE_OK && rows + call->changed[number] == 0) fail_else(call, statement);
}

/* Put the counts of changed rows where the declaration wants them. */
static void fill_changed(st_call *call) {
  const st_method *method = call->method;
  if (!method->changed || (!call->first && method->shape != ST_SHAPE_NONE)) return; /* no row, no counts */
  st_value *values = call->first ? call->first->values : st_reply(call);
  for (size_t i = 0; values && i < method->public.nresults; i++) {
    int64_t sum = 0;
    if (!method->changed[i]) continue;
    for (int s = 0; s < method->nstatements[call->store->driver->engine]; s++)
      if (method->changed[i] < 0 || method->changed[i] == s + 1) sum += call->changed[s];
    values[i] = st_int(sum);
  }
}

void st_run_method(st_call *call) {
  if (call->method->native) {
    call->method->native(call);
    return;
  }
  uint16_t count = call->method->nstatements[call->store->driver->engine];
  for (uint16_t i = 0; i < count && st_ok(call); i++) run_statement(call, i, i + 1 == count);
  if (st_ok(call)) fill_changed(call);
}

/* The reply is made before the commit: what cannot be answered must not be done. */
static void run_body(st_call *call) {
  if (!call->store || !st_idempotency_repeats(call)) {
    st_run_method(call);
    if (call->store) st_idempotency_keep(call);
  }
  if (st_ok(call) && call->text) st_reply_all(call);
}

/* Inside stele_begin(): the call undoes itself if it fails, and only itself. */
static void run_inside(st_call *call) {
  const st_driver *driver = call->store->driver;
  if (!driver->active(call->store->conn)) { /* a savepoint would now be a transaction of its own */
    st_fail(call, STELE_CONFLICT, NULL, "the transaction was ended by an earlier failure: roll it back");
    return;
  }
  stele_status status = driver->script(call->store->conn, SAVE);
  if (status != STELE_OK) {
    st_fail_conn(call, status);
    return;
  }
  run_body(call);
  if (st_ok(call) && (status = driver->script(call->store->conn, KEEP)) != STELE_OK) st_fail_conn(call, status);
  if (st_ok(call)) return;
  driver->script(call->store->conn, UNDO);
  call->store->features_ms = 0;
}

/* Memory is as short for what comes after; a conflict concerns all that was read. */
static bool is_final(const st_call *part) {
  return part->again || part->error->status == STELE_NOMEM || !part->store->driver->active(part->store->conn);
}

bool st_attempt(st_call *call, int id, const st_value *args, st_value *out, st_error *why) {
  const st_method *method = &st_registry.methods[id];
  size_t size = method->public.nparams * sizeof *args;
  st_call part = *call;
  *why = (st_error){.status = STELE_OK};
  part.method = method;
  part.error = why;
  part.first = part.last = NULL;
  part.text = NULL;
  part.args = st_call_alloc(call, size + 1);
  if (!part.args) return false;
  memcpy(part.args, args, size);
  memset(part.changed, 0, sizeof part.changed);
  st_time_form form = call->store->store->time_form;
  if (st_args_complete(&(st_args){method, form, call->arena, why, part.args})) run_inside(&part);
  if (why->status != STELE_OK && is_final(&part)) {
    *call->error = *why;
    call->again = part.again;
  }
  if (why->status != STELE_OK || !part.first) return false;
  memcpy(out, part.first->values, method->public.nresults * sizeof *out);
  return true;
}

static void run_alone(st_call *call) {
  st_call_begin(call, call->method->access != ST_ACCESS_READ);
  if (!st_ok(call)) return;
  run_body(call);
  st_call_end(call);
  if (call->error->status == STELE_INDOUBT && st_idempotency_key(call)) call->again = true; /* if it was done, that is found */
}

static void run_once(st_call *call) {
  call->first = call->last = NULL;
  call->again = false;
  call->posted = 0;
  memset(call->changed, 0, sizeof call->changed);
  if (!call->store || call->method->outside) {
    if (call->store && call->db->tx == call->store)
      st_fail(call, STELE_MISUSE, NULL, "cannot run inside a transaction");
    else
      run_body(call);
  } else if (call->db->tx == call->store) {
    run_inside(call);
  } else {
    run_alone(call);
  }
}

/* One statement that only reads needs no transaction and no buffer. */
static bool can_stream(const st_call *call) {
  const st_method *method = call->method;
  return call->store && !method->native && method->access == ST_ACCESS_READ && method->shape == ST_SHAPE_MANY &&
         call->db->tx != call->store && method->nstatements[call->store->driver->engine] == 1;
}

static void stream(stele_stmt *stmt) {
  st_call *call = &stmt->call;
  stmt->values = st_call_alloc(call, (call->method->public.nresults + 1) * sizeof *stmt->values);
  if (stmt->values) stmt->stream = st_start_stream(call, call->method, call->args);
  if (stmt->stream) stmt->state = ST_STMT_STREAM;
}

/* From now on its rows come from memory, the current one included. */
static void settle(stele_stmt *stmt) {
  st_call *call = &stmt->call;
  stele_status status = STELE_ROW;
  call->first = call->last = NULL;
  while (st_ok(call) && status == STELE_ROW) {
    add_row(call, stmt->stream->prepared);
    status = call->store->driver->step(stmt->stream->prepared);
  }
  if (status != STELE_ROW && status != STELE_DONE) st_fail_conn(call, status);
  if (!st_ok(call)) call->first = NULL; /* the last one may be incomplete */
  st_variant_done(call->store, stmt->stream);
  stmt->stream = NULL;
  stmt->state = ST_STMT_ROWS;
  stmt->row = call->first;
  stmt->values = call->first ? call->first->values : NULL;
  stmt->cut = call->error->status;
}

void st_settle_streams(stele_db *db, const st_opened *store) {
  if (store->driver->engine != ST_SQLITE) return; /* PostgreSQL's driver sees to that itself */
  for (stele_stmt *stmt = db->stmts; stmt; stmt = stmt->next)
    if (stmt->stream && stmt->call.store == store) settle(stmt);
}

void st_drop_stuck(stele_db *db, st_opened *store) {
  if (!store->conn || !store->conn->stuck || strcmp(store->location, ":memory:") == 0) return;
  for (stele_stmt *stmt = db->stmts; stmt; stmt = stmt->next) {
    if (!stmt->stream || stmt->call.store != store) continue;
    stmt->stream = NULL; /* it is finalized with the connection */
    stmt->values = NULL;
    stmt->state = ST_STMT_ROWS;
    stmt->row = stmt->call.first = NULL;
    stmt->cut = STELE_NOMEM;
  }
  st_raw_lost(db, store);
  st_opened_close(store);
}

/* Once, from its start. */
static void attempt(stele_stmt *stmt) {
  st_call *call = &stmt->call;
  if (call->store) st_features_ensure(call);
  if (!st_ok(call)) return;
  if (can_stream(call)) {
    stream(stmt);
    return;
  }
  run_once(call);
  if (st_ok(call)) stmt->state = ST_STMT_ROWS;
}

/* False: it is to be asked of the primary. */
static bool read_from_replica(stele_stmt *stmt) {
  st_call *call = &stmt->call;
  call->store = st_replica_for(call);
  if (!call->store) return false;
  attempt(stmt);
  if (st_ok(call) || !st_replica_refused(call)) return true;
  st_str_clear(&stmt->db->notes);
  return false;
}

/* Did the call miss what another process has taken away since features were last looked at?  The file is whole, then. */
static bool missed_a_feature(st_call *call) {
  st_opened *store = call->store;
  if (call->error->status != STELE_CORRUPT || !store || !store->conn || store->driver->active(store->conn)) return false;
  uint32_t before = store->features;
  return st_features_look(store) == STELE_OK && store->features != before;
}

/* One of its tries may have been done, whatever became of the last. */
static void tell_doubt(st_call *call) {
  const char *key = call->method->public.idempotent;
  call->error->status = STELE_INDOUBT;
  if (st_idempotency_key(call)) st_hint(call, "call again with the same %s: it is done once", key);
  else if (key) st_hint(call, "look whether it was done before you call again; with %s that would be safe", key);
  else st_hint(call, "look whether it was done before you call again");
}

static void dispatch(stele_stmt *stmt) {
  st_call *call = &stmt->call;
  stele_db *db = stmt->db;
  if (db->queue && call->method->batch_method >= 0 && !db->tx) {
    st_queue_add(db->queue, call);
    if (st_ok(call) && call->text) st_reply_all(call);
    stmt->state = ST_STMT_ROWS;
    return;
  }
  call->again = false;
  if (read_from_replica(stmt)) return;
  if (call->method->store >= 0 && !st_handle_store(db, call->method->store, call->error, &call->store)) {
    snprintf(call->error->method, sizeof call->error->method, "%s", call->method->public.name);
    return;
  }
  st_retry retry = st_retry_begin(db);
  bool doubt = false;
  for (;;) {
    attempt(stmt);
    if (missed_a_feature(call)) call->again = true;
    doubt = doubt || call->error->status == STELE_INDOUBT;
    if (call->store && db->tx == call->store) call->again = false; /* the caller must run the whole transaction again */
    if (!st_retry_call(&retry, call)) break;
    st_str_clear(&db->notes);
  }
  if (doubt && !st_ok(call)) tell_doubt(call);
  /* Whoever was given no hint, like a confined statement, is not to see why either. */
  if (call->error->status == STELE_HELD && call->store && call->error->hint[0]) st_holds_name(call);
}

/* The library's own methods go round the stores: any of them may have been left so. */
static void drop_all_stuck(stele_db *db) {
  for (uint16_t i = 0; i < st_registry.nstores; i++) st_drop_stuck(db, &db->stores[i]);
}

void st_dispatch(stele_stmt *stmt) {
  dispatch(stmt);
  if (stmt->call.store) st_drop_stuck(stmt->db, stmt->call.store);
  else drop_all_stuck(stmt->db);
}
