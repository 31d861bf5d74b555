/* http.c - see http.h.  Everything here runs on libmicrohttpd's threads, one per listening socket, and
** does little: a request that needs the stores is suspended and handed to the pool. */
#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auth.h"
#include "exchange.h"
#include "listen.h"
#include "log.h"
#include "metrics.h"
#include "router.h"
#include "server.h"

typedef struct door {
  sv_server *server;
  bool local; /* the unix socket */
  int fd;
  struct MHD_Daemon *daemon;
} door;

struct sv_http {
  door network, unix_socket;
};

/* ---- An exchange from its beginning to its end ---- */

static sv_peer *peer_of(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/* The request line has come.  What this returns is handed to every later callback of the request. */
static void *on_line(void *user, const char *uri, struct MHD_Connection *connection) {
  door *d = user;
  sv_exchange *exchange = calloc(1, sizeof *exchange);
  sv_peer *peer = peer_of(connection);
  if (!exchange || !peer) {
    free(exchange);
    return NULL;
  }
  size_t length = strcspn(uri, "?");
  exchange->server = d->server;
  exchange->connection = connection;
  exchange->peer = peer;
  exchange->address = strndup(uri, length);
  exchange->query = uri[length] ? strdup(uri + length + 1) : NULL;
  exchange->began_us = sv_now_us();
  sv_peer_phase(peer, SV_RECEIVING);
  return exchange;
}

static void release_body(sv_exchange *exchange) {
  atomic_fetch_sub(&exchange->server->bodies, (long long)exchange->body.length);
  sv_text_free(&exchange->body);
}

/* What a request is called where people read: an address that is as good as a token is not told. */
static const char *name_of(const sv_exchange *exchange) {
  const sv_route *route = exchange->route;
  return route && route->access && !*route->access ? route->path : exchange->address;
}

/* Calls, and whatever was refused for want of a right.  What MCP calls is noted there, call by call. */
static void note(const sv_exchange *exchange, int64_t us) {
  const stele_method *method = exchange->call.method;
  bool refused = exchange->status == 401 || exchange->status == 403;
  if (!exchange->server->audit || (!method && !refused)) return;
  sv_audit_note(exchange->server,
                &(sv_audited){.method = method,
                              .route = exchange->route && exchange->route->path ? exchange->route->path : "other",
                              .actor = exchange->actor,
                              .door = exchange->peer->local ? "socket" : "http",
                              .outcome = exchange->answered ? exchange->outcome : STELE_CANCELLED,
                              .us = us,
                              .args = exchange->args ? exchange->args : exchange->body.bytes,
                              .length = exchange->args ? strlen(exchange->args) : exchange->body.length});
}

static void log_request(const sv_exchange *exchange, int64_t us) {
  if (exchange->status >= 500 || exchange->server->limits.log_requests)
    sv_log(exchange->status >= 500 ? STELE_LOG_ERROR : STELE_LOG_INFO, "%s %s %d %.1f ms %s", exchange->verb,
           name_of(exchange), exchange->status, (double)us / 1000, exchange->call.failure.message);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode why) {
  sv_exchange *exchange = *state;
  (void)user;
  (void)connection;
  (void)why;
  if (!exchange) return;
  int64_t us = sv_now_us() - exchange->began_us;
  const char *path = exchange->route && exchange->route->path ? exchange->route->path : "other";
  sv_observe_request(exchange->server, exchange->call.method, path, exchange->status, us);
  if (exchange->answered) log_request(exchange, us);
  note(exchange, us);
  sv_peer_phase(exchange->peer, SV_WAITING);
  if (exchange->response) MHD_destroy_response(exchange->response); /* the client left before it could be sent */
  release_body(exchange);
  sv_call_clear(&exchange->call);
  free(exchange->args);
  free(exchange->address);
  free(exchange->query);
  free(exchange);
  *state = NULL;
}

const char *sv_header(const sv_exchange *exchange, const char *name) {
  return MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, name);
}

