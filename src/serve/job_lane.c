/* job_lane.c - a thread that runs the jobs of its lane as they become due.
**
** Each job is a call of a method, through the lane's own handle: writers and readers of the server never
** wait for it longer than for any other process. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../door/json.h"
#include "follow.h"
#include "job.h"
#include "log.h"
#include "server.h"
#include "writer.h"

/* For whoever started the server, of the job that takes in what others write. */
static void show(const sv_jobs *jobs, const char *what, int64_t done, int64_t total) {
  const serve_options *options = jobs->server->options;
  if (options->progress) options->progress(options->user, what, done, total);
}

/* What the library tells while a job runs: a sign of life, and how far it is. */
static int on_progress(void *user, const char *what, int64_t done, int64_t total) {
  sv_lane *lane = user;
  sv_jobs *jobs = lane->jobs;
  sv_job *job = lane->at;
  bool wrote = false;
  if (!job) return 0;
  pthread_mutex_lock(&jobs->mutex);
  if (job->feeds && (job->done != done || strcmp(job->what, what) != 0)) {
    sv_jobs_note(jobs, job->feeds);
    wrote = true;
  }
  snprintf(job->what, sizeof job->what, "%s", what);
  job->done = done;
  job->total = total;
  job->heartbeat = sv_wall_clock();
  pthread_mutex_unlock(&jobs->mutex);
  if (wrote) sv_followers_wake(jobs->server, job->feeds);
  if (job->feeds) show(jobs, what, done, total);
  return atomic_load(&jobs->closing);
}

static void begin(sv_lane *lane, sv_job *job) {
  pthread_mutex_lock(&lane->jobs->mutex);
  job->running = true;
  job->last_started = job->heartbeat = sv_wall_clock();
  job->what[0] = '\0';
  job->done = job->total = 0;
  pthread_mutex_unlock(&lane->jobs->mutex);
  lane->at = job;
}

static void end(sv_lane *lane, sv_job *job, stele_status status, const char *problem, int64_t took_us, int64_t newest) {
  bool failed = status != STELE_OK && status != STELE_CANCELLED;
  lane->at = NULL;
  pthread_mutex_lock(&lane->jobs->mutex);
  if (status == STELE_OK) job->upto = newest;
  job->running = false;
  job->runs++;
  job->failures += failed;
  job->off = status == STELE_DENIED;
  job->last_ms = (double)took_us / 1000;
  snprintf(job->last_error, sizeof job->last_error, "%s", status == STELE_OK ? "" : problem);
  job->next_us = sv_now_us() + job->every_s * 1000000;
  pthread_mutex_unlock(&lane->jobs->mutex);
  if (job->feeds) show(lane->jobs, "", 0, 0);
  if (failed) sv_log(job->off ? STELE_LOG_WARNING : STELE_LOG_ERROR, "%s: %s", job->name, job->last_error);
}

/* For work that has to wait: false when the server ends. */
static bool rest(void *user, int64_t ms) {
  sv_jobs *jobs = ((sv_lane *)user)->jobs;
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)(ms / 1000);
  until.tv_nsec += (long)(ms % 1000) * 1000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&jobs->mutex);
  for (int timed_out = ms == 0; !jobs->closing && !timed_out;)
    timed_out = pthread_cond_timedwait(&jobs->changed, &jobs->mutex, &until) != 0;
  pthread_mutex_unlock(&jobs->mutex);
  return !jobs->closing;
}

static void run_work(sv_lane *lane, sv_job *job) {
  int64_t began = sv_now_us();
  char problem[sizeof job->last_error] = "";
  begin(lane, job);
  bool good = job->work->run(job->work->user, lane->db, rest, lane, problem, sizeof problem);
  stele_status status = good ? STELE_OK : lane->jobs->closing ? STELE_CANCELLED : STELE_UNAVAILABLE;
  end(lane, job, status, problem, sv_now_us() - began, 0);
}

/* What a method that went well has to say besides. */
static void keep_remarks(sv_lane *lane, sv_job *job, const char *reply) {
  const char *note = reply ? stele_notes(lane->db) : "";
  pthread_mutex_lock(&lane->jobs->mutex);
  snprintf(job->note, sizeof job->note, "%s", note);
  job->paused = reply && json_kind(json_member(json_read(reply, strlen(reply)), "paused")) == 't';
  pthread_mutex_unlock(&lane->jobs->mutex);
  if (*note) sv_log(STELE_LOG_INFO, "%s: %s", job->name, note);
}

