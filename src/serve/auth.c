/* auth.c - see auth.h. */
#include "auth.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "server.h"
#include "writer.h"

#define HASH_SIZE SV_HASH_SIZE
#define TOUCH_SECONDS 60
#define KNOWN_US 1000000 /* how long a worker trusts what it was told of a token */

/* ---- Names ---- */

static bool in_list(const char *list, const char *name, size_t length) {
  while (list && *list) {
    size_t here = strcspn(list, ",");
    if (here == length && strncasecmp(list, name, length) == 0) return true;
    list += here + (list[here] == ',');
  }
  return false;
}

/* host[:port], as it stands in Host and behind the scheme of an Origin */
static bool is_ours(const sv_server *server, const char *host) {
  size_t length = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
  if (length > strlen(host)) return false;
  if (in_list("localhost,127.0.0.1,[::1]", host, length)) return true;
  if (strcmp(host + length, "") != 0 && host[length] != ':') return false;
  return in_list(server->options->allow_hosts, host, length) || in_list(server->options->host, host, length);
}

bool sv_auth_names(sv_exchange *exchange) {
  const char *host = sv_header(exchange, "Host"), *origin = sv_header(exchange, "Origin");
  const char *behind = origin ? strstr(origin, "://") : NULL;
  if (host && !is_ours(exchange->server, host))
    sv_answer_problem(exchange, 403, STELE_DENIED, "the server's owner can allow it: --allow-host",
                      "this server is not called %.100s", host);
  else if (origin && (!behind || !is_ours(exchange->server, behind + 3)))
    sv_answer_problem(exchange, 403, STELE_DENIED, "the server's owner can allow it: --allow-host",
                      "pages of %.100s may not call this server", origin);
  return !exchange->answered;
}

/* ---- Tokens ---- */

static const char *token_of(const sv_exchange *exchange) {
  const char *header = sv_header(exchange, "Authorization");
  if (!header || strncasecmp(header, "Bearer ", 7) != 0) return NULL;
  return header + 7 + strspn(header + 7, " ");
}

static void unknown(sv_exchange *exchange, const char *message) {
  sv_answer_problem(exchange, 401, STELE_DENIED, "send Authorization: Bearer TOKEN; `stele token create` makes one",
                    "%s", message);
}

static bool is_free(const sv_route *route) {
  return route->open || (route->access && !*route->access);
}

bool sv_auth_begin(sv_exchange *exchange) {
  if (exchange->peer->owner) snprintf(exchange->actor, sizeof exchange->actor, "uid:%lld", (long long)geteuid());
  if (is_free(exchange->route) || exchange->peer->owner || token_of(exchange)) return true;
  unknown(exchange, "a token is needed");
  return false;
}

static bool hash_of(const char *token, char out[HASH_SIZE]) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  if (EVP_Digest(token, strlen(token), digest, NULL, EVP_sha256(), NULL) != 1) return false;
  sv_hex(out, digest, (HASH_SIZE - 1) / 2);
  return true;
}

const char *sv_auth_access(const stele_method *method) {
  bool memory = strncmp(method->name, "server.memory_", sizeof "server.memory_" - 1) == 0;
  return strcmp(method->store, "server") == 0 && !memory ? "admin" : method->access; /* tokens are for administrators */
}

static int rank(const char *access, size_t length) {
  static const char *const ranks[] = {"read", "write", "admin"};
  for (int i = 0; i < 3; i++)
    if (strlen(ranks[i]) == length && strncmp(ranks[i], access, length) == 0) return i + 1;
  return 0;
}

/* scopes: a JSON array of store:access, as server.create_token checked it.  store NULL: any. */
static bool allows(const char *scopes, const char *store, const char *access) {
  int needed = rank(access, strlen(access));
  for (const char *at = strchr(scopes, '"'); at; at = strchr(at, '"')) {
    const char *colon = strchr(++at, ':'), *end = strchr(at, '"');
    if (!colon || !end || colon > end) return false;
    size_t length = (size_t)(colon - at);
    bool same = !store || (length == 1 && *at == '*') || (strlen(store) == length && strncmp(store, at, length) == 0);
    if (same && rank(colon + 1, (size_t)(end - colon - 1)) >= needed) return true;
    at = end + 1;
  }
  return false;
}

