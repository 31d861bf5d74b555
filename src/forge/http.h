/* http.h - one GET at a time, with limits: time, size, and where the token may go.
**
** Certificates are checked.  Only what keeps the end of a body (a log) follows redirects; the token goes to the
** host that was asked, and to no other. */
#ifndef FORGE_HTTP_H
#define FORGE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct http http;

typedef struct http_request {
  const char *url;
  const char *etag; /* answer 304 if it is still this; NULL: none */
  size_t most;      /* bytes of the body */
  bool tail;        /* of a longer body its end is kept, and redirects are followed; else it is a failure */
} http_request;

typedef struct http_reply {
  long status;         /* 0: there was no reply, and `problem` says why */
  char *body;          /* with a NUL behind it; NULL: no memory */
  size_t length;
  bool cut;            /* the body was longer */
  bool too_long;       /* longer than it may be: there is no reply, and asking again would be no use */
  bool zip;            /* it is an archive */
  char etag[200];      /* "": none, or one too long to be kept */
  int64_t retry_after; /* seconds; -1: not said */
  int64_t remaining;   /* requests that are still allowed; -1: not said */
  int64_t reset;       /* when they are new, in seconds since 1970; -1: not said */
  char problem[200];
} http_reply;

/* token NULL: none.  stopped, asked now and then, ends a transfer.  NULL: no memory, or libcurl does not start. */
http *http_open(const char *token, bool (*stopped)(void *user), void *user);
void http_close(http *h);

void http_get(http *h, const http_request *request, http_reply *reply);
void http_reply_free(http_reply *reply);

/* May a token be sent there: over TLS, or to this machine. */
bool http_is_safe(const char *url);

#endif
