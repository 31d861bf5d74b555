/* endpoint.c - see endpoint.h. */
#include "http/endpoint.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/json_pull.h"
#include "base/str.h"

#define ATTEMPTS 4
#define PAUSE_MS 250       /* before the second attempt; twice as long before each that follows */
#define LONGEST_PAUSE_S 60 /* one that wants to be left alone for longer is not waited for */
#define DOUBLED_MOST 7     /* times that a pause is doubled: half a minute */
#define SLICE_MS 50        /* of a pause, between looks whether it was stopped */
#define ADDRESS_MAX 8192

struct st_endpoint {
  st_http *http;
  char *base, *path, *query, *key; /* BASE/v1 PATH ?QUERY */
  int timeout_ms, connect_ms, attempts;
  bool silent;
  st_endpoint_waiting waiting;
};

/* ---- Opening ---- */

static bool ends_with(const char *text, size_t length, const char *end) {
  size_t size = strlen(end);
  return length >= size && memcmp(text + length - size, end, size) == 0;
}

/* .../v1, whichever part of .../v1/path was said. */
static char *base_of(const char *address, const char *path) {
  size_t length = strcspn(address, "?");
  st_str base;
  while (length && address[length - 1] == '/') length--;
  bool whole = ends_with(address, length, path);
  if (whole) length -= strlen(path);
  st_str_init(&base, ADDRESS_MAX);
  st_str_add(&base, address, length);
  if (!whole && !ends_with(address, length, "/v1")) st_str_addz(&base, "/v1");
  return st_str_take(&base);
}

static bool is_stopped(void *user) {
  const st_endpoint *e = user;
  return e->waiting.stopped && e->waiting.stopped(e->waiting.user);
}

static bool copy_texts(st_endpoint *e, const st_endpoint_config *config) {
  e->base = base_of(config->address, config->path);
  e->path = st_strdup(config->path);
  e->query = st_strdup(config->address + strcspn(config->address, "?")); /* stays behind whatever is asked */
  e->key = config->key ? st_strdup(config->key) : NULL;
  return e->base && e->path && e->query && (e->key || !config->key);
}

static bool prepare(st_endpoint *e, const st_endpoint_config *config, st_problem *problem) {
  e->timeout_ms = config->timeout_ms;
  e->connect_ms = config->connect_ms;
  e->attempts = config->attempts > 0 ? config->attempts : ATTEMPTS;
  e->silent = config->silent;
  if (!copy_texts(e, config)) return st_problem_nomem(problem);
  if (strncmp(e->base, "http://", 7) != 0 && strncmp(e->base, "https://", 8) != 0)
    return st_problem_say(problem, "%s must be an address: https://...", config->setting);
  if (st_http_lacks()) return st_problem_say(problem, "the endpoint cannot be asked: %s", st_http_lacks());
  if (e->key && !st_http_is_safe(e->base))
    return st_problem_say(problem, "%s must be https://..., or http:// on this machine: the key is sent nowhere else", config->setting);
  e->http = st_http_open(e->key, is_stopped, e);
  return e->http || st_problem_nomem(problem);
}

st_endpoint *st_endpoint_open(const st_endpoint_config *config, st_problem *problem) {
  st_endpoint *e = st_alloc_zero(sizeof *e);
  if (!e) st_problem_nomem(problem);
  if (e && prepare(e, config, problem)) return e;
  st_endpoint_close(e);
  return NULL;
}

void st_endpoint_close(st_endpoint *e) {
  if (!e) return;
  st_http_close(e->http);
  if (e->key) explicit_bzero(e->key, strlen(e->key));
  st_free(e->key);
  st_free(e->query);
  st_free(e->path);
  st_free(e->base);
  st_free(e);
}

void st_endpoint_for(st_endpoint *e, const st_endpoint_waiting *waiting) {
  e->waiting = waiting ? *waiting : (st_endpoint_waiting){0};
}

/* ---- Patience ---- */

static bool rest(st_endpoint *e, int64_t ms) {
  struct timespec slice = {0, SLICE_MS * 1000000L};
  for (; ms > 0 && !is_stopped(e); ms -= SLICE_MS) nanosleep(&slice, NULL);
  return !is_stopped(e);
}

/* Between half of it and all of it, so that many who failed at once do not come back at once. */
static int64_t with_jitter(int64_t ms) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return ms / 2 + (now.tv_nsec / 1000) % (ms / 2 + 1);
}

static bool is_busy(const st_http_reply *reply) { return reply->status == 429 || reply->status == 503; }

/* How long to wait before it is asked again; below 0: it would be no use. */
static int64_t pause_after(const st_endpoint *e, const st_http_reply *reply, int attempt) {
  bool broken = (reply->status == 0 && !reply->too_long && !reply->stopped) || reply->status == 408 || reply->status >= 500;
  if (attempt >= e->attempts || (!is_busy(reply) && !broken)) return -1;
  if (is_busy(reply) && reply->retry_after > LONGEST_PAUSE_S) return -1;
  if (is_busy(reply) && reply->retry_after >= 0) return reply->retry_after * 1000;
  return with_jitter((int64_t)PAUSE_MS << (attempt < DOUBLED_MOST ? attempt : DOUBLED_MOST));
}

