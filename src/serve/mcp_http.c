/* mcp_http.c - see mcp_http.h. */
#include "mcp_http.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "auth.h"
#include "mcp_headers.h"
#include "pipe.h"
#include "server.h"

#define ROOM (64 << 10)

const mcp_extra *sv_mcp_extras;

/* One message on its way.  Once its answer has become a stream, the exchange is not ours any more. */
typedef struct post {
  sv_work work; /* first: a sv_work* of the pool is a post* */
  sv_call call;
  sv_server *server;
  sv_exchange *exchange; /* NULL: the answer is a stream */
  sv_pipe *pipe;
  atomic_bool gone; /* nobody takes the stream any more */
  mcp_caller caller;
  mcp_request *request;
  stele_failure failure; /* of the call made last */
  char *scopes;          /* NULL: everything is allowed */
  char *version;         /* the header */
  char actor[SV_ACTOR];
} post;

static post *post_of(sv_call *call) {
  return (post *)((char *)call - offsetof(post, call));
}

static void free_post(post *p) {
  mcp_end(p->request);
  sv_call_clear(&p->call);
  if (p->pipe) sv_pipe_release(p->pipe);
  free(p->scopes);
  free(p->version);
  free(p);
}

/* ---- A stream of events ---- */

static void on_pipe(void *user, bool gone) {
  post *p = user;
  if (gone) atomic_store(&p->gone, true);
}

static bool put_event(post *p, const char *text, size_t length) {
  sv_text event = {0};
  sv_addz(&event, "data: ");
  sv_add(&event, text, length);
  sv_addz(&event, "\n\n");
  bool good = !event.failed && sv_pipe_put(p->pipe, event.bytes, event.length);
  sv_text_free(&event);
  return good;
}

static bool takes_events(const sv_exchange *exchange) {
  const char *accept = sv_header(exchange, "Accept");
  return accept && strstr(accept, "text/event-stream");
}

/* From now on the answer is a stream. */
static bool open_stream(post *p) {
  sv_exchange *exchange = p->exchange;
  p->pipe = sv_pipe_new(exchange, ROOM, on_pipe, p);
  struct MHD_Response *response = p->pipe ? sv_pipe_response(p->pipe) : NULL;
  if (!response) return false;
  sv_answer_response(exchange, 200, response);
  sv_answer_header(exchange, "Content-Type", "text/event-stream");
  sv_answer_header(exchange, "Cache-Control", "no-store");
  sv_answer_header(exchange, "X-Accel-Buffering", "no");
  p->exchange = NULL;
  atomic_fetch_add(&p->server->requests, 1); /* the stream is waited for, as its exchange was */
  sv_exchange_resume(exchange);
  return true;
}

/* For mcp_caller.notify. */
static void notify(void *user, const char *text, size_t length) {
  post *p = user;
  if (p->exchange && (!takes_events(p->exchange) || !open_stream(p))) return;
  if (!put_event(p, text, length)) atomic_store(&p->gone, true);
}

/* ---- Calls ---- */

static bool may(void *user, const stele_method *method) {
  const post *p = user;
  return sv_auth_allows(p->scopes, method);
}

static void end_stream(post *p, bool broken) {
  sv_pipe_end(p->pipe, broken);
  atomic_fetch_sub(&p->server->requests, 1);
}

static void finish(post *p) {
  size_t length = 0;
  const char *reply = mcp_reply(p->request, &length);
  sv_exchange *exchange = p->exchange;
  if (exchange) {
    sv_text text = {0};
    sv_add(&text, reply ? reply : "", length);
    sv_answer_text(exchange, mcp_http_status(p->request), "application/json", &text);
    sv_answer_header(exchange, "Cache-Control", "no-store");
  } else {
    if (reply && !put_event(p, reply, length)) atomic_store(&p->gone, true);
    end_stream(p, false);
  }
  free_post(p);
  if (exchange) sv_exchange_resume(exchange);
}

static bool wanted(sv_call *call) {
  post *p = post_of(call);
  return p->exchange ? !sv_peer_gone(p->exchange->peer) : !atomic_load(&p->gone);
}

