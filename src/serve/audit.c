/* audit.c - see audit.h. */
#include "audit.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit_file.h"
#include "audit_line.h"
#include "log.h"
#include "metrics.h"
#include "server.h"

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
  sv_audit_file file;
  bool failing; /* told, until a line could be written again */
  int64_t told; /* of those that were dropped */
  char directory[4096];
};

/* ---- The thread ---- */

static void tell_failed(sv_audit *audit, int why) {
  sv_count(audit->server->metrics, SV_AUDIT_FAILED);
  if (!audit->failing)
    sv_log(STELE_LOG_ERROR, "the audit in %s cannot be written: %s", audit->directory, strerror(why));
  audit->failing = true;
}

static void put(sv_audit *audit, const sv_audit_entry *entry) {
  sv_text line = {0};
  sv_audit_line(entry, audit->db, &line);
  if (line.failed) {
    tell_failed(audit, ENOMEM);
  } else if (!sv_audit_file_add(&audit->file, entry->at.tv_sec, line.bytes, line.length)) {
    tell_failed(audit, errno);
  } else {
    sv_count(audit->server->metrics, SV_AUDITED);
    if (audit->failing) sv_log(STELE_LOG_INFO, "the audit in %s is written again", audit->directory);
    audit->failing = false;
  }
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
      put(audit, entry);
      free(entry);
      entry = next;
    }
    tell_dropped(audit);
  }
  tell_dropped(audit);
  sv_audit_file_close(&audit->file);
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
  sv_audit_entry *entry = sv_audit_entry_new(what);
  if (entry && enqueue(server->audit, entry)) return;
  sv_count(server->metrics, SV_AUDIT_DROPPED);
  free(entry);
}

sv_audit *sv_audit_open(sv_server *server) {
  const char *home = server->place.home;
  sv_audit *audit = home && strcmp(home, ":memory:") != 0 ? calloc(1, sizeof *audit) : NULL;
  if (!audit) {
    sv_log(STELE_LOG_ERROR, "audit=on needs a home to write to");
    return NULL;
  }
  audit->server = server;
  snprintf(audit->directory, sizeof audit->directory, "%s/audit", home);
  audit->file.directory = audit->directory;
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
