/* endpoint.h - an OpenAI-compatible interface: its address, its key, and patience with it.
**
** Where it is busy or out of order it is asked again a few times, after a pause that grows, or as long as it says itself.  What
** it is asked, and what its answers mean, others know. */
#ifndef ST_ENDPOINT_H
#define ST_ENDPOINT_H

#include "base/problem.h"
#include "base/text.h"
#include "http/http.h"

typedef struct st_endpoint st_endpoint;

/* Whoever waits for an answer. */
typedef struct st_endpoint_waiting {
  bool (*stopped)(void *user); /* asked now and then, also while nothing comes; NULL: nothing stops it */
  bool (*may_send)(void *user); /* asked before each request; false: it is not sent.  NULL: each may be */
  void (*was_sent)(void *user, const st_http_reply *reply); /* told of each request what came of it; NULL: nobody is */
  void *user;
} st_endpoint_waiting;

/* The texts are copied. */
typedef struct st_endpoint_config {
  const char *setting; /* what the address is called where it is said: "embed.endpoint" */
  const char *address; /* https://..., with or without /v1 and the path */
  const char *path;    /* what it is there for: "/embeddings" */
  const char *key;     /* sent along, over TLS or to this machine; NULL: none */
  int timeout_ms;      /* of one request */
  int connect_ms;      /* until it is connected; 0: 10 s */
  int attempts;        /* requests for one question, at most; 0: 4 */
  bool silent;         /* it may be silent for as long as a request may take: it thinks */
} st_endpoint_config;

/* Nothing is asked yet.  NULL: the problem says why. */
st_endpoint *st_endpoint_open(const st_endpoint_config *config, st_problem *problem);
void st_endpoint_close(st_endpoint *endpoint);

/* For whom it is asked from now on; NULL: nobody in particular. */
void st_endpoint_for(st_endpoint *endpoint, const st_endpoint_waiting *waiting);

/* How it went. */
typedef enum st_endpoint_end {
  ST_ENDPOINT_ANSWERED, /* status 200 */
  ST_ENDPOINT_REFUSED,  /* this question it does not take, or its answer is too long; others it may */
  ST_ENDPOINT_BROKEN,   /* it was reached, and failed: an error of its own, an answer that was cut off or never came */
  ST_ENDPOINT_AWAY,     /* it is not there, is too busy, or does not let us in: no question would fare better now */
  ST_ENDPOINT_STOPPED,  /* by whoever waits */
  ST_ENDPOINT_NOMEM
} st_endpoint_end;

/* Ask until there is an answer.  path NULL: the configured one; body NULL: it is a GET.  The reply is to be freed in any case
** (st_http_reply_free).  If it did not answer, the problem says why, and never tells the key. */
st_endpoint_end st_endpoint_ask(st_endpoint *endpoint, const char *path, st_text body, size_t most, st_http_reply *reply,
                                st_problem *problem);

/* What it says about an error: {"error":{"message":...}} or {"error":...}; cut to the room there is, in one line.
** "": nothing. */
void st_endpoint_read_error(st_text reply, char *out, size_t size);

#endif