/* ---- What comes in ---- */

static bool check_length(sv_exchange *exchange) {
  const char *length = sv_header(exchange, "Content-Length");
  if (length && strtoull(length, NULL, 10) > (unsigned long long)exchange->server->limits.body)
    sv_answer_problem(exchange, 413, STELE_INVALID, "send it in several calls", "the body has more than %lld bytes",
                      (long long)exchange->server->limits.body);
  return !exchange->answered;
}

static bool check_load(sv_exchange *exchange) {
  sv_server *server = exchange->server;
  if (atomic_load(&server->stopping))
    sv_answer_problem(exchange, 503, STELE_BUSY, "", "the server is stopping");
  else if (atomic_load(&server->requests) >= server->limits.requests)
    sv_answer_problem(exchange, 503, STELE_BUSY, "call again in a moment", "too many requests are under way");
  else if (atomic_load(&server->bodies) >= server->limits.bodies)
    sv_answer_problem(exchange, 503, STELE_BUSY, "call again in a moment", "too many bodies are under way");
  return !exchange->answered;
}

/* An answer now, before the body was read, ends the connection; without a body it need not. */
static bool has_body(const sv_exchange *exchange) {
  const char *length = sv_header(exchange, "Content-Length");
  return sv_header(exchange, "Transfer-Encoding") || (length && strcmp(length, "0") != 0);
}

/* The headers have come: whatever can be refused now is, before a body is read. */
static void begin(sv_exchange *exchange, const char *verb) {
  exchange->started = true;
  exchange->verb = verb;
  bool good = exchange->address && sv_auth_names(exchange) && sv_route_find(exchange) && sv_auth_begin(exchange) &&
              check_length(exchange);
  if (good && !exchange->route->open) check_load(exchange);
}

static void take_body(sv_exchange *exchange, const char *bytes, size_t length) {
  sv_server *server = exchange->server;
  if (exchange->too_large || (long long)(exchange->body.length + length) > server->limits.body) {
    exchange->too_large = true; /* the rest is read, within the time for a request, and thrown away */
    release_body(exchange);
    return;
  }
  size_t before = exchange->body.length;
  sv_add(&exchange->body, bytes, length);
  atomic_fetch_add(&server->bodies, (long long)(exchange->body.length - before));
}

/* ---- What goes out ---- */

static enum MHD_Result send_answer(sv_exchange *exchange) {
  if (!exchange->response) return MHD_NO;
  sv_peer_phase(exchange->peer, SV_SENDING);
  enum MHD_Result queued = MHD_queue_response(exchange->connection, (unsigned)exchange->status, exchange->response);
  MHD_destroy_response(exchange->response);
  exchange->response = NULL;
  return queued;
}

static void work(sv_work *w, sv_worker *worker) {
  sv_exchange *exchange = (sv_exchange *)w;
  if (sv_auth_check(exchange, worker))
    exchange->route->answer(exchange, worker);
  else
    sv_exchange_resume(exchange);
}

void sv_exchange_resume(sv_exchange *exchange) {
  atomic_fetch_sub(&exchange->server->requests, 1);
  MHD_resume_connection(exchange->connection);
}