static void run_method(sv_lane *lane, sv_job *job) {
  char *reply = NULL;
  int64_t began = sv_now_us();
  begin(lane, job);
  if (!job->args) job->args = job->make_args(lane->jobs->server->options->user, lane->db);
  int64_t newest = strcmp(job->name, SV_JOB_INDEX) == 0 ? sv_job_ask(lane->db, "conversation.follow_from", "{}") : 0;
  stele_status status = job->args ? stele_call(lane->db, job->method, job->args, &reply) : stele_error(lane->db)->status;
  keep_remarks(lane, job, status == STELE_OK ? reply : NULL);
  stele_free(reply);
  end(lane, job, status, stele_error(lane->db)->message, sv_now_us() - began, newest);
}

static void run_job(sv_lane *lane, sv_job *job) {
  (job->work ? run_work : run_method)(lane, job);
  sv_record_run(lane->jobs, lane->db, job);
}

/* With the mutex held. */
static bool is_due(const sv_lane *lane, const sv_job *job) {
  if (job->lane != lane->name || job->off) return false;
  if (job->needs && !sv_writer_present(lane->jobs->server->writers, job->needs)) return false;
  if (sv_now_us() < job->next_us && !job->changed) return false;
  return !job->waits || job->waits(lane->jobs->server->place.home);
}

static sv_job *next_due(sv_lane *lane) {
  sv_jobs *jobs = lane->jobs;
  sv_job *due = NULL;
  pthread_mutex_lock(&jobs->mutex);
  for (size_t i = 0; i < jobs->count && !due; i++)
    if (is_due(lane, &jobs->all[i])) due = &jobs->all[i];
  if (due) due->changed = false;
  pthread_mutex_unlock(&jobs->mutex);
  return due;
}

/* A change waits a second for others: they are indexed together. */
static void wait(sv_lane *lane) {
  sv_jobs *jobs = lane->jobs;
  struct timespec until;
  bool pending = false;
  clock_gettime(CLOCK_MONOTONIC, &until);
  pthread_mutex_lock(&jobs->mutex);
  int64_t next = SV_HEARTBEAT_S;
  for (size_t i = 0; i < jobs->count; i++) {
    const sv_job *job = &jobs->all[i];
    if (job->lane != lane->name) continue;
    int64_t left = (job->next_us - sv_now_us()) / 1000000 + 1;
    pending = pending || job->changed;
    if (left > 0 && left < next) next = left;
  }
  until.tv_sec += pending ? 1 : next;
  if (!jobs->closing) pthread_cond_timedwait(&jobs->changed, &jobs->mutex, &until);
  pthread_mutex_unlock(&jobs->mutex);
}

static void beat(sv_lane *lane) {
  pthread_mutex_lock(&lane->jobs->mutex);
  for (size_t i = 0; i < lane->jobs->count; i++)
    if (lane->jobs->all[i].lane == lane->name) lane->jobs->all[i].heartbeat = sv_wall_clock();
  pthread_mutex_unlock(&lane->jobs->mutex);
  if (lane->name == SV_LANE_UPKEEP) sv_record_beat(lane->jobs, lane->db);
}

void *sv_lane_run(void *argument) {
  sv_lane *lane = argument;
  sv_jobs *jobs = lane->jobs;
  stele_options place = jobs->server->place;
  int64_t beaten_us = 0;
  place.progress = on_progress;
  place.user = lane;
  stele_open(&place, &lane->db);
  if (lane->name == SV_LANE_UPKEEP) sv_record_begin(jobs, lane->db);
  while (!jobs->closing) {
    if (!beaten_us || sv_now_us() - beaten_us >= SV_HEARTBEAT_S * 1000000LL) {
      beat(lane);
      beaten_us = sv_now_us();
    }
    for (sv_job *job; !jobs->closing && (job = next_due(lane)) != NULL;) run_job(lane, job);
    wait(lane);
  }
  if (lane->name == SV_LANE_UPKEEP) sv_record_end(jobs, lane->db);
  stele_close(lane->db);
  return NULL;
}
