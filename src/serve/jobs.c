/* jobs.c - see jobs.h: which jobs there are, their start and end, and what is told of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../ingest/fallback.h"
#include "../ingest/place.h"
#include "call.h"
#include "job.h"
#include "metrics_text.h"
#include "server.h"

double sv_wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- The list ---- */

static void add(sv_jobs *jobs, sv_job job) {
  int64_t first_s = job.on_change || job.feeds || job.at_start || job.work ? 0 : job.every_s < 60 ? job.every_s : 60; /* not all at the start */
  job.next_us = sv_now_us() + first_s * 1000000;
  jobs->all[jobs->count++] = job;
}

/* NULL: no memory. */
static char *replay_args(const sv_server *server) {
  char directory[ST_PLACE_MAX] = "";
  sv_text args = {0};
  st_place_fallback(server->place.home, directory);
  sv_addz(&args, "{\"directory\":");
  sv_add_quoted(&args, directory);
  sv_addz(&args, "}");
  return sv_text_take(&args);
}

/* False: no memory. */
/* What the capture store wants done now and then: its sources forget nothing, its counts are true, its workers hold nothing for ever. */
static void add_upkeep_of_capture(sv_jobs *jobs) {
  static const struct {
    const char *name, *method;
    int every_s;
  } upkeep[] = {
      {"sweep", "capture.sweep_unqueued", 300},
      {"reap", "capture.reap", 300},
      {"counts", "capture.refresh_source_counts", 300},
      {"probes", "capture.prune_probes", 3600},
  };
  for (size_t i = 0; i < sizeof upkeep / sizeof *upkeep; i++)
    add(jobs, (sv_job){.name = upkeep[i].name,
                       .method = upkeep[i].method,
                       .needs = "capture",
                       .args = strdup("{}"),
                       .every_s = upkeep[i].every_s});
}

/* Each store's index is brought up to date soon after it was written to. */
static void add_indexing(sv_jobs *jobs) {
  static const struct {
    const char *name, *store, *args;
  } indexes[] = {
      {SV_JOB_INDEX, SV_INDEX_FOLLOWED, "{\"stores\":[\"" SV_INDEX_FOLLOWED "\"]}"},
      {"index-capture", "capture", "{\"stores\":[\"capture\"]}"},
      {"index-telemetry", "telemetry", "{\"stores\":[\"telemetry\"]}"},
      {"index-assistant", "assistant", "{\"stores\":[\"assistant\"]}"},
      {"index-planner", "planner", "{\"stores\":[\"planner\"]}"},
      {"index-server", "server", "{\"stores\":[\"server\"]}"},
  };
  for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++)
    add(jobs, (sv_job){.name = indexes[i].name,
                       .method = "recall.index",
                       .needs = indexes[i].store,
                       .on_change = true,
                       .args = strdup(indexes[i].args),
                       .every_s = 300});
}

/* Backups, and the end of old ones: only what a newer one makes unneeded. */
static void add_backups(sv_jobs *jobs, const serve_limits *limits) {
  char kept[128];
  add(jobs, (sv_job){.name = "backup", .method = "stele.backup", .args = strdup("{}"), .every_s = limits->backup});
  if (!limits->backup_hourly && !limits->backup_daily && !limits->backup_weekly) return;
  snprintf(kept, sizeof kept, "{\"hourly\":%lld,\"daily\":%lld,\"weekly\":%lld}", (long long)limits->backup_hourly,
           (long long)limits->backup_daily, (long long)limits->backup_weekly);
  add(jobs, (sv_job){.name = "prune-backups", .method = "stele.prune_backups", .args = strdup(kept), .every_s = limits->backup});
}

static bool add_all(sv_jobs *jobs) {
  const sv_server *server = jobs->server;
  const serve_limits *limits = &server->limits;
  add_indexing(jobs);
  if (limits->backup) add_backups(jobs, limits);
  if (limits->watchdog)
    add(jobs, (sv_job){.name = "watchdog",
                       .method = "capture.run_watchdog",
                       .needs = "capture",
                       .args = strdup("{}"),
                       .lane = SV_LANE_WATCHDOG,
                       .every_s = limits->watchdog});
  add_upkeep_of_capture(jobs);
  if (limits->ingest && server->place.home)
    add(jobs, (sv_job){.name = "replay",
                       .method = "capture.replay_fallback",
                       .waits = st_fallback_waits,
                       .at_start = true,
                       .args = replay_args(server),
                       .every_s = 60});
  for (size_t i = 0; i < jobs->count; i++)
    if (!jobs->all[i].args) return false;
  if (limits->watch && server->options->transcripts)
    add(jobs, (sv_job){.name = "watch",
                       .method = "conversation.watch_transcripts",
                       .feeds = "conversation",
                       .make_args = server->options->transcripts,
                       .lane = SV_LANE_WATCH,
                       .every_s = 300});
  if (server->options->enrichment)
    add(jobs, (sv_job){.name = "enrich",
                       .method = "capture.enrich",
                       .needs = "capture",
                       .make_args = server->options->enrichment,
                       .lane = SV_LANE_ENRICH,
                       .every_s = server->options->enrich_every_s});
  if (server->options->upkeep)
    add(jobs, (sv_job){.name = "upkeep",
                       .method = "stele.upkeep",
                       .make_args = server->options->upkeep,
                       .every_s = server->options->upkeep_every_s});
  if (server->options->retention)
    add(jobs, (sv_job){.name = "retention",
                       .method = "stele.retain",
                       .make_args = server->options->retention,
                       .every_s = server->options->retention_every_s});
  if (server->options->forge)
    add(jobs, (sv_job){.name = server->options->forge->name,
                       .method = server->options->forge->method,
                       .work = server->options->forge,
                       .lane = SV_LANE_FORGE,
                       .every_s = server->options->forge->every_s});
  return true;
}

