/* jobs.c - see jobs.h.
**
** Each job is a call of a method, through a handle of this thread's own: writers and readers of the
** server never wait for it longer than for any other process. */
#include "jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "call.h"
#include "log.h"
#include "server.h"
#include "writer.h"

#define HEARTBEAT_S 60
#define APP "stele.serve"

typedef struct job {
  const char *name, *method, *store; /* it has work only if the store is there */
  int64_t every_s;
  bool on_change; /* also soon after the store was written to */
  char args[64];
  int64_t next_us; /* when it is due */
  int64_t id;      /* in the telemetry store; 0: not registered */
  bool changed;    /* the store was written to */
  int64_t upto;    /* of an index: the newest message when it was last made complete */
  bool running;
  int64_t runs, failures;
  double last_started, last_ms;
  char last_error[200];
} job;

struct sv_jobs {
  sv_server *server;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  atomic_bool closing;
  stele_db *db;
  int64_t session; /* the server's, in the telemetry store; 0: none */
  int64_t beat_us;
  double heartbeat;
  size_t count;
  job all[4];
};

static double wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- The record ---- */

/* A call whose first column is a number; 0: it failed, and that was told. */
static int64_t ask(sv_jobs *jobs, const char *method, const char *args) {
  stele_stmt *stmt = NULL;
  int64_t number = 0;
  stele_status status = stele_prepare(jobs->db, method, &stmt);
  if (status == STELE_OK) status = stele_bind_json(stmt, "", args);
  if (status == STELE_OK) status = stele_step(stmt);
  if (status == STELE_ROW) number = stele_column_int(stmt, 0);
  if (status != STELE_ROW && status != STELE_DONE) sv_log(STELE_LOG_WARNING, "%s", stele_error(jobs->db)->message);
  stele_finalize(stmt);
  return number;
}

static void begin_record(sv_jobs *jobs) {
  char args[300];
  if (!jobs->server->limits.record) return;
  jobs->session = ask(jobs, "telemetry.create_session", "{}");
  for (size_t i = 0; jobs->session && i < jobs->count; i++) {
    snprintf(args, sizeof args,
             "{\"app_key\":\"" APP "\",\"instance_index\":0,\"job_name\":\"%s\",\"handler_method\":\"%s\","
             "\"trigger_type\":\"interval\",\"trigger_value\":\"%lld\",\"repeat\":true,\"source_location\":\"jobs.c\"}",
             jobs->all[i].name, jobs->all[i].method, (long long)jobs->all[i].every_s);
    jobs->all[i].id = ask(jobs, "telemetry.register_job", args);
  }
}

static void beat(sv_jobs *jobs) {
  char args[64];
  jobs->beat_us = sv_now_us();
  pthread_mutex_lock(&jobs->mutex);
  jobs->heartbeat = wall_clock();
  pthread_mutex_unlock(&jobs->mutex);
  if (!jobs->session) return;
  snprintf(args, sizeof args, "{\"session_id\":%lld}", (long long)jobs->session);
  ask(jobs, "telemetry.update_heartbeat", args);
}

static void end_record(sv_jobs *jobs) {
  char args[64];
  if (!jobs->session) return;
  snprintf(args, sizeof args, "{\"session_id\":%lld}", (long long)jobs->session);
  ask(jobs, "telemetry.finalize_session", args);
}

static void record_run(sv_jobs *jobs, const job *j) {
  sv_text args = {0};
  if (!jobs->session || !j->id) return;
  sv_addf(&args,
          "{\"job_id\":%lld,\"session_id\":%lld,\"execution_start_dtme\":%.6f,\"duration_ms\":%.3f,\"status\":\"%s\"",
          (long long)j->id, (long long)jobs->session, j->last_started, j->last_ms,
          j->last_error[0] ? "error" : "success");
  if (j->last_error[0]) sv_add_member(&args, "error_message", j->last_error);
  sv_addz(&args, "}");
  if (!args.failed) ask(jobs, "telemetry.record_execution", args.bytes);
  sv_text_free(&args);
}

