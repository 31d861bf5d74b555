/* router.c - see router.h. */
#include "router.h"

#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "catalogue.h"
#include "method.h"
#include "pub.h"
#include "server.h"
#include "web.h"

static const sv_route METHOD_READS = {NULL, "GET, HEAD, POST", false, NULL, NULL, sv_method_answer, NULL};
static const sv_route METHOD_WRITES = {NULL, "POST", false, NULL, NULL, sv_method_answer, NULL};
static const sv_route RESOURCE = {NULL, "GET, HEAD", false, NULL, NULL, sv_method_answer, NULL};
static const sv_route PUB = {"/pub", "GET, HEAD", false, NULL, "", sv_pub_answer, NULL};
static const sv_route UNKNOWN = {NULL, "GET, HEAD, POST", false, NULL, "read", sv_method_unknown, NULL};

static bool is_get(const sv_exchange *exchange) {
  return strcmp(exchange->verb, "GET") == 0 || strcmp(exchange->verb, "HEAD") == 0;
}

static bool allows(const sv_route *route, const char *verb) {
  size_t length = strlen(verb);
  for (const char *at = route->allow; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
    if (strcspn(at, ",") == length && strncmp(at, verb, length) == 0) return true;
  return false;
}

/* Does the address fit "/v1/sessions/{session_id}"?  The values in it go into the arguments. */
static bool fits(const char *address, const char *pattern, sv_arguments *found) {
  while (*pattern) {
    if (*pattern != '{') {
      if (*pattern++ != *address++) return false;
      continue;
    }
    size_t named = strcspn(pattern, "}"), length = strcspn(address, "/");
    if (length == 0) return false;
    sv_arguments_add(found, pattern + 1, named - 1, address, length, false);
    pattern += named + 1;
    address += length;
  }
  return *address == '\0';
}

static const stele_method *find_resource(const sv_catalogue *all, const char *address, sv_arguments *found) {
  for (size_t i = 0; i < all->nresources; i++) {
    const stele_method *method = all->resources[i];
    if (fits(address, strchr(method->http, '/'), found)) return method;
    sv_arguments_clear(found);
  }
  return NULL;
}

/* "/v1/telemetry/create_session" is telemetry.create_session */
static const stele_method *find_method(const sv_catalogue *all, const char *address) {
  char name[128];
  size_t length = strlen(address);
  if (strncmp(address, "/v1/", 4) != 0 || length >= sizeof name) return NULL;
  memcpy(name, address + 4, length - 3);
  char *slash = strchr(name, '/');
  if (!slash) return NULL;
  *slash = '.';
  size_t found = sv_catalogue_find(all, name);
  return found < all->count ? all->methods[found] : NULL;
}

static const sv_route *find_fixed(const char *address) {
  for (const sv_route *route = sv_routes; route->path; route++)
    if (strcmp(route->path, address) == 0) return route;
  return NULL;
}

static const sv_route *find(sv_exchange *exchange, sv_arguments *found) {
  const sv_route *fixed = find_fixed(exchange->address), *page = fixed ? NULL : sv_web_route(exchange->address);
  const sv_catalogue *all = exchange->server->catalogue;
  if (fixed) return fixed;
  if (page) return page;
  if (exchange->server->pub && strncmp(exchange->address, "/pub/", 5) == 0) return &PUB;
  exchange->call.method = find_resource(all, exchange->address, found);
  exchange->resource = exchange->call.method != NULL;
  if (exchange->resource) return &RESOURCE;
  exchange->call.method = find_method(all, exchange->address);
  if (!exchange->call.method) return strncmp(exchange->address, "/v1/", 4) == 0 ? &UNKNOWN : NULL;
  return strcmp(exchange->call.method->access, "read") == 0 ? &METHOD_READS : &METHOD_WRITES;
}

bool sv_route_find(sv_exchange *exchange) {
  sv_arguments found;
  found.count = 0; /* the rest is not touched before it is used, and it is large */
  found.bad = false;
  exchange->route = find(exchange, &found);
  if (!exchange->route) {
    sv_answer_problem(exchange, 404, STELE_NOTFOUND, "methods are at /v1/{store}/{method}; GET /openapi.json lists all",
                      "there is nothing at %.200s", exchange->address);
  } else if (!allows(exchange->route, exchange->verb)) {
    sv_answer_problem(exchange, 405, STELE_INVALID, "", "%.200s takes no %.20s", exchange->address, exchange->verb);
    sv_answer_header(exchange, "Allow", exchange->route->allow);
  } else if (exchange->route->prepare) {
    exchange->route->prepare(exchange);
  } else if (exchange->call.method && is_get(exchange)) {
    sv_arguments_query(&found, exchange, exchange->resource);
  }
  sv_arguments_clear(&found);
  return !exchange->answered;
}
