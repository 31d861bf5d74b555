/* audit.c - see audit.h. */
#include "audit.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit_line.h"
#include "log.h"
#include "logfile.h"
#include "metrics.h"
#include "server.h"

/* A folder that lines go to. */
typedef struct sink {
  const char *what;
  sv_logfile file;
  bool failing; /* told, until a line could be written again */
  char directory[4096];
} sink;

struct sv_audit {
  sv_server *server;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  sv_audit_entry *first, *last;
  int64_t waiting;
  bool closing;
  /* of the thread */
  stele_db *db;
  sink days, sessions;
  int64_t told; /* of those that were dropped */
};

/* ---- The thread ---- */

static void tell_failed(sv_audit *audit, sink *to, int why) {
  sv_count(audit->server->metrics, SV_AUDIT_FAILED);
  if (!to->failing) sv_log(STELE_LOG_ERROR, "%s in %s cannot be written: %s", to->what, to->directory, strerror(why));
  to->failing = true;
}

static void put(sv_audit *audit, sink *to, const char *name, const sv_text *line) {
  if (line->failed) {
    tell_failed(audit, to, ENOMEM);
  } else if (!sv_logfile_add(&to->file, name, line->bytes, line->length)) {
    tell_failed(audit, to, errno);
  } else {
    sv_count(audit->server->metrics, SV_AUDITED);
    if (to->failing) sv_log(STELE_LOG_INFO, "%s in %s is written again", to->what, to->directory);
    to->failing = false;
  }
}

/* To the file of its day: YYYY-MM-DD.jsonl, by UTC. */
static void put_day(sv_audit *audit, const sv_audit_entry *entry) {
  char name[32];
  struct tm parts;
  sv_text line = {0};
  gmtime_r(&entry->at.tv_sec, &parts);
  strftime(name, sizeof name, "%Y-%m-%d.jsonl", &parts);
  sv_audit_line(entry, audit->db, &line);
  put(audit, &audit->days, name, &line);
  sv_text_free(&line);
}

static void put_session(sv_audit *audit, const sv_audit_entry *entry) {
  char name[SV_LOGFILE_NAME + 1];
  sv_text line = {0};
  if (!sv_audit_session_file(entry, audit->db, name, sizeof name)) return;
  sv_audit_session_line(entry, &line);
  put(audit, &audit->sessions, name, &line);
  sv_text_free(&line);
}

/* Whenever the thread has come to the end of the queue: then it can be told without falling behind. */
static void tell_dropped(sv_audit *audit) {
  int64_t dropped = sv_counted(audit->server->metrics, SV_AUDIT_DROPPED);
  if (dropped == audit->told) return;
  sv_log(STELE_LOG_WARNING, "%lld calls are missing in the audit: too many waited to be written",
         (long long)(dropped - audit->told));
  audit->told = dropped;
}

static sv_audit_entry *take(sv_audit *audit) {
  pthread_mutex_lock(&audit->mutex);
  while (!audit->first && !audit->closing) pthread_cond_wait(&audit->changed, &audit->mutex);
  sv_audit_entry *all = audit->first;
  audit->first = audit->last = NULL;
  audit->waiting = 0;
  pthread_mutex_unlock(&audit->mutex);
  return all;
}

static void *run(void *argument) {
  sv_audit *audit = argument;
  sv_audit_entry *entry;
  audit->db = sv_server_open(audit->server, STELE_OPEN_READONLY);
  while ((entry = take(audit)) != NULL) {
    while (entry) {
      sv_audit_entry *next = entry->next;
      if (audit->server->limits.audit) put_day(audit, entry);
      if (audit->server->limits.logs) put_session(audit, entry);
      free(entry);
      entry = next;
    }
    tell_dropped(audit);
  }
  tell_dropped(audit);
  sv_logfile_close(&audit->days.file);
  sv_logfile_close(&audit->sessions.file);
  stele_close(audit->db);
  return NULL;
}

/* ---- Those who note ---- */

static bool enqueue(sv_audit *audit, sv_audit_entry *entry) {
  pthread_mutex_lock(&audit->mutex);
  bool room = audit->waiting < audit->server->limits.audit_queue;
  if (room) {
    if (audit->last)
      audit->last->next = entry;
    else
      audit->first = entry;
    audit->last = entry;
    audit->waiting++;
    pthread_cond_signal(&audit->changed);
  }
  pthread_mutex_unlock(&audit->mutex);
  return room;
}

void sv_audit_note(sv_server *server, const sv_audited *what) {
  if (!server->audit) return;
  sv_audit_entry *entry = sv_audit_entry_new(what, server->limits.logs);
  if (entry && enqueue(server->audit, entry)) return;
  sv_count(server->metrics, SV_AUDIT_DROPPED);
  free(entry);
}

static void open_sink(sink *to, const char *what, const char *home, const char *folder) {
  to->what = what;
  snprintf(to->directory, sizeof to->directory, "%s/%s", home, folder);
  to->file.directory = to->directory;
}

sv_audit *sv_audit_open(sv_server *server) {
  sv_audit *audit = calloc(1, sizeof *audit);
  if (!audit) return NULL;
  audit->server = server;
  open_sink(&audit->days, "the audit", server->place.home, "audit");
  open_sink(&audit->sessions, "the log of a session", server->place.home, "logs/sessions");
  pthread_mutex_init(&audit->mutex, NULL);
  pthread_cond_init(&audit->changed, NULL);
  if (pthread_create(&audit->thread, NULL, run, audit) == 0) return audit;
  sv_log(STELE_LOG_ERROR, "no thread can be started for the audit");
  free(audit);
  return NULL;
}

void sv_audit_close(sv_audit *audit) {
  if (!audit) return;
  pthread_mutex_lock(&audit->mutex);
  audit->closing = true;
  pthread_cond_signal(&audit->changed);
  pthread_mutex_unlock(&audit->mutex);
  pthread_join(audit->thread, NULL);
  pthread_cond_destroy(&audit->changed);
  pthread_mutex_destroy(&audit->mutex);
  free(audit);
}
