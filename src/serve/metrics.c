/* metrics.c - see metrics.h.  Counting takes no lock: each number is an atomic of its own. */
#include "metrics.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "catalogue.h"
#include "follow.h"
#include "ingest.h"
#include "jobs.h"
#include "metrics_text.h"
#include "peers.h"
#include "server.h"
#include "stream.h"
#include "writer.h"

#define BUCKETS 12
#define ROUTES_MAX 16
#define METHODS_MAX 1024

static const double BOUNDS[BUCKETS] = {0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30};

typedef struct histogram {
  atomic_llong buckets[BUCKETS + 1];
  atomic_llong sum_us;
} histogram;

typedef struct route {
  _Atomic(const char *) name; /* NULL: free */
  histogram times;
} route;

struct sv_metrics {
  histogram timings[SV_TIMINGS];
  _Atomic(histogram *) methods[METHODS_MAX]; /* by their place in the registry; made when first called */
  route routes[ROUTES_MAX];
  atomic_llong statuses[600];
  atomic_llong counters[SV_COUNTERS];
  atomic_llong groups, grouped;
};

sv_metrics *sv_metrics_new(void) {
  return calloc(1, sizeof(sv_metrics));
}

void sv_metrics_free(sv_metrics *metrics) {
  for (size_t i = 0; metrics && i < METHODS_MAX; i++) free(atomic_load(&metrics->methods[i]));
  free(metrics);
}

static void add(atomic_llong *to, int64_t amount) {
  atomic_fetch_add_explicit(to, amount, memory_order_relaxed);
}
static long long read_of(const atomic_llong *from) {
  return atomic_load_explicit(from, memory_order_relaxed);
}

static void observe(histogram *times, int64_t us) {
  size_t i = 0;
  while (i < BUCKETS && (double)us > BOUNDS[i] * 1e6) i++;
  add(&times->buckets[i], 1);
  add(&times->sum_us, us);
}

void sv_observe(sv_metrics *metrics, sv_timing what, int64_t us) {
  observe(&metrics->timings[what], us);
}
void sv_count(sv_metrics *metrics, sv_counter what) {
  add(&metrics->counters[what], 1);
}
int64_t sv_counted(const sv_metrics *metrics, sv_counter what) {
  return read_of(&metrics->counters[what]);
}

void sv_count_group(sv_metrics *metrics, int64_t calls) {
  add(&metrics->groups, 1);
  add(&metrics->grouped, calls);
}

static histogram *of_method(sv_metrics *metrics, const sv_catalogue *all, const stele_method *method) {
  size_t i = sv_catalogue_find(all, method->name);
  if (i >= METHODS_MAX) return NULL;
  histogram *found = atomic_load(&metrics->methods[i]), *none = NULL;
  if (found) return found;
  histogram *made = calloc(1, sizeof *made);
  if (!made || atomic_compare_exchange_strong(&metrics->methods[i], &none, made)) return made;
  free(made); /* another thread was faster */
  return none;
}

static histogram *of_route(sv_metrics *metrics, const char *name) {
  for (size_t i = 0; i < ROUTES_MAX; i++) {
    const char *here = atomic_load(&metrics->routes[i].name);
    if (!here && atomic_compare_exchange_strong(&metrics->routes[i].name, &here, name)) here = name;
    if (strcmp(here, name) == 0) return &metrics->routes[i].times;
  }
  return NULL;
}

void sv_observe_request(sv_server *server, const stele_method *method, const char *name, int status, int64_t us) {
  sv_metrics *metrics = server->metrics;
  histogram *times = method ? of_method(metrics, server->catalogue, method) : of_route(metrics, name);
  if (times) observe(times, us);
  if (status >= 0 && status < 600) add(&metrics->statuses[status], 1);
}

/* ---- As text ---- */

/* labels: `store="x",method="y"`, or "" */
static void put_histogram(sv_text *out, const char *name, const char *labels, const histogram *times) {
  const char *comma = *labels ? "," : "";
  long long sum = 0;
  for (size_t i = 0; i <= BUCKETS; i++) {
    sum += read_of(&times->buckets[i]);
    if (i < BUCKETS)
      sv_addf(out, "%s_bucket{%s%sle=\"%g\"} %lld\n", name, labels, comma, BOUNDS[i], sum);
    else
      sv_addf(out, "%s_bucket{%s%sle=\"+Inf\"} %lld\n", name, labels, comma, sum);
  }
  const char *open = *labels ? "{" : "", *close = *labels ? "}" : "";
  sv_addf(out, "%s_sum%s%s%s %.6f\n", name, open, labels, close, (double)read_of(&times->sum_us) / 1e6);
  sv_addf(out, "%s_count%s%s%s %lld\n", name, open, labels, close, sum);
}