/* Noting the use of a token waits for nobody. */
typedef struct touch {
  sv_call call;
  char args[64];
} touch;

static void touched(sv_call *call) {
  sv_call_clear(call);
  free(call);
}

static void note_use(sv_server *server, int64_t id, double last) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if ((double)now.tv_sec - last < TOUCH_SECONDS) return;
  touch *t = calloc(1, sizeof *t);
  if (!t) return;
  snprintf(t->args, sizeof t->args, "{\"id\":%lld}", (long long)id);
  t->call = (sv_call){
      .method = stele_method_find("server.touch_token"), .args = t->args, .done = touched, .since_us = sv_now_us()};
  sv_writer_submit(server->writers, &t->call);
}

/* Ask the store.  The scopes are the worker's until its next question; NULL: not valid, or *failed. */
static const char *ask_scopes(sv_worker *worker, const char *hash, char actor[SV_ACTOR], bool *failed) {
  stele_status status = STELE_OK;
  if (worker->tokens)
    stele_reset(worker->tokens);
  else
    status = stele_prepare(worker->reader, "server.find_token", &worker->tokens);
  if (status == STELE_OK) status = stele_bind_text(worker->tokens, "hash", hash, strlen(hash));
  if (status == STELE_OK) status = stele_step(worker->tokens);
  *failed = status != STELE_ROW && status != STELE_DONE;
  if (status != STELE_ROW) return NULL;
  const char *found = stele_column_text(worker->tokens, 2);
  if (!found || strlen(found) != HASH_SIZE - 1 || CRYPTO_memcmp(found, hash, HASH_SIZE - 1) != 0) return NULL;
  int64_t id = stele_column_int(worker->tokens, 0);
  snprintf(actor, SV_ACTOR, "token:%lld:%s", (long long)id, stele_column_text(worker->tokens, 1));
  note_use(worker->server, id, stele_column_real(worker->tokens, 4));
  return stele_column_text(worker->tokens, 3);
}

/* What the worker was told a moment ago, unless this server has changed a token since; another process's
** change is noticed a moment later. */
static const sv_known *find_known(const sv_worker *worker, const char *hash) {
  unsigned changes = atomic_load(&worker->server->token_changes);
  for (size_t i = 0; i < SV_KNOWN; i++) {
    const sv_known *known = &worker->known[i];
    if (known->changes == changes && sv_now_us() < known->until_us && CRYPTO_memcmp(known->hash, hash, HASH_SIZE) == 0)
      return known;
  }
  return NULL;
}

static void keep(sv_worker *worker, unsigned changes, const char *hash, const char *actor, const char *scopes) {
  sv_known *known = &worker->known[worker->next_known++ % SV_KNOWN];
  known->until_us = 0;
  if (strlen(scopes) >= sizeof known->scopes) return; /* too long: asked for every time */
  memcpy(known->hash, hash, HASH_SIZE);
  strcpy(known->scopes, scopes);
  strcpy(known->actor, actor);
  known->changes = changes;
  known->until_us = sv_now_us() + KNOWN_US;
}

static const char *scopes_of(sv_worker *worker, const char *hash, char actor[SV_ACTOR], bool *failed) {
  const sv_known *known = find_known(worker, hash);
  *failed = false;
  if (known) {
    strcpy(actor, known->actor);
    return known->scopes;
  }
  unsigned changes = atomic_load(&worker->server->token_changes); /* before asking: a later change counts */
  const char *scopes = ask_scopes(worker, hash, actor, failed);
  if (scopes) keep(worker, changes, hash, actor, scopes);
  return scopes;
}

static void answer_failed(sv_exchange *exchange, sv_worker *worker) {
  sv_failure failure;
  sv_failure_copy(&failure, stele_error(worker->reader));
  if (failure.status == STELE_OK) sv_failure_set(&failure, STELE_NOMEM, "", "", "out of memory");
  sv_answer_failure(exchange, &failure);
}

