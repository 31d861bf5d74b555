/* fuzz_http.c - any bytes as a request: its line, its headers, an empty line, its body.  They go through
** whatever of ours reads them: names and origins, addresses, queries and cursors, bearer tokens, the headers
** that repeat an MCP message, and files that sessions give out.  libmicrohttpd, which takes requests apart,
** is not of ours: the target stands in for it. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "door/json.h"
#include "fuzz/target.h"
#include "serve/arguments.h"
#include "serve/auth.h"
#include "serve/catalogue.h"
#include "serve/follow.h"
#include "serve/mcp_headers.h"
#include "serve/metrics.h"
#include "serve/pub.h"
#include "serve/router.h"
#include "serve/server.h"

#define HEADERS 16

static char *headers[HEADERS];

/* ---- In place of http.c and serve.c ---- */

const char *sv_header(const sv_exchange *exchange, const char *name) {
  size_t length = strlen(name);
  (void)exchange;
  for (size_t i = 0; i < HEADERS && headers[i]; i++)
    if (strncasecmp(headers[i], name, length) == 0 && headers[i][length] == ':')
      return headers[i] + length + 1 + strspn(headers[i] + length + 1, " ");
  return NULL;
}

void sv_exchange_resume(sv_exchange *exchange) {
  must(exchange->answered, "gone on without an answer");
}

stele_db *sv_server_open(const sv_server *server, unsigned flags) {
  stele_db *db = NULL;
  stele_options place = server->place;
  place.flags |= flags;
  must(stele_open(&place, &db) == STELE_OK, "no home");
  return db;
}

/* ---- The server, as far as it is needed ---- */

static sv_server the_server;
static sv_worker worker;

static void put_file(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  must(fd >= 0 && write(fd, "x", 1) == 1, "no file");
  close(fd);
}

static char home[] = "/tmp/stele-fuzz-XXXXXX";

static void remove_home(void) {
  static const char *const parts[] = {"s/pub/a.txt", "s/pub", "s", "server.key", "server.db-wal", "server.db-shm",
                                      "server.db",   ""};
  char path[100];
  stele_finalize(worker.tokens);
  stele_close(worker.reader);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    snprintf(path, sizeof path, "%s/%s", home, parts[i]);
    remove(path);
  }
}

static void start(void) {
  static serve_options options = {.allow_hosts = "stele.example,other.example"};
  char path[100];
  must(mkdtemp(home) != NULL, "no place");
  snprintf(path, sizeof path, "%s/s", home);
  must(mkdir(path, 0700) == 0, "no folder");
  snprintf(path, sizeof path, "%s/s/pub", home);
  must(mkdir(path, 0700) == 0, "no folder");
  snprintf(path, sizeof path, "%s/s/pub/a.txt", home);
  put_file(path);
  the_server.options = &options;
  the_server.place = (stele_options){.size = sizeof(stele_options), .home = home};
  the_server.limits = limits_default();
  options.pub = home;
  the_server.catalogue = sv_catalogue_open();
  the_server.metrics = sv_metrics_new();
  the_server.pub = sv_pub_open(&the_server);
  must(the_server.catalogue && the_server.metrics && the_server.pub, "no server");
  worker.server = &the_server;
  worker.reader = sv_server_open(&the_server, 0);
  atexit(remove_home);
}

/* ---- A request ---- */

/* What a read answers in pages: the library's rows are whole objects that begin with their number. */
static void page(sv_exchange *exchange) {
  static const char rows[] = "[{\"id\":7,\"a\":\"[}\\\"\"},{\"id\":8,\"a\":{}},{\"id\":9,\"a\":[{}]}]";
  char *text = sv_arguments_page(exchange, rows);
  must(text && json_kind(json_read(text, strlen(text))) == '{', "a page that is not JSON");
  free(text);
}

static void answer(sv_exchange *exchange) {
  if (!sv_auth_names(exchange) || !sv_route_find(exchange)) return;
  must(exchange->route != NULL, "neither answered nor found");
  if (exchange->page) page(exchange);
  if (!sv_auth_begin(exchange) || !sv_auth_check(exchange, &worker)) return;
  must(exchange->route->open || (exchange->route->access && !*exchange->route->access), "a right without a token");
  if (exchange->route->answer == sv_pub_answer) sv_pub_answer(exchange, &worker);
}

static void check_headers(sv_exchange *exchange) {
  if (exchange->body.length && !exchange->answered) sv_mcp_headers_check(exchange);
}

/* The next line, without its end, which becomes a NUL. */
static char *line(char **rest) {
  char *at = *rest, *end = strchr(at, '\n');
  if (end) *end = '\0';
  *rest = end ? end + 1 : at + strlen(at);
  return at;
}

static void take_apart(char *text, sv_exchange *exchange) {
  char *rest = text, *first = line(&rest), *space = strchr(first, ' '), *query;
  exchange->verb = first;
  if (space) *space = '\0';
  exchange->address = strdup(space ? space + 1 : "/");
  must(exchange->address != NULL, "no memory");
  query = strchr(exchange->address, '?');
  if (query) *query = '\0';
  exchange->query = query ? query + 1 : NULL;
  for (size_t i = 0; i < HEADERS; i++) headers[i] = NULL;
  for (size_t i = 0; *rest && *rest != '\n' && i < HEADERS; i++) headers[i] = line(&rest);
  if (*rest == '\n') rest++;
  if (*rest) sv_addz(&exchange->body, rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static sv_peer peer;
  if (!the_server.catalogue) start();
  char *text = strndup((const char *)data, size);
  must(text != NULL, "no memory");
  sv_exchange exchange = {.server = &the_server, .peer = &peer};
  take_apart(text, &exchange);
  answer(&exchange);
  check_headers(&exchange);
  if (exchange.answered) must(exchange.status >= 200 && exchange.status < 600, "no status");
  if (exchange.response) MHD_destroy_response(exchange.response);
  sv_text_free(&exchange.body);
  free(exchange.args);
  free(exchange.address);
  free(text);
  return 0;
}
