/* http.c - see http.h: libcurl, and nothing of what is asked. */
#include "http/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "http/curl.h"
#include "stele.h"

#define HOPS_MAX 3
#define BODY_MAX ((size_t)256 << 20) /* of a log whose end is kept */
#define CONNECT_MS 10000L
#define STALL_S 30L
#define WHOLE_MS 180000L

struct st_http {
  const st_curl *lib;
  CURL *curl;
  char *authorization; /* "Authorization: Bearer ..."; NULL: none */
  bool (*stopped)(void *user);
  void *user;
};

/* What the callbacks of one transfer fill. */
typedef struct transfer {
  const st_http *of;
  const st_http_request *request;
  st_http_reply *reply;
  size_t room, total;
} transfer;

/* ---- Opening, closing ---- */

const char *st_http_lacks(void) {
  return st_curl_lacks();
}

static char *authorization_of(const char *token) {
  static const char begin[] = "Authorization: Bearer ";
  char *line = st_alloc(sizeof begin + strlen(token));
  if (line) sprintf(line, "%s%s", begin, token);
  return line;
}

st_http *st_http_open(const char *token, bool (*stopped)(void *user), void *user) {
  const st_curl *lib = st_curl_load();
  st_http *h = lib ? st_alloc_zero(sizeof *h) : NULL;
  if (!h) return NULL;
  h->lib = lib;
  h->stopped = stopped;
  h->user = user;
  h->curl = lib->easy_init();
  h->authorization = token ? authorization_of(token) : NULL;
  if (h->curl && (h->authorization || !token)) return h;
  st_http_close(h);
  return NULL;
}

void st_http_close(st_http *h) {
  if (!h) return;
  h->lib->easy_cleanup(h->curl);
  if (h->authorization) explicit_bzero(h->authorization, strlen(h->authorization));
  st_free(h->authorization);
  st_free(h);
}

void st_http_reply_free(st_http_reply *reply) {
  st_free(reply->body);
  reply->body = NULL;
}

/* ---- What comes in ---- */

/* Room for so much more, in the place of what is not kept. */
static bool make_room(transfer *t, size_t more) {
  st_http_reply *reply = t->reply;
  if (reply->length + more + 1 <= t->room) return true;
  if (t->request->tail && reply->length > t->request->most) {
    memmove(reply->body, reply->body + reply->length - t->request->most, t->request->most);
    reply->length = t->request->most;
    if (reply->length + more + 1 <= t->room) return true;
  }
  size_t room = t->room * 2 > reply->length + more + 1 ? t->room * 2 : reply->length + more + 1;
  char *body = st_realloc(reply->body, room);
  if (!body) return false;
  reply->body = body;
  t->room = room;
  return true;
}

/* How much of a body is read. */
static size_t limit_of(const st_http_request *request) {
  return request->tail ? BODY_MAX : request->most;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user) {
  transfer *t = user;
  st_http_reply *reply = t->reply;
  size *= count;
  reply->too_long = t->total + size > limit_of(t->request);
  if (reply->too_long || !make_room(t, size)) return 0;
  if (t->total == 0) reply->zip = size >= 4 && memcmp(bytes, "PK\3\4", 4) == 0;
  memcpy(reply->body + reply->length, bytes, size);
  reply->length += size;
  t->total += size;
  return size;
}

/* The number in a line with that header; -1: what stands there is none.  Another line changes nothing. */
static void take_number(const char *line, const char *name, int64_t *number) {
  size_t length = strlen(name);
  if (strncasecmp(line, name, length) != 0 || line[length] != ':') return;
  const char *at = line + length + 1 + strspn(line + length + 1, " \t");
  size_t digits = strspn(at, "0123456789");
  *number = digits && digits <= 15 ? strtoll(at, NULL, 10) : -1;
}

static void take_etag(const char *line, st_http_reply *reply) {
  if (strncasecmp(line, "etag:", 5) != 0) return;
  const char *at = line + 5 + strspn(line + 5, " \t");
  size_t length = strcspn(at, "\r\n");
  if (length < sizeof reply->etag) snprintf(reply->etag, sizeof reply->etag, "%.*s", (int)length, at);
}

