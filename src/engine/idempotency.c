/* idempotency.c - see idempotency.h. */
#include "engine/idempotency.h"

#include <string.h>

#include "base/json.h"
#include "base/time.h"
#include "engine/reply.h"

#define REPLY_MAX (1u << 20)

static const char *const FIND[ST_ENGINES] = {
    "SELECT reply FROM stele_idempotency WHERE method = ?1 AND key = ?2",
    "SELECT reply FROM stele_idempotency WHERE method = $1::text AND key = $2::text"};

static const char *const KEEP[ST_ENGINES] = {
    "INSERT INTO stele_idempotency (method, key, reply, at) VALUES (?1, ?2, ?3, ?4)",
    "INSERT INTO stele_idempotency (method, key, reply, at) VALUES ($1::text, $2::text, $3::text, $4::double precision)"};

static const char *const FORGET[ST_ENGINES] = {
    "DELETE FROM stele_idempotency WHERE instr(key, ?1) > 0 OR instr(reply, ?1) > 0",
    "DELETE FROM stele_idempotency WHERE strpos(key, $1::text) > 0 OR strpos(reply, $1::text) > 0"};

const st_value *st_idempotency_key(const st_call *call) {
  int param = call->method->idempotent;
  return param >= 0 && call->args[param].type == ST_TEXT ? &call->args[param] : NULL;
}

/* Run one statement; text, when not NULL, gets its first column, in the call's memory. */
static void run(st_call *call, const char *sql, const st_value *const *params, size_t count, const char **text, size_t *length) {
  const st_driver *driver = call->store->driver;
  st_prepared *prepared = NULL;
  st_value value = {.type = ST_NULL};
  stele_status status = driver->prepare(call->store->conn, sql, &prepared);
  if (status == STELE_OK) status = driver->start(prepared, params, count);
  if (status == STELE_OK) status = driver->step(prepared);
  if (status == STELE_ROW && text) {
    driver->column(prepared, 0, &value);
    *text = st_call_copy(call, value.bytes, value.length);
    *length = value.length;
  }
  if (status != STELE_ROW && status != STELE_DONE) st_fail_conn(call, status);
  if (prepared) driver->finalize(prepared);
}

/* A reply is a row of scalars: back from its JSON. */
static void refill(st_call *call, const char *text, size_t length) {
  st_json_error error;
  const st_json *json = st_json_parse(call->arena, text, length, 0, &error);
  if (!json) st_fail(call, STELE_NOMEM, NULL, "out of memory"); /* it was JSON when it was kept */
  st_value *row = json && json->type == ST_JSON_OBJECT ? st_reply(call) : NULL;
  for (size_t i = 0; row && i < call->method->public.nresults; i++) {
    const st_json *member = st_json_get(json, call->method->public.results[i].name);
    if (!member) continue;
    if (member->type == ST_JSON_INT) row[i] = st_int(member->integer);
    if (member->type == ST_JSON_REAL) row[i] = st_real(member->real);
    if (member->type == ST_JSON_BOOL) row[i] = st_bool(member->boolean);
    if (member->type == ST_JSON_STRING) row[i] = st_textz(member->text);
  }
}

bool st_idempotency_repeats(st_call *call) {
  const st_value *key = st_idempotency_key(call);
  const char *reply = NULL;
  size_t length = 0;
  if (!key) return false;
  st_value method = st_textz(call->method->public.name);
  stele_status status = call->store->driver->script(call->store->conn, ST_IDEMPOTENCY_TABLE);
  if (status != STELE_OK) st_fail_conn(call, status);
  if (st_ok(call))
    run(call, FIND[call->store->driver->engine], (const st_value *const[]){&method, key}, 2, &reply, &length);
  if (!st_ok(call)) return true;
  if (!reply) return false;
  refill(call, reply, length);
  return true;
}

void st_idempotency_keep(st_call *call) {
  const st_value *key = st_idempotency_key(call);
  st_str out;
  if (!key || !st_ok(call)) return;
  st_str_init(&out, REPLY_MAX);
  st_reply_row(&out, call->method, call->first ? call->first->values : NULL, call->arena);
  st_value method = st_textz(call->method->public.name), at = st_real((double)st_time_now() / 1e6);
  if (out.failed) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  } else {
    st_value reply = {.type = ST_TEXT, .bytes = out.text, .length = out.length};
    run(call, KEEP[call->store->driver->engine], (const st_value *const[]){&method, key, &reply, &at}, 4, NULL, NULL);
  }
  st_str_free(&out);
}

void st_idempotency_forget(st_call *call, const st_value *text) {
  bool there = false;
  if (!st_ok(call)) return;
  stele_status status = call->store->driver->probe(call->store->conn, "stele_idempotency", NULL, &there);
  if (status != STELE_OK) st_fail_conn(call, status);
  if (st_ok(call) && there) run(call, FORGET[call->store->driver->engine], (const st_value *const[]){text}, 1, NULL, NULL);
}