static st_endpoint_end judge(const st_http_reply *reply) {
  long status = reply->status;
  if (reply->stopped) return ST_ENDPOINT_STOPPED;
  if (status == 200) return reply->body ? ST_ENDPOINT_ANSWERED : ST_ENDPOINT_NOMEM;
  if (status == 0 && reply->unreached) return ST_ENDPOINT_AWAY;
  if (reply->too_long || status == 400 || status == 413 || status == 422) return ST_ENDPOINT_REFUSED;
  if (status == 0 || status == 408 || (status >= 500 && status != 502 && status != 503)) return ST_ENDPOINT_BROKEN;
  return ST_ENDPOINT_AWAY;
}

static st_endpoint_end tell(const st_endpoint *e, const st_http_reply *reply, st_problem *problem) {
  char said[200] = "";
  if (reply->body) st_endpoint_read_error((st_text){reply->body, reply->length}, said, sizeof said);
  if (e->key && strstr(said, e->key)) said[0] = '\0'; /* some tell the key that they do not accept */
  if (reply->stopped) st_problem_say(problem, "it was stopped");
  else if (reply->status == 200) st_problem_nomem(problem);
  else if (!reply->status) st_problem_say(problem, "the endpoint gave no answer: %s", reply->problem);
  else if (is_busy(reply) && reply->retry_after > LONGEST_PAUSE_S)
    st_problem_say(problem, "the endpoint was asked too often, and wants to be left alone for %lld s", (long long)reply->retry_after);
  else st_problem_say(problem, "the endpoint answered %ld%s%s", reply->status, said[0] ? ": " : "", said);
  return judge(reply);
}

/* ---- Asking ---- */

static char *url_of(const st_endpoint *e, const char *path) {
  st_str url;
  st_str_init(&url, ADDRESS_MAX + 1024);
  st_str_addz(&url, e->base);
  st_str_addz(&url, path ? path : e->path);
  st_str_addz(&url, e->query);
  return st_str_take(&url);
}

static st_endpoint_end stopped(st_problem *problem) {
  st_problem_say(problem, "it was stopped");
  return ST_ENDPOINT_STOPPED;
}

static st_endpoint_end ask(st_endpoint *e, const st_http_request *request, st_http_reply *reply, st_problem *problem) {
  for (int attempt = 1;; attempt++) {
    if (e->waiting.may_send && !e->waiting.may_send(e->waiting.user)) return stopped(problem);
    st_http_send(e->http, request, reply);
    if (e->waiting.was_sent) e->waiting.was_sent(e->waiting.user, reply);
    if (reply->status == 200 && reply->body) return ST_ENDPOINT_ANSWERED;
    int64_t pause = pause_after(e, reply, attempt);
    if (pause < 0) return tell(e, reply, problem);
    st_http_reply_free(reply);
    if (!rest(e, pause)) return stopped(problem);
  }
}

st_endpoint_end st_endpoint_ask(st_endpoint *e, const char *path, st_text body, size_t most, st_http_reply *reply, st_problem *problem) {
  static const char *const headers[] = {"Content-Type: application/json", "Accept: application/json", NULL};
  char *url = url_of(e, path);
  const st_http_request request = {.url = url,
                                   .headers = body.bytes ? headers : headers + 1,
                                   .body = body.bytes,
                                   .body_length = body.length,
                                   .most = most,
                                   .timeout_ms = e->timeout_ms,
                                   .connect_ms = e->connect_ms,
                                   .silent = e->silent};
  *reply = (st_http_reply){0};
  st_endpoint_end end = url ? ask(e, &request, reply, problem) : ST_ENDPOINT_NOMEM;
  if (end == ST_ENDPOINT_NOMEM) st_problem_nomem(problem);
  st_free(url);
  return end;
}

void st_endpoint_read_error(st_text reply, char *out, size_t size) {
  st_arena arena;
  st_text said = {0};
  *out = '\0';
  if (!st_pull_skip(reply.bytes, reply.bytes + reply.length, NULL)) return;
  st_arena_init(&arena, (size_t)1 << 20);
  st_text error = st_pull_get(reply, "error");
  st_text message = st_pull_is_object(error) ? st_pull_get(error, "message") : error;
  if (st_pull_is_string(message) && st_pull_text(&arena, message, &said))
    snprintf(out, size, "%.*s", (int)(said.length < size ? said.length : size - 1), said.bytes);
  for (char *at = out; *at; at++)
    if ((unsigned char)*at < ' ') *at = ' ';
  st_arena_free(&arena);
}
