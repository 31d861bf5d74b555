/* routes.c - the routes that are not methods: how the server is, what it measures, what it offers. */
#include <stdlib.h>
#include <string.h>

#include "follow.h"
#include "jobs.h"
#include "mcp_http.h"
#include "metrics.h"
#include "router.h"
#include "server.h"

static void answer_words(sv_exchange *exchange, int status, const char *words) {
  sv_text text = {0};
  sv_addz(&text, words);
  sv_answer_text(exchange, status, "text/plain; charset=utf-8", &text);
  sv_answer_header(exchange, "Cache-Control", "no-store");
}

/* The process runs and answers. */
static void healthz(sv_exchange *exchange, sv_worker *worker) {
  (void)worker;
  answer_words(exchange, 200, "ok\n");
}

/* It takes calls. */
static void readyz(sv_exchange *exchange, sv_worker *worker) {
  (void)worker;
  bool stopping = atomic_load(&exchange->server->stopping);
  answer_words(exchange, stopping ? 503 : 200, stopping ? "stopping\n" : "ready\n");
}

static void metrics(sv_exchange *exchange, sv_worker *worker) {
  sv_text text = {0};
  sv_metrics_text(exchange->server, worker->full, &text);
  sv_answer_text(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", &text);
  sv_exchange_resume(exchange);
}

/* The server, its stores as stele.status tells them, its background work. */
static void status(sv_exchange *exchange, sv_worker *worker) {
  const sv_server *server = exchange->server;
  char *stores = NULL;
  sv_text text = {0};
  stele_call(worker->full, "stele.status", "{}", &stores);
  sv_addz(&text, "{\"version\":");
  sv_add_quoted(&text, stele_version());
  sv_addf(&text, ",\"uptime_seconds\":%lld,\"connections\":%lld,\"followers\":%lld",
          (long long)(sv_now_us() - server->started_us) / 1000000, (long long)sv_peers_count(server->peers),
          (long long)sv_followers_count(server->followers));
  sv_addz(&text, ",\"stores\":");
  sv_addz(&text, stores ? stores : "[]");
  sv_addz(&text, ",\"jobs\":");
  sv_jobs_status(server->jobs, &text);
  sv_addz(&text, "}");
  stele_free(stores);
  sv_answer_text(exchange, 200, "application/json", &text);
  sv_answer_header(exchange, "Cache-Control", "no-store");
  sv_exchange_resume(exchange);
}

static void openapi(sv_exchange *exchange, sv_worker *worker) {
  (void)worker;
  sv_text text = {0};
  sv_addz(&text, exchange->server->openapi);
  sv_answer_text(exchange, 200, "application/json", &text);
}

const sv_route sv_routes[] = {
    {"/healthz", "GET, HEAD", true, NULL, NULL, healthz, NULL},
    {"/readyz", "GET, HEAD", true, NULL, NULL, readyz, NULL},
    {"/openapi.json", "GET, HEAD", true, NULL, NULL, openapi, NULL},
    {"/metrics", "GET, HEAD", false, NULL, "read", metrics, NULL},
    {"/v1/status", "GET, HEAD", false, NULL, "read", status, NULL},
    {"/mcp", "POST", false, NULL, "read", sv_mcp_answer, NULL},
    {"/v1/follow", "GET", false, NULL, "read", sv_follow_answer, sv_follow_prepare},
    {NULL, NULL, false, NULL, NULL, NULL, NULL},
};
