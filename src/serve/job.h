/* job.h - what jobs.c, job_lane.c and job_record.c share: one job, and all of them.
**
** A lane is a thread with a handle of its own.  Jobs of one lane take turns; one that never comes to an
** end by itself, such as watching, has a lane for itself, and so has one that may never be late. */
#ifndef SERVE_JOB_H
#define SERVE_JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "jobs.h"
#include "stele.h"

#define SV_HEARTBEAT_S 60
#define SV_JOB_INDEX "index" /* of the store below: how far it is, the metrics tell */
#define SV_INDEX_FOLLOWED "conversation"

typedef enum sv_lane_name { SV_LANE_UPKEEP, SV_LANE_WATCH, SV_LANE_FORGE, SV_LANE_WATCHDOG, SV_LANE_ENRICH, SV_LANES } sv_lane_name;

typedef struct sv_job {
  const char *name, *method;
  const struct serve_work *work;    /* what is done in the place of the method; NULL: the method is called */
  const char *needs;                /* a store without which there is no work; NULL: none */
  bool (*waits)(const char *home);  /* is there work, in this home?  NULL: always */
  const char *feeds;                /* the store it writes to as it goes; NULL: none that others wait for */
  char *args;                       /* JSON; NULL: not made yet */
  char *(*make_args)(void *user, stele_db *db); /* of the server's options: asked at the first run, if they are not made; NULL: it failed */
  sv_lane_name lane;
  int64_t every_s;
  bool at_start;   /* also when the server starts */
  bool on_change;  /* also soon after the store it needs was written to */
  bool changed;    /* it was */
  bool off;        /* it may not run here, and is not tried again */
  int64_t next_us; /* when it is due */
  int64_t id;      /* in the telemetry store; 0: not registered */
  int64_t upto;    /* of the index of conversations: the newest message when it was last made complete */
  bool running;
  char what[16]; /* while it runs: how far it is, in its own words */
  int64_t done, total;
  double heartbeat; /* when it, or its lane while it rests, last gave a sign of life */
  int64_t runs, failures;
  double last_started, last_ms;
  char last_error[200];
  char note[200]; /* what its last run remarked */
  bool paused;    /* it did nothing then, because somebody said so */
} sv_job;

typedef struct sv_lane {
  struct sv_jobs *jobs;
  sv_lane_name name;
  pthread_t thread;
  bool started;
  stele_db *db;
  sv_job *at; /* the one that runs; changed by the lane's thread only */
} sv_lane;

struct sv_jobs {
  sv_server *server;
  pthread_mutex_t mutex; /* of everything below, and of the jobs */
  pthread_cond_t changed;
  atomic_bool closing;
  int64_t session; /* the server's, in the telemetry store; 0: none */
  size_t count;
  sv_job all[32];
  sv_lane lanes[SV_LANES];
};

double sv_wall_clock(void);

/* A lane's thread; its argument is the lane. */
void *sv_lane_run(void *lane);

/* With the mutex held: a store was written to. */
void sv_jobs_note(sv_jobs *jobs, const char *store);

/* ---- The record of the server's life, in the telemetry store: job_record.c ---- */

/* A call whose first column is a number; 0: it failed, and that was told. */
int64_t sv_job_ask(stele_db *db, const char *method, const char *args);

void sv_record_begin(sv_jobs *jobs, stele_db *db);
void sv_record_beat(sv_jobs *jobs, stele_db *db);
void sv_record_run(sv_jobs *jobs, stele_db *db, const sv_job *job);
void sv_record_end(sv_jobs *jobs, stele_db *db);

#endif