static void progress(sv_call *call, const char *what, int64_t done, int64_t total) {
  mcp_progress(post_of(call)->request, what, done, total);
}

static void note(const post *p, const sv_call *call) {
  sv_audit_note(p->server, &(sv_audited){.method = call->method,
                                         .actor = p->actor,
                                         .door = "mcp",
                                         .outcome = call->failure.status,
                                         .us = sv_now_us() - call->since_us,
                                         .args = call->args,
                                         .length = call->args ? strlen(call->args) : 0});
}

/* On whatever thread made the call: the next one needs a worker again. */
static void done(sv_call *call) {
  post *p = post_of(call);
  const sv_failure *f = &call->failure;
  mcp_outcome outcome = {.reply = call->reply, .notes = call->notes};
  mcp_call next;
  if (f->status != STELE_OK) {
    p->failure = (stele_failure){f->status, f->method, f->field, f->message, f->hint};
    outcome = (mcp_outcome){.failure = &p->failure};
  }
  note(p, call);
  mcp_give(p->request, &outcome);
  if (mcp_wants(p->request, &next))
    sv_pool_submit(p->server->pool, &p->work);
  else
    finish(p);
}

static void make_call(sv_work *work, sv_worker *worker) {
  post *p = (post *)work;
  mcp_call call;
  mcp_wants(p->request, &call);
  sv_call_clear(&p->call);
  p->call = (sv_call){.method = call.method, .args = call.args, .done = done, .wanted = wanted, .progress = progress};
  sv_dispatch(worker, &p->call);
}

/* ---- A request ---- */

/* Is this in the query? */
static bool asks_for(const sv_exchange *exchange, const char *name, const char *value) {
  char *said = sv_query(exchange, name);
  bool same = said && strcmp(said, value) == 0;
  free(said);
  return same;
}

/* ?budget=20000: tokens; 0: any. */
static size_t budget_of(const sv_exchange *exchange) {
  char *said = sv_query(exchange, "budget");
  bool number = said && *said && strlen(said) < 9 && strspn(said, "0123456789") == strlen(said);
  size_t bytes = number ? (size_t)strtoul(said, NULL, 10) * MCP_TOKEN : MCP_BUDGET;
  free(said);
  return bytes;
}

static post *new_post(sv_exchange *exchange, sv_worker *worker) {
  post *p = calloc(1, sizeof *p);
  const char *version = sv_header(exchange, "MCP-Protocol-Version");
  if (!p) return NULL;
  p->work.run = make_call;
  p->server = exchange->server;
  p->exchange = exchange;
  memcpy(p->actor, exchange->actor, sizeof p->actor);
  p->version = version ? strdup(version) : NULL;
  bool good = sv_auth_scopes(exchange, worker, &p->scopes) && (!version || p->version);
  p->caller = (mcp_caller){.all = asks_for(exchange, "profile", "all"),
                           .budget = budget_of(exchange),
                           .version = p->version,
                           .extras = sv_mcp_extras,
                           .may = p->scopes ? may : NULL,
                           .notify = notify,
                           .user = p};
  if (good) return p;
  free_post(p);
  return NULL;
}

void sv_mcp_answer(sv_exchange *exchange, sv_worker *worker) {
  mcp_call call;
  if (!sv_mcp_headers_check(exchange)) {
    sv_exchange_resume(exchange);
    return;
  }
  post *p = new_post(exchange, worker);
  if (p) p->request = mcp_begin(&p->caller, exchange->body.length ? exchange->body.bytes : "", exchange->body.length);
  if (!p || (!p->request && p->exchange)) {
    sv_answer_problem(exchange, 503, STELE_NOMEM, "", "out of memory");
    if (p) free_post(p);
    sv_exchange_resume(exchange);
  } else if (!p->request) {
    end_stream(p, true);
    free_post(p);
  } else if (mcp_wants(p->request, &call)) {
    make_call(&p->work, worker);
  } else {
    finish(p);
  }
}
