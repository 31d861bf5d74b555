/* serve.c - see serve.h: the server from its start to its end. */
#include "serve.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "audit.h"
#include "auth.h"
#include "catalogue.h"
#include "follow.h"
#include "handshake.h"
#include "http.h"
#include "ingest.h"
#include "jobs.h"
#include "log.h"
#include "long.h"
#include "metrics.h"
#include "notify.h"
#include "openapi.h"
#include "peers.h"
#include "pool.h"
#include "presence.h"
#include "pub.h"
#include "server.h"
#include "stream.h"
#include "writer.h"

stele_db *sv_server_open(const sv_server *server, unsigned flags) {
  stele_options place = server->place;
  stele_db *db = NULL;
  place.flags |= flags;
  stele_open(&place, &db);
  return db;
}

/* As many connections as the system lets us have. */
static void raise_descriptors(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static bool tell(const sv_failure *failure) {
  sv_log(STELE_LOG_ERROR, "%s%s%s", failure->message, *failure->hint ? ": " : "", failure->hint);
  return false;
}

static void on_commit(sv_server *server, const char *store) {
  if (strcmp(store, "server") == 0) atomic_fetch_add(&server->token_changes, 1);
  sv_followers_wake(server, store);
  sv_jobs_wake(server, store);
}

static bool open_logs(sv_server *server) {
  const char *home = server->place.home;
  if (!home || strcmp(home, ":memory:") == 0) {
    sv_log(STELE_LOG_ERROR, "audit=on and logs=on need a home to write to");
    return false;
  }
  if (server->limits.logs) sv_log_to(home);
  server->audit = sv_audit_open(server);
  if (!server->audit) sv_log(STELE_LOG_ERROR, "no memory or no thread for the audit");
  return server->audit != NULL;
}

/* The stores first: whatever is wrong with them, no port has been bound yet. */
static bool open_parts(sv_server *server) {
  sv_failure failure = {.status = STELE_OK};
  server->metrics = sv_metrics_new();
  server->catalogue = sv_catalogue_open();
  server->peers = server->metrics ? sv_peers_open(server) : NULL;
  if (!server->peers || !server->catalogue) return false;
  server->writers = sv_writers_open(server, &failure);
  if (!server->writers) return tell(&failure);
  if (!sv_auth_first_token(server)) return false;
  if ((server->limits.audit || server->limits.logs) && !open_logs(server)) return false;
  if (server->options->pub && !(server->pub = sv_pub_open(server))) return false;
  server->longs = sv_longs_open(server);
  server->streams = sv_streams_open(server);
  server->pool = sv_pool_open(server);
  server->followers = sv_followers_open(server);
  server->openapi = sv_openapi();
  server->jobs = sv_jobs_open(server);
  return server->longs && server->streams && server->pool && server->followers && server->openapi && server->jobs;
}

static void close_parts(sv_server *server) {
  sv_ingest_close(server->ingest);
  sv_jobs_end(server->jobs);
  sv_followers_end(server->followers);
  sv_longs_close(server->longs);
  sv_pool_close(server->pool);
  sv_writers_close(server->writers);
  sv_jobs_close(server->jobs); /* after the writers, who tell them of commits */
  sv_followers_close(server->followers);
  sv_streams_close(server->streams);
  sv_peers_close(server->peers);
  sv_pub_close(server->pub);
  sv_audit_close(server->audit); /* after all who note */
  sv_metrics_free(server->metrics);
  sv_catalogue_close(server->catalogue);
  free(server->openapi);
  for (size_t i = 0; i < server->nstores; i++) free((char *)server->stores[i]);
}

/* About once a second: what is due.  Returns when a signal says stop. */
static void run_until_stopped(sv_server *server, const sigset_t *stop) {
  int64_t every = sv_notify_watchdog() / 2, told = sv_now_us();
  for (;;) {
    struct timespec second = {.tv_sec = 1};
    int signal = sigtimedwait(stop, NULL, &second);
    if (signal == SIGTERM || signal == SIGINT) return;
    sv_peers_tick(server->peers);
    if (every && sv_now_us() - told >= every) {
      sv_notify("WATCHDOG=1");
      told = sv_now_us();
    }
  }
}

/* Let what is under way come to its end, within its time. */
static void drain(sv_server *server) {
  int64_t until = sv_now_us() + server->limits.drain * 1000000;
  while ((atomic_load(&server->requests) > 0 || sv_streams_count(server->streams) > 0) && sv_now_us() < until)
    usleep(5000);
}

static int serve(sv_server *server, const sigset_t *stop) {
  server->committed = on_commit;
  if (server->limits.ingest && !sv_ingest_open(server, &server->ingest)) {
    sv_log(STELE_LOG_ERROR, "no memory or no thread for the events of shells and browsers");
    return 1;
  }
  sv_http *http = sv_http_open(server);
  if (!http) return 1;
  sv_notify("READY=1");
  run_until_stopped(server, stop);
  sv_log(STELE_LOG_INFO, "stopping");
  sv_notify("STOPPING=1");
  atomic_store(&server->stopping, true);
  sv_http_quiesce(http);
  sv_ingest_close(server->ingest); /* who could not hand over an event keeps it */
  server->ingest = NULL;
  drain(server);
  sv_followers_end(server->followers);
  sv_longs_close(server->longs); /* what is left of the long calls is stopped, and answered */
  server->longs = NULL;
  while (atomic_load(&server->requests) > 0 || sv_streams_count(server->streams) > 0) {
    sv_peers_cut(server->peers); /* a stream that its reader does not take would never end */
    usleep(5000);
  }
  sv_http_close(http);
  return 0;
}

void serve_say(stele_log_level level, const char *message) {
  sv_log(level, "%s", message);
}

int serve_run(const serve_options *options) {
  sv_server server = {.options = options, .place = *options->place, .started_us = sv_now_us()};
  char numbers[SV_NUMBERS_MAX];
  sigset_t stop;
  int status = 1;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGHUP);                /* a terminal that goes away is no reason to stop */
  pthread_sigmask(SIG_BLOCK, &stop, NULL); /* before any thread is made: they inherit it */
  server.place.log = sv_log_library;
  server.place.progress = NULL;
  sv_log_shown_by(options->log, options->user);
  server.limits = options->limits ? *options->limits : limits_default();
  raise_descriptors();
  if (sv_handshake(&server, numbers) && open_parts(&server)) {
    int presence = sv_presence_begin(server.place.home, numbers);
    status = serve(&server, &stop);
    sv_presence_end(presence, server.place.home);
  }
  close_parts(&server);
  if (status == 0) sv_log(STELE_LOG_INFO, "stopped");
  sv_log_to(NULL);
  sv_log_shown_by(NULL, NULL);
  return status;
}
