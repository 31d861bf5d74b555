/* job_record.c - the server's own life in the telemetry store: a session with a heartbeat, and every run of a job. */
#include <stdio.h>

#include "job.h"
#include "log.h"
#include "server.h"

#define APP "stele.serve"

int64_t sv_job_ask(stele_db *db, const char *method, const char *args) {
  stele_stmt *stmt = NULL;
  int64_t number = 0;
  stele_status status = stele_prepare(db, method, &stmt);
  if (status == STELE_OK) status = stele_bind_json(stmt, "", args);
  if (status == STELE_OK) status = stele_step(stmt);
  if (status == STELE_ROW) number = stele_column_int(stmt, 0);
  if (status != STELE_ROW && status != STELE_DONE) sv_log(STELE_LOG_WARNING, "%s", stele_error(db)->message);
  stele_finalize(stmt);
  return number;
}

static int64_t session_of(sv_jobs *jobs) {
  pthread_mutex_lock(&jobs->mutex);
  int64_t session = jobs->session;
  pthread_mutex_unlock(&jobs->mutex);
  return session;
}

static int64_t register_job(stele_db *db, const sv_job *job) {
  char args[300];
  snprintf(args, sizeof args,
           "{\"app_key\":\"" APP "\",\"instance_index\":0,\"job_name\":\"%s\",\"handler_method\":\"%s\","
           "\"trigger_type\":\"interval\",\"trigger_value\":\"%lld\",\"repeat\":true,\"source_location\":\"jobs.c\"}",
           job->name, job->method, (long long)job->every_s);
  return sv_job_ask(db, "telemetry.register_job", args);
}

void sv_record_begin(sv_jobs *jobs, stele_db *db) {
  if (!jobs->server->limits.record) return;
  int64_t session = sv_job_ask(db, "telemetry.create_session", "{}");
  for (size_t i = 0; session && i < jobs->count; i++) {
    int64_t id = register_job(db, &jobs->all[i]);
    pthread_mutex_lock(&jobs->mutex);
    jobs->all[i].id = id;
    pthread_mutex_unlock(&jobs->mutex);
  }
  pthread_mutex_lock(&jobs->mutex);
  jobs->session = session;
  pthread_mutex_unlock(&jobs->mutex);
}

static void tell_session(sv_jobs *jobs, stele_db *db, const char *method) {
  char args[64];
  int64_t session = session_of(jobs);
  if (!session) return;
  snprintf(args, sizeof args, "{\"session_id\":%lld}", (long long)session);
  sv_job_ask(db, method, args);
}

void sv_record_beat(sv_jobs *jobs, stele_db *db) {
  tell_session(jobs, db, "telemetry.update_heartbeat");
}

void sv_record_end(sv_jobs *jobs, stele_db *db) {
  tell_session(jobs, db, "telemetry.finalize_session");
}

void sv_record_run(sv_jobs *jobs, stele_db *db, const sv_job *job) {
  sv_text args = {0};
  int64_t session = session_of(jobs);
  if (!session || !job->id) return;
  sv_addf(&args,
          "{\"job_id\":%lld,\"session_id\":%lld,\"execution_start_dtme\":%.6f,\"duration_ms\":%.3f,\"status\":\"%s\"",
          (long long)job->id, (long long)session, job->last_started, job->last_ms,
          job->last_error[0] ? "error" : "success");
  if (job->last_error[0]) sv_add_member(&args, "error_message", job->last_error);
  sv_addz(&args, "}");
  if (!args.failed) sv_job_ask(db, "telemetry.record_execution", args.bytes);
  sv_text_free(&args);
}
