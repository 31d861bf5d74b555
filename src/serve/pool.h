/* pool.h - the workers: threads with handles of their own.  What they read never waits for writers. */
#ifndef SERVE_POOL_H
#define SERVE_POOL_H

#include "audit.h"
#include "call.h"

typedef struct sv_server sv_server;
typedef struct sv_pool sv_pool;

#define SV_HASH_SIZE 65 /* of a token, in hexadecimal digits, with its NUL */
#define SV_KNOWN 4

/* A token that was found valid a moment ago (auth.c). */
typedef struct sv_known {
  char hash[SV_HASH_SIZE];
  char scopes[512];
  char actor[SV_ACTOR];
  unsigned changes; /* the server's token_changes then */
  int64_t until_us;
} sv_known;

typedef struct sv_worker {
  sv_server *server;
  stele_db *reader;   /* opened for reading */
  stele_db *full;     /* for methods that read, and keep an index up to date on the way */
  stele_stmt *tokens; /* server.find_token on the reader, or NULL */
  sv_known known[SV_KNOWN];
  unsigned next_known;
} sv_worker;

/* Something for a worker to do. */
typedef struct sv_work sv_work;
struct sv_work {
  void (*run)(sv_work *work, sv_worker *worker);
  sv_work *next;
};

/* NULL: no memory, or no threads. */
sv_pool *sv_pool_open(sv_server *server);
void sv_pool_submit(sv_pool *pool, sv_work *work);
/* Do what was submitted, then end the threads. */
void sv_pool_close(sv_pool *pool);

/* Make a call through the lane that is right for it; on a worker's thread. */
void sv_dispatch(sv_worker *worker, sv_call *call);

#endif
