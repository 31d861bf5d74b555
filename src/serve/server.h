/* server.h - the parts of a running server.  Each part has a header of its own. */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include <stdatomic.h>

#include "../door/limits.h"
#include "serve.h"
#include "stele.h"

#define SV_STORES 16

typedef struct sv_server sv_server;
struct sv_server {
  const serve_options *options;
  stele_options place; /* how handles are opened */
  serve_limits limits;
  const char *stores[SV_STORES]; /* the names of the stores */
  size_t nstores;
  int64_t started_us;
  struct sv_catalogue *catalogue;
  char *openapi; /* the description of the interface, made once */
  struct sv_metrics *metrics;
  struct sv_writers *writers;
  struct sv_longs *longs;
  struct sv_pool *pool;
  struct sv_peers *peers;
  struct sv_streams *streams;
  struct sv_followers *followers;
  struct sv_jobs *jobs;
  struct sv_audit *audit; /* NULL: not wanted */
  struct sv_ingest *ingest; /* NULL: no events are taken */
  struct sv_pub *pub;     /* NULL: nothing is given out */
  /* Told after each commit, if there is somebody to tell. */
  void (*committed)(sv_server *server, const char *store);
  atomic_bool stopping;
  atomic_uint token_changes; /* commits to the server store */
  atomic_llong requests;     /* being worked on */
  atomic_llong bodies;       /* bytes of bodies held */
};

/* A handle of the server's home, with these STELE_OPEN_* besides.  It may be one that only tells why
** it could not be opened; NULL: no memory. */
stele_db *sv_server_open(const sv_server *server, unsigned flags);

#endif
