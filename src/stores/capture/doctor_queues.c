/* doctor_queues.c - capture.doctor_queues: what waits, what hangs, what was given up, and which alarms stand. */
#include "registry_ids.h"
#include "stores/capture/capture.h"
#include "stores/capture/findings.h"

#define DEEP 100 /* as many as workers are told to keep at most */
#define WAITS_WARN_MS (INT64_C(24) * 3600000)
#define WAITS_FAIL_MS (INT64_C(7) * 24 * 3600000)
#define LOCK_WARN_MS (INT64_C(600) * 1000) /* the lock timeout of claim and reap */
#define LOCK_FAIL_MS (INT64_C(3600) * 1000)

/* What is in all queues together. */
typedef struct survey {
  st_findings waiting, locked;
  int64_t tickets, stale, failed, worked;
} survey;

static int64_t now_of(const st_call *call) { return call->args[ST_P_CAPTURE_DOCTOR_QUEUES_NOW].integer; }

static st_health health_of(int64_t age, int64_t warn, int64_t fail) {
  return age >= fail ? ST_HEALTH_FAIL : age >= warn ? ST_HEALTH_WARN : ST_HEALTH_OK;
}

static void add_queue(survey *all, const st_value *row, int64_t now) {
  const char *queue = row[ST_R_CAPTURE_SURVEY_QUEUES_QUEUE].bytes;
  long long waiting = row[ST_R_CAPTURE_SURVEY_QUEUES_WAITING].integer, stale = row[ST_R_CAPTURE_SURVEY_QUEUES_STALE].integer;
  int64_t waits = waiting ? now - row[ST_R_CAPTURE_SURVEY_QUEUES_WAITS_SINCE].integer : 0;
  int64_t locked = stale ? now - row[ST_R_CAPTURE_SURVEY_QUEUES_LOCKED_SINCE].integer : 0;
  st_health health = health_of(waits, WAITS_WARN_MS, WAITS_FAIL_MS);
  if (health == ST_HEALTH_OK && waiting > DEEP) health = ST_HEALTH_WARN;
  st_findings_add(&all->waiting, health, "%s: %lld wait, the oldest for %s", queue, waiting, st_age(waits).text);
  st_findings_add(&all->locked, health_of(locked, LOCK_WARN_MS, LOCK_FAIL_MS), "%s: %lld, the oldest for %s", queue, stale, st_age(locked).text);
  all->tickets += waiting;
  all->stale += stale;
  all->failed += row[ST_R_CAPTURE_SURVEY_QUEUES_FAILED].integer;
  all->worked += row[ST_R_CAPTURE_SURVEY_QUEUES_WORKED].integer;
}

static void read_queues(st_call *call, survey *all) {
  st_value row[ST_R_CAPTURE_SURVEY_QUEUES_WORKED + 1], args[] = {st_int(now_of(call) - LOCK_WARN_MS)};
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CAPTURE_SURVEY_QUEUES, args);
  while (st_rows_next(call, &rows)) {
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) st_rows_value(call, &rows, i, &row[i]);
    if (st_ok(call)) add_queue(all, row, now_of(call));
  }
  st_rows_end(call, &rows);
}

/* Capturing goes on without anybody who learns from it: then waiting is no fault. */
static void tell_waiting(st_call *call, const survey *all) {
  if (!all->worked || all->waiting.worst == ST_HEALTH_OK) {
    st_doctor_line(call, ST_HEALTH_OK, "queues", "%lld ticket%s%s", (long long)all->tickets, all->tickets == 1 ? " waits" : "s wait",
                   all->worked || !all->tickets ? "" : "; no worker has ever taken one");
    return;
  }
  st_doctor_line(call, all->waiting.worst, "queues", "%s", all->waiting.text);
  st_doctor_cause(call, "no worker runs, it fails, or more comes in than it can do");
  st_doctor_fix(call, "`stele enrich` learns from what waits; `stele enrich status` tells whether that is paused");
}

static void tell_locked(st_call *call, const survey *all) {
  if (all->locked.worst == ST_HEALTH_OK) {
    st_doctor_line(call, ST_HEALTH_OK, "tickets", "no ticket is locked for longer than it may be");
    return;
  }
  st_doctor_line(call, all->locked.worst, "tickets", "%lld locked for too long: %s", (long long)all->stale, all->locked.text);
  st_doctor_cause(call, "the worker that has them died or hangs; the next claim takes them back, but there is none");
  st_doctor_fix(call, "`stele call capture.reap` takes them back; then start the worker again");
}

static void tell_failed(st_call *call, const survey *all) {
  if (!all->failed) {
    st_doctor_line(call, ST_HEALTH_OK, "failed", "no ticket was given up");
    return;
  }
  st_doctor_line(call, ST_HEALTH_WARN, "failed", "%lld ticket%s given up after too many failures", (long long)all->failed,
                 all->failed == 1 ? " was" : "s were");
  st_doctor_cause(call, "learning from them failed again and again: what they hold, or the model");
  st_doctor_fix(call, "`stele call capture.list_queue '{\"status\":\"failed\"}'` tells the errors; a segment that changes is tried again");
}

static void tell_alarms(st_call *call) {
  st_value row[ST_R_CAPTURE_SURVEY_ALARMS_RESOLVED + 1];
  if (!st_one(call, STELE_M_CAPTURE_SURVEY_ALARMS, NULL, row)) return;
  long long active = row[ST_R_CAPTURE_SURVEY_ALARMS_ACTIVE].integer, resolved = row[ST_R_CAPTURE_SURVEY_ALARMS_RESOLVED].integer;
  if (active) {
    st_doctor_line(call, ST_HEALTH_FAIL, "alarms", "%lld alarm%s, the first %s ago: %s", active, active == 1 ? "" : "s",
                   st_age(now_of(call) - row[ST_R_CAPTURE_SURVEY_ALARMS_SINCE].integer).text, row[ST_R_CAPTURE_SURVEY_ALARMS_FIRST].bytes);
    st_doctor_cause(call, "the watchdog found a promise of capturing broken, and it still is");
    st_doctor_fix(call, "`stele call capture.list_alarms` tells which and since when; `capture.ack_alarm` says that you know");
  } else if (resolved) {
    st_doctor_line(call, ST_HEALTH_WARN, "alarms", "%lld alarm%s resolved by %s", resolved, resolved == 1 ? " was" : "s were",
                   resolved == 1 ? "itself" : "themselves");
    st_doctor_cause(call, "something was wrong for a while, and nobody has looked at it");
    st_doctor_fix(call, "`stele call capture.list_alarms` tells what it was, `stele call capture.prune_alarms` puts it away");
  } else {
    st_doctor_line(call, ST_HEALTH_OK, "alarms", "no alarm stands");
  }
}

void st_capture_doctor_queues(st_call *call) {
  survey all = {.tickets = 0};
  read_queues(call, &all);
  if (!st_ok(call)) return;
  tell_waiting(call, &all);
  tell_locked(call, &all);
  tell_failed(call, &all);
  tell_alarms(call);
}