static size_t on_header(char *bytes, size_t size, size_t count, void *user) {
  transfer *t = user;
  char line[512];
  size *= count;
  snprintf(line, sizeof line, "%.*s", (int)(size < sizeof line ? size : sizeof line - 1), bytes);
  take_number(line, "retry-after", &t->reply->retry_after);
  take_number(line, "x-ratelimit-remaining", &t->reply->remaining);
  take_number(line, "x-ratelimit-reset", &t->reply->reset);
  take_etag(line, t->reply);
  return size;
}

static int on_progress(void *user, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  transfer *t = user;
  (void)a, (void)b, (void)c, (void)d;
  t->reply->stopped = t->of->stopped && t->of->stopped(t->of->user);
  return t->reply->stopped;
}

/* ---- Asking ---- */

static struct curl_slist *add(const st_http *h, struct curl_slist *list, const char *header, bool *good) {
  struct curl_slist *longer = *good ? h->lib->slist_append(list, header) : NULL;
  *good = longer != NULL;
  return longer ? longer : list;
}

static struct curl_slist *headers(const st_http *h, const st_http_request *request, bool trusted, bool *good) {
  struct curl_slist *list = NULL;
  char line[256];
  *good = true;
  for (const char *const *header = request->headers; header && *header; header++) list = add(h, list, *header, good);
  if (request->body) list = add(h, list, "Expect:", good); /* nobody is asked first whether it may be sent */
  if (trusted && h->authorization) list = add(h, list, h->authorization, good);
  if (request->etag && *request->etag) {
    snprintf(line, sizeof line, "If-None-Match: %s", request->etag);
    list = add(h, list, line, good);
  }
  return list;
}

#define SET(option, value) h->lib->easy_setopt(h->curl, CURLOPT_##option, value)

static void set_limits(st_http *h, const st_http_request *request) {
  long whole = request->timeout_ms > 0 ? request->timeout_ms : WHOLE_MS;
  long connect = request->connect_ms > 0 ? request->connect_ms : CONNECT_MS;
  SET(PROTOCOLS_STR, "http,https");
  SET(FOLLOWLOCATION, 0L);
  SET(NETRC, (long)CURL_NETRC_IGNORED);
  SET(SSL_VERIFYPEER, 1L);
  SET(SSL_VERIFYHOST, 2L);
  SET(CONNECTTIMEOUT_MS, whole < connect ? whole : connect);
  if (!request->silent) {
    SET(LOW_SPEED_LIMIT, 1L);
    SET(LOW_SPEED_TIME, STALL_S);
  }
  SET(TIMEOUT_MS, whole);
  SET(NOSIGNAL, 1L);
  SET(NOPROGRESS, 0L);
  SET(ACCEPT_ENCODING, "");
  SET(USERAGENT, "stele/" STELE_VERSION);
}

static void set_body(st_http *h, const st_http_request *request) {
  if (!request->body) return;
  SET(POST, 1L);
  SET(POSTFIELDS, request->body);
  SET(POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
}

static void set_callbacks(st_http *h, transfer *t) {
  SET(WRITEFUNCTION, on_body);
  SET(WRITEDATA, t);
  SET(HEADERFUNCTION, on_header);
  SET(HEADERDATA, t);
  SET(XFERINFOFUNCTION, on_progress);
  SET(XFERINFODATA, t);
}

/* Whatever stopped it, in words that name neither the token nor the address, which may hold a secret of its own. */
static void tell_problem(const transfer *t, CURLcode code) {
  st_http_reply *reply = t->reply;
  reply->status = 0;
  if (reply->too_long)
    snprintf(reply->problem, sizeof reply->problem, "the reply is longer than %zu bytes", limit_of(t->request));
  else
    snprintf(reply->problem, sizeof reply->problem, "%s", t->of->lib->easy_strerror(code));
}

/* Did it fail before anything could be asked? */
static bool is_unreached(const st_http *h, CURLcode code) {
  double connected = 0; /* seconds it took; 0 also on a connection that was there */
  long new = 0;
  if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
      code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION)
    return true;
  h->lib->easy_getinfo(h->curl, CURLINFO_NUM_CONNECTS, &new);
  h->lib->easy_getinfo(h->curl, CURLINFO_CONNECT_TIME, &connected);
  return code == CURLE_OPERATION_TIMEDOUT && new && connected == 0;
}