static void put_requests(const sv_metrics *metrics, sv_text *out) {
  static const char name[] = "stele_http_request_duration_seconds";
  char labels[200];
  sv_metric_head(out, name, "histogram", "Time from the request line to the end of the reply.");
  for (size_t i = 0; i < METHODS_MAX; i++) {
    const histogram *times = atomic_load(&metrics->methods[i]);
    const stele_method *method = times ? stele_method_at(i) : NULL;
    if (!method) continue;
    snprintf(labels, sizeof labels, "route=\"/v1/%s/%s\"", method->store, method->name + strlen(method->store) + 1);
    put_histogram(out, name, labels, times);
  }
  for (size_t i = 0; i < ROUTES_MAX; i++) {
    const char *route_name = atomic_load(&metrics->routes[i].name);
    if (!route_name) break;
    snprintf(labels, sizeof labels, "route=\"%s\"", route_name);
    put_histogram(out, name, labels, &metrics->routes[i].times);
  }
  sv_metric_head(out, "stele_http_responses_total", "counter", "Replies by status.");
  for (int i = 0; i < 600; i++)
    if (read_of(&metrics->statuses[i]))
      sv_addf(out, "stele_http_responses_total{code=\"%d\"} %lld\n", i, read_of(&metrics->statuses[i]));
}

static void put_writes(const sv_metrics *metrics, sv_text *out) {
  sv_metric_head(out, "stele_commit_duration_seconds", "histogram", "Time a commit of the writers took.");
  put_histogram(out, "stele_commit_duration_seconds", "", &metrics->timings[SV_COMMIT]);
  sv_metric_head(out, "stele_write_wait_seconds", "histogram", "Time a write waited for its writer.");
  put_histogram(out, "stele_write_wait_seconds", "", &metrics->timings[SV_WAIT]);
  sv_metric(out, "stele_write_groups_total", "counter", "Groups of writes.", read_of(&metrics->groups));
  sv_metric(out, "stele_write_calls_total", "counter", "Writes in those groups.", read_of(&metrics->grouped));
}

static void put_counters(const sv_server *server, sv_text *out) {
  static const char *const names[SV_COUNTERS][2] = {
      {"stele_requests_refused_total", "Requests refused because too many were under way."},
      {"stele_requests_denied_total", "Requests without a right to what they asked."},
      {"stele_requests_timed_out_total", "Connections cut because a request took too long to come."},
      {"stele_streams_dropped_total", "Streams ended because their reader took nothing."},
      {"stele_connections_total", "Connections accepted."},
      {"stele_audit_lines_total", "Calls noted in the audit."},
      {"stele_audit_dropped_total", "Calls missing in the audit: too many waited to be written."},
      {"stele_audit_errors_total", "Calls missing in the audit: they could not be written."},
  };
  for (int i = 0; i < SV_COUNTERS; i++)
    sv_metric(out, names[i][0], "counter", names[i][1], read_of(&server->metrics->counters[i]));
  sv_metric(out, "stele_connections", "gauge", "Open connections.", sv_peers_count(server->peers));
  sv_metric(out, "stele_requests_in_progress", "gauge", "Requests being worked on.", atomic_load(&server->requests));
  sv_metric(out, "stele_streams", "gauge", "Streams of rows under way.", sv_streams_count(server->streams));
  sv_metric(out, "stele_followers", "gauge", "Clients that follow.", sv_followers_count(server->followers));
}

void sv_metrics_text(const sv_server *server, stele_db *db, sv_text *out) {
  sv_metrics_build(db, out);
  put_requests(server->metrics, out);
  put_writes(server->metrics, out);
  put_counters(server, out);
  sv_metrics_stores(server, db, out);
  sv_jobs_metrics(server->jobs, out);
  sv_ingest_metrics(server->ingest, out);
  sv_metric(out, "stele_uptime_seconds", "gauge", "Since the server started.",
            (sv_now_us() - server->started_us) / 1000000);
}