/* ---- Opening, closing ---- */

static bool start(sv_jobs *jobs, sv_lane_name name) {
  sv_lane *lane = &jobs->lanes[name];
  bool wanted = name == SV_LANE_UPKEEP; /* which also keeps the record */
  for (size_t i = 0; i < jobs->count; i++) wanted = wanted || jobs->all[i].lane == name;
  if (!wanted) return true;
  lane->jobs = jobs;
  lane->name = name;
  lane->started = pthread_create(&lane->thread, NULL, sv_lane_run, lane) == 0;
  return lane->started;
}

sv_jobs *sv_jobs_open(sv_server *server) {
  pthread_condattr_t clock;
  sv_jobs *jobs = calloc(1, sizeof *jobs);
  if (!jobs) return NULL;
  jobs->server = server;
  pthread_mutex_init(&jobs->mutex, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&jobs->changed, &clock);
  pthread_condattr_destroy(&clock);
  bool good = !server->limits.jobs || add_all(jobs);
  for (int lane = 0; good && lane < SV_LANES; lane++) good = start(jobs, (sv_lane_name)lane);
  if (good) return jobs;
  sv_jobs_close(jobs);
  return NULL;
}

void sv_jobs_end(sv_jobs *jobs) {
  if (!jobs || jobs->closing) return;
  pthread_mutex_lock(&jobs->mutex);
  jobs->closing = true;
  pthread_cond_broadcast(&jobs->changed);
  pthread_mutex_unlock(&jobs->mutex);
  for (size_t i = 0; i < SV_LANES; i++)
    if (jobs->lanes[i].started) pthread_join(jobs->lanes[i].thread, NULL);
}

void sv_jobs_close(sv_jobs *jobs) {
  if (!jobs) return;
  sv_jobs_end(jobs);
  pthread_cond_destroy(&jobs->changed);
  pthread_mutex_destroy(&jobs->mutex);
  for (size_t i = 0; i < jobs->count; i++) free(jobs->all[i].args);
  free(jobs);
}

/* ---- While they run ---- */

void sv_jobs_note(sv_jobs *jobs, const char *store) {
  for (size_t i = 0; i < jobs->count; i++) {
    sv_job *job = &jobs->all[i];
    if (!job->on_change || job->changed || strcmp(job->needs, store) != 0) continue;
    job->changed = true;
    pthread_cond_broadcast(&jobs->changed);
  }
}

void sv_jobs_wake(sv_server *server, const char *store) {
  sv_jobs *jobs = server->jobs;
  if (!jobs) return;
  pthread_mutex_lock(&jobs->mutex);
  sv_jobs_note(jobs, store);
  pthread_mutex_unlock(&jobs->mutex);
}

int64_t sv_jobs_indexed(sv_jobs *jobs) {
  int64_t upto = -1;
  pthread_mutex_lock(&jobs->mutex);
  for (size_t i = 0; i < jobs->count; i++)
    if (strcmp(jobs->all[i].name, SV_JOB_INDEX) == 0) upto = jobs->all[i].upto;
  pthread_mutex_unlock(&jobs->mutex);
  return upto;
}

static void add_progress(sv_text *out, const sv_job *job) {
  sv_addz(out, ",\"progress\":");
  if (!job->running || !job->what[0]) {
    sv_addz(out, "null");
    return;
  }
  sv_addz(out, "{\"what\":");
  sv_add_quoted(out, job->what);
  sv_addf(out, ",\"done\":%lld,\"total\":%lld}", (long long)job->done, (long long)job->total);
}

void sv_jobs_status(sv_jobs *jobs, sv_text *out) {
  pthread_mutex_lock(&jobs->mutex);
  sv_addz(out, "[");
  for (size_t i = 0; i < jobs->count; i++) {
    const sv_job *job = &jobs->all[i];
    sv_addf(
        out,
        "%s{\"name\":\"%s\",\"method\":\"%s\",\"every_seconds\":%lld,\"runs\":%lld,\"failures\":%lld,\"running\":%s",
        i ? "," : "", job->name, job->method, (long long)job->every_s, (long long)job->runs, (long long)job->failures,
        job->running ? "true" : "false");
    add_progress(out, job);
    sv_addf(out, ",\"last_started\":%.3f,\"last_ms\":%.3f", job->last_started, job->last_ms);
    sv_add_member(out, "last_error", job->last_error);
    sv_add_member(out, "note", job->note);
    sv_addf(out, ",\"paused\":%s", job->paused ? "true" : "false");
    sv_addf(out, ",\"heartbeat\":%.3f}", job->heartbeat);
  }
  sv_addz(out, "]");
  pthread_mutex_unlock(&jobs->mutex);
}

void sv_jobs_metrics(sv_jobs *jobs, sv_text *out) {
  static const char *const figures[][3] = {
      {"stele_job_runs_total", "counter", "Runs of a background job."},
      {"stele_job_failures_total", "counter", "Runs of it that failed."},
      {"stele_job_heartbeat_timestamp_seconds", "gauge", "Its last sign of life."},
  };
  pthread_mutex_lock(&jobs->mutex);
  for (size_t n = 0; n < sizeof figures / sizeof *figures; n++) {
    sv_metric_head(out, figures[n][0], figures[n][1], figures[n][2]);
    for (size_t i = 0; i < jobs->count; i++) {
      const sv_job *job = &jobs->all[i];
      double value = n == 0 ? (double)job->runs : n == 1 ? (double)job->failures : job->heartbeat;
      sv_addf(out, "%s{job=\"%s\"} %.*f\n", figures[n][0], job->name, n == 2 ? 3 : 0, value);
    }
  }
  pthread_mutex_unlock(&jobs->mutex);
}