static void transfer_once(st_http *h, const st_http_request *request, const char *url, bool trusted, st_http_reply *reply) {
  transfer t = {.of = h, .request = request, .reply = reply};
  bool good;
  st_free(reply->body);
  *reply = (st_http_reply){.retry_after = -1, .remaining = -1, .reset = -1};
  struct curl_slist *list = headers(h, request, trusted, &good);
  h->lib->easy_reset(h->curl); /* connections stay */
  set_limits(h, request);
  set_body(h, request);
  set_callbacks(h, &t);
  SET(URL, url);
  SET(HTTPHEADER, list);
  CURLcode code = good && make_room(&t, 0) ? h->lib->easy_perform(h->curl) : CURLE_OUT_OF_MEMORY;
  h->lib->slist_free_all(list);
  h->lib->easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &reply->status);
  if (code != CURLE_OK) tell_problem(&t, code);
  reply->unreached = code != CURLE_OK && is_unreached(h, code);
  if (reply->body && reply->length > request->most) {
    memmove(reply->body, reply->body + reply->length - request->most, request->most);
    reply->length = request->most;
  }
  reply->cut = t.total > reply->length;
  if (reply->body) reply->body[reply->length] = '\0';
}

/* ---- Where it may go ---- */

/* A part of an address, for curl's free(); NULL: it has none. */
static char *part(const st_curl *lib, const char *url, CURLUPart which) {
  CURLU *parsed = lib->url();
  char *found = NULL;
  if (parsed && lib->url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK)
    lib->url_get(parsed, which, &found, CURLU_DEFAULT_PORT);
  lib->url_cleanup(parsed);
  return found;
}

static bool same_part(const st_curl *lib, const char *a, const char *b, CURLUPart which) {
  char *one = part(lib, a, which), *other = part(lib, b, which);
  bool same = one && other && strcasecmp(one, other) == 0;
  lib->free(one);
  lib->free(other);
  return same;
}

static bool same_origin(const st_curl *lib, const char *a, const char *b) {
  return same_part(lib, a, b, CURLUPART_SCHEME) && same_part(lib, a, b, CURLUPART_HOST) && same_part(lib, a, b, CURLUPART_PORT);
}

static bool is_encrypted(const char *url) {
  return strncasecmp(url, "https://", 8) == 0;
}

bool st_http_is_safe(const char *url) {
  const st_curl *lib = st_curl_load();
  char *host = lib ? part(lib, url, CURLUPART_HOST) : NULL;
  bool here = host && (strcmp(host, "127.0.0.1") == 0 || strcmp(host, "[::1]") == 0 || strcasecmp(host, "localhost") == 0);
  bool safe = host && (is_encrypted(url) || (here && strncasecmp(url, "http://", 7) == 0));
  if (host) lib->free(host);
  return safe;
}

void st_http_send(st_http *h, const st_http_request *request, st_http_reply *reply) {
  char *url = st_strdup(request->url), *next = NULL;
  *reply = (st_http_reply){0};
  if (!url) snprintf(reply->problem, sizeof reply->problem, "out of memory");
  for (int hop = 0; url && hop <= HOPS_MAX; hop++) {
    transfer_once(h, request, url, same_origin(h->lib, url, request->url), reply);
    bool moved = reply->status >= 301 && reply->status <= 308 && reply->status != 304;
    if (!moved || !request->tail) break;
    h->lib->easy_getinfo(h->curl, CURLINFO_REDIRECT_URL, &next);
    st_free(url);
    url = next && st_http_is_safe(next) ? st_strdup(next) : NULL; /* never from TLS to a host without it */
  }
  st_free(url);
}
