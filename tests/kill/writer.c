/* writer.c - see writer.h.
**
** Whatever a call answers is compared with what it must answer; anything else is told, and ends the
** writer. */
#include "kill/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/opened.h"

#define MISSING 987654321 /* no listener, job or session has this number */
#define TRIES 200         /* of a group, when PostgreSQL finds conflicts */

/* ---- Telling -------------------------------------------------------------------------------- */

static void send(const writer *w, message_kind kind, const char *text) {
  message m = {.kind = kind, .op = w->op};
  if (text) snprintf(m.text, sizeof m.text, "%s", text);
  if (write(w->pipe, &m, sizeof m) != sizeof m) _exit(2);
}

/* The present call answered what it must not: the end. */
static void wrong(const writer *w, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

static void wrong(const writer *w, const char *format, ...) {
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  send(w, MESSAGE_WRONG, text);
  _exit(1);
}

/* xorshift64*: a number below limit. */
static int pick(writer *w, int limit) {
  w->random ^= w->random >> 12;
  w->random ^= w->random << 25;
  w->random ^= w->random >> 27;
  return (int)((w->random * UINT64_C(2685821657736338717) >> 33) % (uint64_t)limit);
}

/* ---- Calling -------------------------------------------------------------------------------- */

static double now(const writer *w) { return op_stamp(w->cycle, w->number, w->op.number); }

static void must_be(const writer *w, stele_db *db, stele_status got, stele_status wanted, const char *what) {
  if (got != wanted)
    wrong(w, "%s: %s, not %s: %s", what, stele_status_name(got), stele_status_name(wanted), stele_error(db)->message);
}

/* A number in a reply such as {"session_id":7}. */
static int64_t number_in(const writer *w, const char *reply, const char *name) {
  char key[40];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *at = strstr(reply, key);
  if (!at) wrong(w, "no %s in %s", name, reply);
  return strtoll(at + strlen(key), NULL, 10);
}

/* Call, and answer a number of the reply. */
static int64_t call_for(const writer *w, const char *method, const char *name, const char *args) {
  char *reply = NULL;
  must_be(w, w->db, stele_call(w->db, method, args, &reply), STELE_OK, method);
  int64_t number = name ? number_in(w, reply, name) : 0;
  stele_free(reply);
  return number;
}

/* The arguments of one record.  The first ones of an operation are invocations, then executions. */
static const char *record_args(const writer *w, int item, int64_t session, char out[400]) {
  bool invocation = item < w->op.invocations;
  snprintf(out, 400,
           "{\"%s\":%lld,\"session_id\":%lld,\"duration_ms\":%d,\"status\":\"error\",\"error_message\":\"" MARK_FORMAT "\"}",
           invocation ? "listener_id" : "job_id", (long long)(invocation ? w->listener : w->job), (long long)session, item,
           w->cycle, w->number, w->op.number, item);
  return out;
}

static const char *record_method(const writer *w, int item) {
  return item < w->op.invocations ? "telemetry.record_invocation" : "telemetry.record_execution";
}

static int items_of(const writer *w) { return w->op.invocations + w->op.executions; }

/* ---- The operations ------------------------------------------------------------------------- */

static void do_listener(writer *w) {
  char args[400];
  snprintf(args, sizeof args,
           "{\"app_key\":\"w%d\",\"instance_index\":0,\"handler_method\":\"h\",\"topic\":\"t\",\"source_location\":\"s:%d\","
           "\"last_registered_at\":%.1f}",
           w->number, w->op.number, now(w));
  w->op.id = w->listener = call_for(w, "telemetry.register_listener", "listener_id", args);
}

static void do_job(writer *w) {
  char args[400];
  snprintf(args, sizeof args,
           "{\"app_key\":\"w%d\",\"instance_index\":0,\"job_name\":\"j\",\"handler_method\":\"h\",\"source_location\":\"s:%d\","
           "\"last_registered_at\":%.1f}",
           w->number, w->op.number, now(w));
  w->op.id = w->job = call_for(w, "telemetry.register_job", "job_id", args);
}

static void do_session(writer *w) {
  char args[100];
  snprintf(args, sizeof args, "{\"now\":%.1f}", now(w));
  w->op.id = w->session = call_for(w, "telemetry.create_session", "session_id", args);
}

static void do_heartbeat(writer *w) {
  char args[100];
  snprintf(args, sizeof args, "{\"session_id\":%lld,\"now\":%.1f}", (long long)w->session, now(w));
  call_for(w, "telemetry.update_heartbeat", NULL, args);
}

static void do_error(writer *w) {
  char args[200];
  snprintf(args, sizeof args, "{\"session_id\":%lld,\"now\":%.1f,\"error_type\":\"%d\"}", (long long)w->session, now(w),
           w->op.number);
  call_for(w, "telemetry.record_session_error", NULL, args);
}

static void do_finalize(writer *w) {
  char args[100];
  snprintf(args, sizeof args, "{\"session_id\":%lld,\"now\":%.1f}", (long long)w->session, now(w));
  call_for(w, "telemetry.finalize_session", NULL, args);
  w->session = 0;
}

/* The typed way. */
static void do_record(writer *w) {
  bool invocation = w->op.invocations == 1;
  stele_stmt *stmt = NULL;
  char mark[60];
  snprintf(mark, sizeof mark, MARK_FORMAT, w->cycle, w->number, w->op.number, 0);
  must_be(w, w->db, stele_prepare(w->db, record_method(w, 0), &stmt), STELE_OK, "prepare");
  stele_bind_int(stmt, invocation ? "listener_id" : "job_id", invocation ? w->listener : w->job);
  stele_bind_int(stmt, "session_id", w->session);
  stele_bind_real(stmt, "duration_ms", 0.5);
  stele_bind_text(stmt, "status", "success", strlen("success"));
  stele_bind_text(stmt, "error_message", mark, strlen(mark));
  must_be(w, w->db, stele_step(stmt), STELE_ROW, record_method(w, 0));
  stele_finalize(stmt);
}

static void do_batch(writer *w) {
  char args[ITEMS_MAX * 400 + 100] = "{\"invocations\":[", record[400];
  for (int i = 0; i < items_of(w); i++) {
    if (i == w->op.invocations) strcat(args, "],\"executions\":[");
    else if (i > 0) strcat(args, ",");
    strcat(args, record_args(w, i, w->session, record));
  }
  strcat(args, ",");
  strcat(args, record_args(w, w->op.invocations, MISSING, record)); /* is dropped, and the rest kept */
  strcat(args, "]}");
  int64_t written = call_for(w, "telemetry.persist_batch", "written", args);
  if (written != items_of(w)) wrong(w, "persist_batch wrote %lld of %d", (long long)written, items_of(w));
}

static stele_status refused(writer *w) {
  char args[400];
  if (pick(w, 2)) return stele_call(w->db, "telemetry.finalize_session", "{\"session_id\":987654321}", NULL);
  return stele_call(w->db, record_method(w, 0), record_args(w, 0, MISSING, args), NULL); /* at its second statement */
}

static stele_db *open_handle(const writer *w, unsigned flags) {
  stele_options options = place_options(w->place);
  stele_db *db = NULL;
  options.flags = flags;
  if (w->bug == BUG_DROPPED_ROLLBACK) options.wait_ms = 2000; /* who holds the turn for ever shall be found soon */
  stele_status status = stele_open(&options, &db);
  must_be(w, db, status, STELE_OK, "open");
  return db;
}

/* What was undone is undone at once: others can write. */
static void let_other_write(writer *w) {
  if (!w->other) w->other = open_handle(w, 0);
  must_be(w, w->other, stele_call(w->other, "telemetry.retention_cleanup", "{\"cutoff\":1}", NULL), STELE_OK,
          "a write by another handle");
}

static void do_refused(writer *w) {
  must_be(w, w->db, refused(w), STELE_NOTFOUND, "a call that must fail");
  let_other_write(w);
}

/* What is between begin and commit; STELE_CONFLICT: PostgreSQL wants it run again. */
static stele_status fill_group(writer *w) {
  char args[400];
  for (int i = 0; i < items_of(w); i++) {
    stele_status status = stele_call(w->db, record_method(w, i), record_args(w, i, w->session, args), NULL);
    if (status == STELE_CONFLICT) return status;
    must_be(w, w->db, status, STELE_OK, "in a group");
  }
  stele_status status = stele_call(w->db, "telemetry.finalize_session", "{\"session_id\":987654321}", NULL);
  if (status == STELE_CONFLICT) return status;
  must_be(w, w->db, status, STELE_NOTFOUND, "a call that must fail in a group");
  if (!w->op.heartbeat) return STELE_OK;
  snprintf(args, sizeof args, "{\"session_id\":%lld,\"now\":%.1f}", (long long)w->session, now(w));
  return stele_call(w->db, "telemetry.update_heartbeat", args, NULL);
}

static void do_group(writer *w) {
  for (int tries = 0; tries < TRIES; tries++) {
    must_be(w, w->db, stele_begin(w->db, "telemetry"), STELE_OK, "begin");
    stele_status status = fill_group(w);
    bool commit = status == STELE_OK && w->op.kind == OP_GROUP;
    if (commit)
      status = stele_commit(w->db);
    else
      must_be(w, w->db, stele_rollback(w->db), STELE_OK, "rollback");
    if (status == STELE_OK && !commit) let_other_write(w);
    if (status == STELE_OK) return;
    must_be(w, w->db, status, STELE_CONFLICT, "commit"); /* nothing was written: the whole again */
    if (w->place->engine == ST_SQLITE) wrong(w, "a conflict on SQLite: %s", stele_error(w->db)->message);
    usleep((unsigned)pick(w, 5000));
  }
  wrong(w, "a group met %d conflicts", TRIES);
}

static void do_queue(writer *w) {
  char args[400], *reply = NULL;
  if (!w->queue) w->queue = open_handle(w, STELE_OPEN_QUEUE);
  for (int i = 0; i < items_of(w); i++)
    must_be(w, w->queue, stele_call(w->queue, record_method(w, i), record_args(w, i, w->session, args), NULL), STELE_OK,
            "queue");
  must_be(w, w->queue, stele_call(w->queue, "telemetry.flush_all", NULL, &reply), STELE_OK, "flush_all");
  if (number_in(w, reply, "dropped") != 0) wrong(w, "the queue dropped: %s", reply);
  stele_free(reply);
}

static void do_upkeep(writer *w) {
  static const char *const calls[][2] = {
      {"telemetry.retention_cleanup", "{\"cutoff\":1}"},
      {"telemetry.retention_by_session", "{\"cutoff\":1}"},
      {"telemetry.mark_orphaned_sessions", "{\"now\":0,\"stale_after\":1}"},
      {"telemetry.size_failsafe", "{\"limit_mb\":100000}"},
      {"telemetry.checkpoint_wal", "{}"}, /* only SQLite has one */
      {"telemetry.checkpoint_wal", "{\"mode\":\"truncate\"}"},
  };
  int which = pick(w, w->place->engine == ST_SQLITE ? 6 : 4);
  call_for(w, calls[which][0], NULL, calls[which][1]);
}

static void (*const actions[OP_KINDS])(writer *) = {
    [OP_LISTENER] = do_listener,   [OP_JOB] = do_job,       [OP_SESSION] = do_session,     [OP_HEARTBEAT] = do_heartbeat,
    [OP_ERROR] = do_error,         [OP_FINALIZE] = do_finalize, [OP_INVOCATION] = do_record, [OP_EXECUTION] = do_record,
    [OP_BATCH] = do_batch,         [OP_GROUP] = do_group,   [OP_UNDONE] = do_group,        [OP_QUEUE] = do_queue,
    [OP_UPKEEP] = do_upkeep,       [OP_REFUSED] = do_refused,
};

/* ---- One after another ---------------------------------------------------------------------- */

/* How often each kind is chosen, in the order of op_kind. */
static const int shares[OP_KINDS] = {4, 4, 0, 12, 4, 3, 15, 15, 12, 10, 4, 4, 5, 8};

static op_kind choose(writer *w) {
  int total = 0;
  if (!w->listener) return OP_LISTENER;
  if (!w->job) return OP_JOB;
  if (!w->session) return OP_SESSION;
  for (int i = 0; i < OP_KINDS; i++) total += shares[i];
  int left = pick(w, total);
  int kind = 0;
  while ((left -= shares[kind]) >= 0) kind++;
  return (op_kind)kind;
}

static void plan(writer *w) {
  w->op = (op){.kind = choose(w), .number = w->op.number + 1};
  switch (w->op.kind) {
    case OP_INVOCATION: w->op.invocations = 1; return;
    case OP_EXECUTION: w->op.executions = 1; return;
    case OP_GROUP:
    case OP_UNDONE: w->op.heartbeat = pick(w, 2) == 1; /* fall through */
    case OP_QUEUE:
      w->op.invocations = 1 + pick(w, 3);
      w->op.executions = 1 + pick(w, 3);
      return;
    case OP_BATCH:
      w->op.invocations = 1 + pick(w, 29);
      w->op.executions = 1 + pick(w, 29);
      return;
    default: return;
  }
}

static void drop_rollback(st_conn *conn) { (void)conn; }

/* The seeded bug: a transaction that failed is not undone. */
static void seed_bug(const writer *w) {
  static st_driver buggy;
  if (w->bug != BUG_DROPPED_ROLLBACK) return;
  buggy = *st_drivers[w->place->engine];
  buggy.rollback = drop_rollback;
  st_drivers[w->place->engine] = &buggy;
}

void writer_run(writer *w) {
  seed_bug(w);
  w->db = open_handle(w, 0);
  while (w->quota == 0 || w->op.number < w->quota) {
    plan(w);
    send(w, MESSAGE_BEGUN, NULL);
    bool early = w->bug == BUG_EARLY_ACK && items_of(w) > 0;
    if (early) send(w, MESSAGE_DONE, NULL);
    actions[w->op.kind](w);
    if (!early) send(w, MESSAGE_DONE, NULL);
  }
  stele_close(w->other);
  stele_close(w->queue);
  stele_close(w->db);
}
