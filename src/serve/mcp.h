/* mcp.h - the Model Context Protocol, without a transport: one JSON-RPC message in, none or one out.
**
** Two eras are served by the same code, each request by what it says itself: 2026-07-28, whose requests
** carry their version and stand alone, and the revisions before it, which begin with `initialize`.
**
** The protocol makes no calls.  It says which method it wants, and is given what came of it, so that
** whoever has the connection can make the call in its own way, now or later:
**
**     mcp_request *r = mcp_begin(&caller, text, length);
**     mcp_call call;
**     while (mcp_wants(r, &call)) { ... mcp_give(r, &outcome); }
**     send mcp_reply(r, &length), unless it is NULL
**     mcp_end(r);
**
** mcp_handle() does all of that for callers that can wait. */
#ifndef SERVE_MCP_H
#define SERVE_MCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stele.h"

#define MCP_TOKEN 4                   /* bytes of a token, about */
#define MCP_BUDGET (8000 * MCP_TOKEN) /* bytes of one result by default */

typedef struct mcp_request mcp_request;
typedef struct mcp_extra mcp_extra;

/* What a connection has agreed on with `initialize`.  Zero at first. */
typedef struct mcp_peer {
  char version[16];
} mcp_peer;

typedef struct mcp_caller {
  bool all;                /* every method is a tool of its own name; else a few tools for what people want */
  size_t budget;           /* bytes of one result; 0: any */
  mcp_peer *peer;          /* NULL: there is no connection, requests stand alone */
  const char *version;     /* the version that was said beside the message (HTTP), or NULL */
  const mcp_extra *extras; /* further tools and so on: see mcp_core.h; or NULL */
  bool (*may)(void *user, const stele_method *method);            /* NULL: everything is allowed */
  void (*notify)(void *user, const char *message, size_t length); /* send a message now; NULL: it is dropped */
  void *user;                                                     /* for both */
} mcp_caller;

/* A call that is to be made. */
typedef struct mcp_call {
  const stele_method *method;
  const char *args;
} mcp_call;

/* What came of it. */
typedef struct mcp_outcome {
  const stele_failure *failure; /* NULL: it was done */
  const char *reply;
  const char *notes; /* remarks, one per line; NULL or "": none */
} mcp_outcome;

/* Read a message.  The text is copied; the caller must live as long as the request.  NULL: no memory. */
mcp_request *mcp_begin(const mcp_caller *caller, const char *text, size_t length);

/* Is a call to be made?  Then mcp_give() must follow. */
bool mcp_wants(const mcp_request *r, mcp_call *call);
void mcp_give(mcp_request *r, const mcp_outcome *outcome);

/* Tell how far the call is, if the client asked for it. */
void mcp_progress(mcp_request *r, const char *what, int64_t done, int64_t total);

/* The answer, on one line; NULL: none is due, it was a notification. */
const char *mcp_reply(mcp_request *r, size_t *length);
/* The status it has over HTTP. */
int mcp_http_status(const mcp_request *r);

void mcp_end(mcp_request *r);

/* What a message is about, before it is handled: the request that it cancels, or the id that it has, as
** JSON in new memory (free); NULL: neither. */
char *mcp_cancels(const char *text, size_t length);
char *mcp_id_of(const char *text, size_t length);

/* Handle a message at once.  `call` makes a call and fills the outcome, which must live until the next.
** *reply: the answer in new memory (free), or NULL.  False: no memory. */
typedef void mcp_call_maker(void *user, mcp_request *r, const mcp_call *call, mcp_outcome *outcome);
bool mcp_handle(const mcp_caller *caller, const char *text, size_t length, mcp_call_maker *make, void *user,
                char **reply);

#endif
