/* exchange.h - one HTTP request and its answer.
**
** It is born when the request line has come (http.c), waits for its body, is handed to a worker, and
** is answered with one of the sv_answer functions; then its connection goes on.  While a worker has
** it, its connection is suspended and costs no thread. */
#ifndef SERVE_EXCHANGE_H
#define SERVE_EXCHANGE_H

#include <microhttpd.h>

#include "audit.h"
#include "call.h"
#include "peers.h"
#include "pool.h"
#include "text.h"

typedef struct sv_exchange sv_exchange;
typedef struct sv_route sv_route;

/* What a request asks for. */
struct sv_route {
  const char *path;  /* "/healthz"; for methods: NULL */
  const char *allow; /* "GET, HEAD" */
  bool open;         /* for everybody, and answered on the spot: no worker */
  const char *store; /* the scope it needs; NULL: any that is valid */
  const char *access; /* "": no token is needed, the address is as good as one */
  void (*answer)(sv_exchange *exchange, sv_worker *worker);
  bool (*prepare)(sv_exchange *exchange); /* besides, when it was found; false: answered.  May be NULL */
};

struct sv_exchange {
  sv_work work; /* first: a sv_work* of the pool is a sv_exchange* */
  sv_call call; /* for methods; call.method says which */
  sv_server *server;
  struct MHD_Connection *connection;
  sv_peer *peer;
  const sv_route *route;
  char *address; /* as it came, without what is behind the ? */
  char *query;   /* what is behind it, or NULL */
  const char *verb;
  sv_text body;
  char *args;     /* JSON made from path and query; NULL: the body is the arguments */
  bool resource;  /* asked for by its own address */
  int64_t page;   /* of a resource that comes in pages: rows asked for; 0: it does not */
  int64_t offset; /* and what its cursor said */
  int64_t began_us;
  bool started, too_large, working, answered;
  int status;
  stele_status outcome; /* of a problem; OK: there was none */
  char actor[SV_ACTOR]; /* who calls, once that is known */
  struct MHD_Response *response;
  void *stream;                /* of an answer that goes on: stream.h, follow.h */
  void (*ended)(void *stream); /* called when the connection has done with it */
};

/* Answer.  The bytes become the answer's and are released with `release`. */
void sv_answer(sv_exchange *exchange, int status, const char *type, char *bytes, size_t length,
               void (*release)(void *));
/* A text made here; failed: out of memory. */
void sv_answer_text(sv_exchange *exchange, int status, const char *type, sv_text *text);
void sv_answer_failure(sv_exchange *exchange, const sv_failure *failure);
/* RFC 9457, for what is wrong with the request itself. */
void sv_answer_problem(sv_exchange *exchange, int status, stele_status word, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void sv_answer_response(sv_exchange *exchange, int status, struct MHD_Response *response);
void sv_answer_header(sv_exchange *exchange, const char *name, const char *value);
/* Does the client, by its If-None-Match, have what has this tag?  Then the answer is 304; false: there is none yet. */
bool sv_answer_unchanged(sv_exchange *exchange, const char *tag);

/* After the answer, on a worker's thread or a lane's: let the connection go on. */
void sv_exchange_resume(sv_exchange *exchange);

const char *sv_header(const sv_exchange *exchange, const char *name); /* NULL: not sent */
/* One value of the query, decoded, in new memory; NULL: not sent. */
char *sv_query(const sv_exchange *exchange, const char *name);

#endif