/* All of it has come. */
static enum MHD_Result hand_over(sv_exchange *exchange) {
  if (exchange->too_large)
    sv_answer_problem(exchange, 413, STELE_INVALID, "send it in several calls", "the body has more than %lld bytes",
                      (long long)exchange->server->limits.body);
  else if (exchange->body.failed)
    sv_answer_problem(exchange, 503, STELE_NOMEM, "", "out of memory");
  else if (exchange->route->open)
    exchange->route->answer(exchange, NULL);
  if (exchange->answered) return send_answer(exchange);
  exchange->working = true;
  exchange->work.run = work;
  sv_peer_phase(exchange->peer, SV_WORKING);
  atomic_fetch_add(&exchange->server->requests, 1);
  MHD_suspend_connection(exchange->connection);
  sv_pool_submit(exchange->server->pool, &exchange->work);
  return MHD_YES;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url, const char *verb,
                                  const char *version, const char *upload, size_t *length, void **state) {
  sv_exchange *exchange = *state;
  (void)user;
  (void)connection;
  (void)url;
  (void)version;
  if (!exchange) return MHD_NO;
  if (!exchange->started) {
    begin(exchange, verb);
    return exchange->answered && has_body(exchange) ? send_answer(exchange) : MHD_YES;
  }
  if (*length > 0) {
    take_body(exchange, upload, *length);
    *length = 0;
    return MHD_YES;
  }
  if (exchange->answered) return send_answer(exchange);
  return exchange->working ? MHD_YES : hand_over(exchange);
}

static void on_connection(void *user, struct MHD_Connection *connection, void **socket_state,
                          enum MHD_ConnectionNotificationCode what) {
  door *d = user;
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *socket_state = sv_peer_add(d->server->peers, info->connect_fd, d->local);
  } else {
    sv_peer_remove(d->server->peers, *socket_state);
    *socket_state = NULL;
  }
}

/* What libmicrohttpd remarks on its clients is of interest only to who asks for every request. */
static void on_log(void *user, const char *format, va_list args) {
  const door *d = user;
  char line[400];
  if (!d->server->limits.log_requests) return;
  int length = vsnprintf(line, sizeof line, format, args);
  while (length > 0 && length < (int)sizeof line && line[length - 1] == '\n') line[--length] = '\0';
  sv_log(STELE_LOG_DEBUG, "libmicrohttpd: %s", line);
}

/* ---- Opening and closing ---- */

static bool start(door *d, sv_server *server, int fd, bool local) {
  const serve_limits *limits = &server->limits;
  struct MHD_OptionItem options[] = {
      {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)on_log, d},
      {MHD_OPTION_LISTEN_SOCKET, fd, NULL},
      {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)limits->connections, NULL},
      {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)limits->header * 2, NULL}, /* half of it is for reading */
      {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)on_line, d},
      {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)on_completed, d},
      {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, d},
      {MHD_OPTION_END, 0, NULL},
  };
  d->server = server;
  d->local = local;
  d->fd = fd;
  d->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL,
                               NULL, on_request, d, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
  if (!d->daemon) sv_log(STELE_LOG_ERROR, "the HTTP server could not be started");
  return d->daemon != NULL;
}

sv_http *sv_http_open(sv_server *server) {
  sv_http *http = calloc(1, sizeof *http);
  const serve_options *options = server->options;
  char where[300];
  if (!http) return NULL;
  http->network.fd = http->unix_socket.fd = -1;
  int fd = sv_listen_network(options->host, options->port, where, sizeof where);
  bool good = fd >= 0 && start(&http->network, server, fd, false);
  if (good && options->socket) {
    int local = sv_listen_unix(options->socket);
    good = local >= 0 && start(&http->unix_socket, server, local, true);
  }
  if (good) {
    sv_log(STELE_LOG_INFO, "listening on %s", where);
    if (options->socket) sv_log(STELE_LOG_INFO, "listening on %s", options->socket);
    if (options->ready) options->ready(options->user, where);
    return http;
  }
  sv_http_close(http);
  return NULL;
}

static void quiesce(door *d) {
  if (d->daemon) MHD_quiesce_daemon(d->daemon);
}

void sv_http_quiesce(sv_http *http) {
  quiesce(&http->network);
  quiesce(&http->unix_socket);
}

static void stop(door *d) {
  if (d->daemon) MHD_stop_daemon(d->daemon);
  if (d->fd >= 0) close(d->fd);
  if (d->local && d->server->options->socket) unlink(d->server->options->socket);
}

void sv_http_close(sv_http *http) {
  if (!http) return;
  stop(&http->network);
  stop(&http->unix_socket);
  free(http);
}
