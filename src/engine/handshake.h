/* handshake.h - the versions that must agree where programs work on one store: of the file, of the programs that serve it,
** and of the workers that take work from it.
**
** A program that meets a file of another version than it expects would write what others cannot read.  A worker says what
** it expects (the feature `workers` of its store keeps that), a server leaves its numbers in serve.pid. */
#ifndef ST_HANDSHAKE_H
#define ST_HANDSHAKE_H

#include "engine/state.h"

#define ST_WORKER_RUNS_MS (INT64_C(600) * 1000) /* a worker that was not seen for so long does not run any more */

/* Why they do not agree. */
typedef enum st_discord {
  ST_AGREED,
  ST_WORKER_OLDER, /* Stele was updated, the worker not yet */
  ST_WORKER_NEWER, /* the other way round */
  ST_SERVER_OTHER, /* the server was not started again after an update */
  ST_FILE_NEWER,   /* newer programs had the file, and were replaced by older ones */
  ST_FILE_OLDER,   /* nothing has used it since an update */
  ST_FILE_FRESH    /* there is nothing yet */
} st_discord;

typedef struct st_handshake {
  int file;           /* 0: there is nothing yet; -1: it cannot be told */
  int library;        /* of this program */
  int server;         /* 0: none runs; -1: one of another version runs, which does not say */
  int worker;         /* what the running worker expects that fits least; 0: none runs */
  char who[100];      /* that worker */
  st_discord discord;
  char cause[400], fix[600]; /* "" when all agree */
} st_handshake;

/* Do workers of that store say what they expect? */
bool st_has_workers(const st_store *store);

/* Fill in all but the worker, from a look at the store. */
void st_handshake_begin(const st_opened *opened, const st_state *state, const char *home, st_handshake *out);
/* Of the workers that run, the one that fits least.  The store is opened for reading only.  STELE_OK, or why they cannot be read. */
stele_status st_handshake_workers(const st_opened *opened, int64_t now, st_handshake *out);
/* What does not agree, why, and what to do. */
void st_handshake_judge(const st_opened *opened, st_handshake *out);

/* Must a server not start?  Not while a worker or another server expects something else. */
bool st_handshake_refuses(const st_handshake *found);

#endif