/* ---- Running ---- */

static int on_progress(void *user, const char *what, int64_t done, int64_t total) {
  sv_jobs *jobs = user;
  (void)what;
  (void)done;
  (void)total;
  return atomic_load(&jobs->closing);
}

static void run_job(sv_jobs *jobs, job *j) {
  double started = wall_clock();
  int64_t began = sv_now_us();
  pthread_mutex_lock(&jobs->mutex);
  j->running = true;
  pthread_mutex_unlock(&jobs->mutex);
  int64_t newest = j->on_change ? ask(jobs, "conversation.follow_from", "{}") : 0;
  stele_status status = stele_call(jobs->db, j->method, j->args, NULL);
  pthread_mutex_lock(&jobs->mutex);
  if (status == STELE_OK) j->upto = newest;
  j->running = false;
  j->runs++;
  j->last_started = started;
  j->last_ms = (double)(sv_now_us() - began) / 1000;
  snprintf(j->last_error, sizeof j->last_error, "%s", status == STELE_OK ? "" : stele_error(jobs->db)->message);
  if (status != STELE_OK && status != STELE_CANCELLED) j->failures++;
  j->next_us = sv_now_us() + j->every_s * 1000000;
  pthread_mutex_unlock(&jobs->mutex);
  if (j->last_error[0] && status != STELE_CANCELLED) sv_log(STELE_LOG_ERROR, "%s: %s", j->name, j->last_error);
  record_run(jobs, j);
}

/* With the mutex held. */
static bool is_due(const sv_jobs *jobs, const job *j) {
  if (j->store && !sv_writer_present(jobs->server->writers, j->store)) return false;
  return sv_now_us() >= j->next_us || (j->on_change && j->changed);
}

static job *next_due(sv_jobs *jobs) {
  job *due = NULL;
  pthread_mutex_lock(&jobs->mutex);
  for (size_t i = 0; i < jobs->count && !due; i++)
    if (is_due(jobs, &jobs->all[i])) due = &jobs->all[i];
  if (due) due->changed = false;
  pthread_mutex_unlock(&jobs->mutex);
  return due;
}

/* A change waits a second for others: they are indexed together. */
static void wait(sv_jobs *jobs) {
  struct timespec until;
  bool pending = false;
  clock_gettime(CLOCK_MONOTONIC, &until);
  pthread_mutex_lock(&jobs->mutex);
  int64_t next = HEARTBEAT_S;
  for (size_t i = 0; i < jobs->count; i++) {
    int64_t left = (jobs->all[i].next_us - sv_now_us()) / 1000000 + 1;
    pending = pending || jobs->all[i].changed;
    if (left > 0 && left < next) next = left;
  }
  until.tv_sec += pending ? 1 : next;
  if (!jobs->closing) pthread_cond_timedwait(&jobs->changed, &jobs->mutex, &until);
  pthread_mutex_unlock(&jobs->mutex);
}

static void *run(void *argument) {
  sv_jobs *jobs = argument;
  stele_options place = jobs->server->place;
  place.progress = on_progress;
  place.user = jobs;
  stele_open(&place, &jobs->db);
  begin_record(jobs);
  while (!jobs->closing) {
    if (!jobs->beat_us || sv_now_us() - jobs->beat_us >= HEARTBEAT_S * 1000000LL) beat(jobs);
    for (job *j; !jobs->closing && (j = next_due(jobs)) != NULL;) run_job(jobs, j);
    wait(jobs);
  }
  end_record(jobs);
  stele_close(jobs->db);
  return NULL;
}

/* ---- Opening, closing, telling ---- */

