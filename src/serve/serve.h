/* serve.h - the server, as the command line starts it.  The only header of this directory that
** another may include. */
#ifndef SERVE_H
#define SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../door/limits.h"
#include "stele.h"

/* Work of somebody else's, on a thread of the server's own, again and again. */
typedef struct serve_work {
  const char *name;   /* "github" */
  const char *method; /* the one that it calls most, for the lists of jobs */
  int64_t every_s;
  /* False: it failed, and `problem` says why.  wait() is false when the server ends. */
  bool (*run)(void *user, stele_db *db, bool (*wait)(void *waiter, int64_t ms), void *waiter, char *problem, size_t room);
  void *user;
} serve_work;

typedef struct serve_options {
  const stele_options *place; /* how handles are opened; its callbacks are not used */
  const char *host;           /* NULL: 127.0.0.1 */
  const char *port;           /* NULL: 7878; "0": any that is free */
  const char *socket;         /* a unix socket besides, or NULL */
  const char *allow_hosts;    /* further names it may be called by, with commas between; or NULL */
  const char *pub;            /* folder of the sessions whose pub folders are given out; or NULL */
  const serve_limits *limits; /* NULL: the defaults */
  /* The arguments of conversation.watch_transcripts, as JSON in new memory (NULL: the handle tells why not).  Asked for
  ** when the watch begins.  NULL: the server does not watch. */
  char *(*transcripts)(void *user, stele_db *db);
  /* The arguments of capture.enrich, in the same way.  NULL: the server does not learn from what was captured. */
  char *(*enrichment)(void *user, stele_db *db);
  int64_t enrich_every_s;
  /* The arguments of stele.upkeep, in the same way.  NULL: the server does not see to it. */
  char *(*upkeep)(void *user, stele_db *db);
  int64_t upkeep_every_s;
  /* The arguments of stele.retain, likewise. */
  char *(*retention)(void *user, stele_db *db);
  int64_t retention_every_s;
  const serve_work *forge; /* takes in runs of workflows; NULL: nothing does */
  /* What happens, for whoever shows it; each may be NULL.  They are called on threads of the server. */
  void (*ready)(void *user, const char *address);                              /* "http://127.0.0.1:7878": it listens */
  void (*progress)(void *user, const char *what, int64_t done, int64_t total); /* of watching; what "": it has ended */
  void (*log)(void *user, stele_log_level level, const char *message);         /* events; NULL: lines on stderr */
  void *user;                                                                  /* passed to all of these */
} serve_options;

/* Serve until a signal says stop.  Problems and events go to stderr.  Returns the exit status. */
int serve_run(const serve_options *options);

/* A line among those of the server, on stderr. */
void serve_say(stele_log_level level, const char *message);

#endif