bool sv_auth_check(sv_exchange *exchange, sv_worker *worker) {
  const stele_method *method = exchange->call.method;
  const char *store = method ? method->store : exchange->route->store;
  const char *access = method ? sv_auth_access(method) : exchange->route->access;
  char hash[HASH_SIZE];
  bool failed = true;
  if (exchange->peer->owner || is_free(exchange->route)) return true;
  const char *scopes = hash_of(token_of(exchange), hash) ? scopes_of(worker, hash, exchange->actor, &failed) : NULL;
  if (failed)
    answer_failed(exchange, worker);
  else if (!scopes)
    unknown(exchange, "the token is not valid");
  else if (!allows(scopes, store, access))
    sv_answer_problem(exchange, 403, STELE_DENIED, "", "the token has no scope %s:%s", store ? store : "*", access);
  return !exchange->answered;
}

bool sv_auth_scopes(const sv_exchange *exchange, sv_worker *worker, char **scopes) {
  char hash[HASH_SIZE], actor[SV_ACTOR];
  bool failed = true;
  *scopes = NULL;
  if (exchange->peer->owner) return true;
  const char *found = hash_of(token_of(exchange), hash) ? scopes_of(worker, hash, actor, &failed) : NULL;
  if (found) *scopes = strdup(found);
  if (worker->tokens) stele_reset(worker->tokens);
  return *scopes != NULL;
}

bool sv_auth_allows(const char *scopes, const stele_method *method) {
  return !scopes || allows(scopes, method->store, sv_auth_access(method));
}

/* ---- The first token ---- */

static bool has_tokens(stele_db *db, bool *failed) {
  stele_stmt *stmt = NULL;
  stele_status status = stele_prepare(db, "server.list_tokens", &stmt);
  if (status == STELE_OK) status = stele_step(stmt);
  stele_finalize(stmt);
  *failed = status != STELE_ROW && status != STELE_DONE;
  return status == STELE_ROW;
}

/* The home, and what is above it, for its owner only. */
static void make_home(const char *home) {
  char path[4096];
  snprintf(path, sizeof path, "%s", home);
  for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
    if (slash) *slash = '\0';
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return; /* writing into it will tell */
    if (!slash) return;
    *slash = '/';
  }
}

static bool write_file(const char *path, const char *token) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  bool good = fd >= 0 && fchmod(fd, 0600) == 0 && dprintf(fd, "%s\n", token) > 0 && fsync(fd) == 0;
  if (fd >= 0) close(fd);
  if (!good) sv_log(STELE_LOG_ERROR, "%s cannot be written: %s", path, strerror(errno));
  return good;
}

static bool make_token(stele_db *db, const char *path) {
  static const char scopes[] = "[\"*:admin\"]";
  stele_stmt *stmt = NULL;
  stele_status status = stele_prepare(db, "server.create_token", &stmt);
  if (status == STELE_OK) status = stele_bind_text(stmt, "name", "local", 5);
  if (status == STELE_OK) status = stele_bind_json(stmt, "scopes", scopes);
  if (status == STELE_OK) status = stele_step(stmt);
  bool good = status == STELE_ROW && write_file(path, stele_column_text(stmt, 1));
  if (status != STELE_ROW) sv_log(STELE_LOG_ERROR, "%s", stele_error(db)->message);
  stele_finalize(stmt);
  if (good) sv_log(STELE_LOG_INFO, "a token for this user was written to %s", path);
  return good;
}

bool sv_auth_first_token(sv_server *server) {
  char path[4096];
  bool failed = false;
  stele_db *db = sv_server_open(server, 0);
  bool good = has_tokens(db, &failed);
  if (failed) sv_log(STELE_LOG_ERROR, "%s", stele_error(db)->message);
  if (!good && !failed && server->place.home) {
    make_home(server->place.home);
    snprintf(path, sizeof path, "%s/server.token", server->place.home);
    good = make_token(db, path);
  } else if (!good && !failed) {
    good = true;
    sv_log(STELE_LOG_WARNING, "there is no home to write a token to: `stele token create` makes one");
  }
  stele_close(db);
  return good;
}
