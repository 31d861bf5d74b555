/* upkeep.c - pruning in short transactions, and giving space back. */
#include "base/number.h"
#include "base/time.h"
#include "engine/compact.h"
#include "engine/handle.h"
#include "engine/sweep.h"
#include "registry_ids.h"
#include "stores/conversation/conversation.h"

#define DAY 86400.0
#define HOUR 3600.0

/* ---- Pruning -------------------------------------------------------------------------------- */

/* The only rule of this store: sessions that have ended. */
static const st_rule *rule_of(const st_call *call) { return &call->store->store->rules[0]; }

static void prune(st_call *call, double now, double days, st_value source, st_swept *out) {
  st_sweep(call, rule_of(call), st_real(now - days * DAY), source, 0, out);
}

void st_conversation_prune_sessions(st_call *call) {
  double days = st_arg_real(call, ST_P_CONVERSATION_PRUNE_SESSIONS_OLDER_THAN_DAYS);
  double now = st_arg_real(call, ST_P_CONVERSATION_PRUNE_SESSIONS_NOW);
  st_value source = call->args[ST_P_CONVERSATION_PRUNE_SESSIONS_SOURCE];
  st_swept swept;
  if (st_arg_int(call, ST_P_CONVERSATION_PRUNE_SESSIONS_DRY_RUN))
    st_sweep_count(call, rule_of(call), st_real(now - days * DAY), source, &swept);
  else
    prune(call, now, days, source, &swept);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CONVERSATION_PRUNE_SESSIONS_PRUNED] = st_int(swept.rows);
  reply[ST_R_CONVERSATION_PRUNE_SESSIONS_MESSAGES] = st_int(swept.also);
}

/* ---- Space ---------------------------------------------------------------------------------- */

static int64_t size_of(st_call *call) {
  int64_t bytes = 0, wal = 0;
  if (!st_ok(call)) return 0;
  stele_status status = call->store->driver->size(call->store->conn, &bytes, &wal);
  if (status != STELE_OK) st_fail_conn(call, status);
  return bytes;
}

void st_conversation_write_anew(st_call *call) {
  bool busy;
  st_compact(call, "VACUUM messages, sessions", &busy);
}

void st_conversation_vacuum(st_call *call) {
  int64_t before = size_of(call);
  st_conversation_write_anew(call);
  int64_t after = size_of(call);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CONVERSATION_VACUUM_BYTES_BEFORE] = st_int(before);
  reply[ST_R_CONVERSATION_VACUUM_BYTES_AFTER] = st_int(after);
}

/* ---- Both, now and then --------------------------------------------------------------------- */

/* When the last one was; long ago if there is no note, or no number in it. */
static double last_time(st_call *call, const st_value *key) {
  double time = 0;
  st_value value = {.type = ST_NULL};
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_GET_META, key);
  if (st_rows_next(call, &rows)) st_rows_value(call, &rows, 0, &value);
  if (value.type == ST_TEXT && !st_parse_real(value.bytes, value.length, &time)) time = 0;
  st_rows_end(call, &rows);
  return time;
}

static void note_time(st_call *call, const st_value *key, double now) {
  char text[ST_REAL_MAX];
  st_value value = {.type = ST_TEXT, .bytes = text, .length = st_format_real(now, text)};
  st_call_begin(call, true);
  if (!st_ok(call)) return;
  st_run(call, STELE_M_CONVERSATION_SET_META, (const st_value[]){*key, value});
  st_call_end(call);
}

void st_conversation_maybe_auto_prune_and_vacuum(st_call *call) {
  double now = st_arg_real(call, ST_P_CONVERSATION_MAYBE_AUTO_PRUNE_AND_VACUUM_NOW);
  double hours = st_arg_real(call, ST_P_CONVERSATION_MAYBE_AUTO_PRUNE_AND_VACUUM_MIN_INTERVAL_HOURS);
  double days = st_arg_real(call, ST_P_CONVERSATION_MAYBE_AUTO_PRUNE_AND_VACUUM_RETENTION_DAYS);
  st_swept swept = {0};
  st_value key = st_textz("last_auto_prune");
  bool skipped = now - last_time(call, &key) < hours * HOUR, vacuumed = false;
  if (!skipped) {
    prune(call, now, days, (st_value){.type = ST_ABSENT}, &swept);
    vacuumed = swept.rows > 0 && st_arg_int(call, ST_P_CONVERSATION_MAYBE_AUTO_PRUNE_AND_VACUUM_VACUUM);
    if (vacuumed) st_conversation_write_anew(call);
    note_time(call, &key, now);
  }
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CONVERSATION_MAYBE_AUTO_PRUNE_AND_VACUUM_SKIPPED] = st_bool(skipped);
  reply[ST_R_CONVERSATION_MAYBE_AUTO_PRUNE_AND_VACUUM_PRUNED] = st_int(swept.rows);
  reply[ST_R_CONVERSATION_MAYBE_AUTO_PRUNE_AND_VACUUM_VACUUMED] = st_bool(vacuumed);
}
