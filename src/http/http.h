/* http.h - one request at a time, with limits: time, size, and where the token may go.
**
** Certificates are checked.  Only what keeps the end of a body (a log) follows redirects; the token goes to the
** host that was asked, and to no other.  For the library and for the doors alike: it includes nothing of either. */
#ifndef ST_HTTP_H
#define ST_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct st_http st_http;

typedef struct st_http_request {
  const char *url;
  const char *const *headers; /* "Accept: ...", up to a NULL; NULL: none */
  const char *body;           /* is posted; NULL: the request is a GET */
  size_t body_length;
  const char *etag; /* answer 304 if it is still this; NULL: none */
  size_t most;      /* bytes of the reply's body */
  bool tail;        /* of a longer body its end is kept, and redirects are followed; else it is a failure */
  int timeout_ms;   /* for everything; 0: three minutes */
  int connect_ms;   /* until it is connected; 0: ten seconds */
  bool silent;      /* nothing need come for as long as it may take; else half a minute of silence is a failure */
} st_http_request;

typedef struct st_http_reply {
  long status;         /* 0: there was no reply, and `problem` says why */
  char *body;          /* with a NUL behind it; NULL: no memory */
  size_t length;
  bool cut;            /* the body was longer */
  bool too_long;       /* longer than it may be: there is no reply, and asking again would be no use */
  bool stopped;        /* by the caller: there is no reply */
  bool unreached;      /* nothing was asked: there was no connection */
  bool zip;            /* it is an archive */
  char etag[200];      /* "": none, or one too long to be kept */
  int64_t retry_after; /* seconds; -1: not said */
  int64_t remaining;   /* requests that are still allowed; -1: not said */
  int64_t reset;       /* when they are new, in seconds since 1970; -1: not said */
  char problem[200];
} st_http_reply;

/* token NULL: none.  stopped, asked now and then, ends a transfer; NULL: nothing does.  NULL: no memory, or
** st_http_lacks(). */
st_http *st_http_open(const char *token, bool (*stopped)(void *user), void *user);
void st_http_close(st_http *h);

/* Why nothing can be asked: libcurl is not there.  NULL: it is. */
const char *st_http_lacks(void);

void st_http_send(st_http *h, const st_http_request *request, st_http_reply *reply);
void st_http_reply_free(st_http_reply *reply);

/* May a token be sent there: over TLS, or to this machine. */
bool st_http_is_safe(const char *url);

#endif
