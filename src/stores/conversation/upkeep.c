/* upkeep.c - pruning in short transactions, and giving space back. */
#include "base/number.h"
#include "base/time.h"
#include "engine/handle.h"
#include "registry_ids.h"
#include "stores/conversation/conversation.h"

#define DAY 86400.0
#define HOUR 3600.0
#define ROUND 50        /* messages deleted by one statement */
#define LONGEST_TURN 15 /* milliseconds of deleting before other writers come first; the commit comes on top */

/* ---- Pruning -------------------------------------------------------------------------------- */

/* A session to prune. */
typedef struct doomed doomed;
struct doomed {
  doomed *next;
  st_value id;
};

typedef struct pruning {
  st_call *call;
  st_value before;  /* sessions that started before this */
  st_value source;  /* absent: of any source */
  int64_t since_ms; /* start of the open transaction; 0: none is open */
  int64_t sessions, messages;
} pruning;

static void open_turn(pruning *p) {
  if (p->since_ms) return;
  st_call_begin(p->call, true);
  if (st_ok(p->call)) p->since_ms = st_monotonic_ms();
}

static void close_turn(pruning *p) {
  if (p->since_ms) st_call_end(p->call);
  p->since_ms = 0;
}

/* Everything is asked anew inside the transaction: the session may have been reopened. */
static void prune_one(pruning *p, st_value id) {
  int64_t deleted = ROUND;
  while (deleted == ROUND && st_ok(p->call)) {
    open_turn(p);
    deleted = st_run(p->call, STELE_M_CONVERSATION_PRUNE_MESSAGES, (const st_value[]){id, p->before, st_int(ROUND)});
    p->messages += deleted;
    if (deleted < ROUND) {
      st_run(p->call, STELE_M_CONVERSATION_PRUNE_CHILDREN, (const st_value[]){id, p->before});
      p->sessions += st_run(p->call, STELE_M_CONVERSATION_PRUNE_SESSION, (const st_value[]){id, p->before});
    }
    if (!st_ok(p->call) || st_monotonic_ms() - p->since_ms >= LONGEST_TURN) close_turn(p);
  }
}

static doomed *list_doomed(pruning *p) {
  doomed *first = NULL, **last = &first;
  st_rows rows;
  st_rows_start(p->call, &rows, STELE_M_CONVERSATION_LIST_PRUNABLE, (const st_value[]){p->before, p->source});
  while (st_rows_next(p->call, &rows)) {
    doomed *d = st_call_alloc(p->call, sizeof *d);
    if (!d) break;
    st_rows_value(p->call, &rows, 0, &d->id);
    d->id.bytes = st_call_copy(p->call, d->id.bytes, d->id.length);
    *last = d;
    last = &d->next;
  }
  st_rows_end(p->call, &rows);
  return first;
}

static void prune(pruning *p) {
  for (const doomed *d = list_doomed(p); d && st_ok(p->call); d = d->next) prune_one(p, d->id);
  close_turn(p);
}

static void count(pruning *p) {
  st_value sessions = st_int(0), messages = st_int(0);
  st_rows rows;
  st_rows_start(p->call, &rows, STELE_M_CONVERSATION_COUNT_PRUNABLE, (const st_value[]){p->before, p->source});
  if (st_rows_next(p->call, &rows)) {
    st_rows_value(p->call, &rows, ST_R_CONVERSATION_COUNT_PRUNABLE_PRUNED, &sessions);
    st_rows_value(p->call, &rows, ST_R_CONVERSATION_COUNT_PRUNABLE_MESSAGES, &messages);
  }
  st_rows_end(p->call, &rows);
  p->sessions = sessions.integer;
  p->messages = messages.integer;
}

void st_conversation_prune_sessions(st_call *call) {
  double days = st_arg_real(call, ST_P_CONVERSATION_PRUNE_SESSIONS_OLDER_THAN_DAYS);
  double now = st_arg_real(call, ST_P_CONVERSATION_PRUNE_SESSIONS_NOW);
  pruning p = {.call = call, .before = st_real(now - days * DAY),
               .source = call->args[ST_P_CONVERSATION_PRUNE_SESSIONS_SOURCE]};
  if (st_arg_int(call, ST_P_CONVERSATION_PRUNE_SESSIONS_DRY_RUN))
    count(&p);
  else
    prune(&p);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CONVERSATION_PRUNE_SESSIONS_PRUNED] = st_int(p.sessions);
  reply[ST_R_CONVERSATION_PRUNE_SESSIONS_MESSAGES] = st_int(p.messages);
}

/* ---- Space ---------------------------------------------------------------------------------- */

static int64_t size_of(st_call *call) {
  int64_t bytes = 0, wal = 0;
  if (!st_ok(call)) return 0;
  stele_status status = call->store->driver->size(call->store->conn, &bytes, &wal);
  if (status != STELE_OK) st_fail_conn(call, status);
  return bytes;
}

/* The log goes into the file before and after: VACUUM writes the whole file through it. */
static void empty_log(st_call *call) {
  bool busy;
  int64_t log, done;
  if (!st_ok(call) || call->store->driver->engine != ST_SQLITE) return;
  stele_status status = call->store->driver->checkpoint(call->store->conn, "truncate", &busy, &log, &done);
  if (status != STELE_OK) st_fail_conn(call, status);
}

void st_conversation_write_anew(st_call *call) {
  empty_log(call);
  if (!st_ok(call)) return;
  const char *sql = call->store->driver->engine == ST_SQLITE ? "VACUUM" : "VACUUM messages, sessions";
  stele_status status = call->store->driver->script(call->store->conn, sql);
  if (status != STELE_OK) st_fail_conn(call, status);
  empty_log(call);
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
  pruning p = {.call = call, .before = st_real(now - days * DAY), .source = {.type = ST_ABSENT}};
  st_value key = st_textz("last_auto_prune");
  bool skipped = now - last_time(call, &key) < hours * HOUR, vacuumed = false;
  if (!skipped) {
    prune(&p);
    vacuumed = p.sessions > 0 && st_arg_int(call, ST_P_CONVERSATION_MAYBE_AUTO_PRUNE_AND_VACUUM_VACUUM);
    if (vacuumed) st_conversation_write_anew(call);
    note_time(call, &key, now);
  }
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CONVERSATION_MAYBE_AUTO_PRUNE_AND_VACUUM_SKIPPED] = st_bool(skipped);
  reply[ST_R_CONVERSATION_MAYBE_AUTO_PRUNE_AND_VACUUM_PRUNED] = st_int(p.sessions);
  reply[ST_R_CONVERSATION_MAYBE_AUTO_PRUNE_AND_VACUUM_VACUUMED] = st_bool(vacuumed);
}