static void add(sv_jobs *jobs, const char *name, const char *method, const char *store, int64_t every_s,
                bool on_change) {
  job *j = &jobs->all[jobs->count++];
  *j = (job){.name = name, .method = method, .store = store, .every_s = every_s, .on_change = on_change, .args = "{}"};
  j->next_us = sv_now_us() + (on_change ? 0 : every_s < 60 ? every_s : 60) * 1000000LL; /* not all at the start */
}

static void add_all(sv_jobs *jobs) {
  const sv_limits *limits = &jobs->server->limits;
  add(jobs, "index", "conversation.index_messages", "conversation", 300, true);
  if (limits->retention) {
    add(jobs, "retention", "telemetry.retention_cleanup", "telemetry", 3600, false);
    snprintf(jobs->all[jobs->count - 1].args, sizeof jobs->all[0].args, "{\"retention_days\":%lld}",
             (long long)limits->retention);
  }
  if (limits->backup) add(jobs, "backup", "stele.backup", NULL, limits->backup, false);
}

sv_jobs *sv_jobs_open(sv_server *server) {
  pthread_condattr_t clock;
  sv_jobs *jobs = calloc(1, sizeof *jobs);
  if (!jobs) return NULL;
  jobs->server = server;
  if (server->limits.jobs) add_all(jobs);
  pthread_mutex_init(&jobs->mutex, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&jobs->changed, &clock);
  pthread_condattr_destroy(&clock);
  if (pthread_create(&jobs->thread, NULL, run, jobs) == 0) return jobs;
  free(jobs);
  return NULL;
}

void sv_jobs_end(sv_jobs *jobs) {
  if (!jobs || jobs->closing) return;
  pthread_mutex_lock(&jobs->mutex);
  jobs->closing = true;
  pthread_cond_broadcast(&jobs->changed);
  pthread_mutex_unlock(&jobs->mutex);
  pthread_join(jobs->thread, NULL);
}

void sv_jobs_close(sv_jobs *jobs) {
  if (!jobs) return;
  sv_jobs_end(jobs);
  pthread_cond_destroy(&jobs->changed);
  pthread_mutex_destroy(&jobs->mutex);
  free(jobs);
}

void sv_jobs_wake(sv_server *server, const char *store) {
  sv_jobs *jobs = server->jobs;
  if (!jobs) return;
  pthread_mutex_lock(&jobs->mutex);
  for (size_t i = 0; i < jobs->count; i++) {
    job *j = &jobs->all[i];
    if (!j->on_change || j->changed || strcmp(j->store, store) != 0) continue;
    j->changed = true;
    pthread_cond_signal(&jobs->changed);
  }
  pthread_mutex_unlock(&jobs->mutex);
}

int64_t sv_jobs_indexed(sv_jobs *jobs) {
  int64_t upto = -1;
  pthread_mutex_lock(&jobs->mutex);
  for (size_t i = 0; i < jobs->count; i++)
    if (jobs->all[i].on_change) upto = jobs->all[i].upto;
  pthread_mutex_unlock(&jobs->mutex);
  return upto;
}

void sv_jobs_status(sv_jobs *jobs, sv_text *out) {
  pthread_mutex_lock(&jobs->mutex);
  sv_addz(out, "[");
  for (size_t i = 0; i < jobs->count; i++) {
    const job *j = &jobs->all[i];
    sv_addf(
        out,
        "%s{\"name\":\"%s\",\"method\":\"%s\",\"every_seconds\":%lld,\"runs\":%lld,\"failures\":%lld,\"running\":%s",
        i ? "," : "", j->name, j->method, (long long)j->every_s, (long long)j->runs, (long long)j->failures,
        j->running ? "true" : "false");
    sv_addf(out, ",\"last_started\":%.3f,\"last_ms\":%.3f", j->last_started, j->last_ms);
    sv_add_member(out, "last_error", j->last_error);
    sv_addf(out, ",\"heartbeat\":%.3f}", jobs->heartbeat);
  }
  sv_addz(out, "]");
  pthread_mutex_unlock(&jobs->mutex);
}
