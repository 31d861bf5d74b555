/* http.c - see http.h: libcurl, and nothing of what is asked. */
#include "http.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "stele.h"

#define HOPS_MAX 3
#define BODY_MAX ((size_t)256 << 20) /* of a log whose end is kept */
#define CONNECT_S 10L
#define STALL_S 30L
#define WHOLE_S 180L

struct http {
  CURL *curl;
  char *authorization; /* "Authorization: Bearer ..."; NULL: none */
  bool (*stopped)(void *user);
  void *user;
};

/* What the callbacks of one transfer fill. */
typedef struct transfer {
  const http *of;
  const http_request *request;
  http_reply *reply;
  size_t room, total;
} transfer;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLcode started;

static void start(void) {
  started = curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* ---- Opening, closing ---- */

http *http_open(const char *token, bool (*stopped)(void *user), void *user) {
  pthread_once(&once, start);
  http *h = started == CURLE_OK ? calloc(1, sizeof *h) : NULL;
  if (!h) return NULL;
  h->stopped = stopped;
  h->user = user;
  h->curl = curl_easy_init();
  if (token && asprintf(&h->authorization, "Authorization: Bearer %s", token) < 0) h->authorization = NULL;
  if (h->curl && (h->authorization || !token)) return h;
  http_close(h);
  return NULL;
}

void http_close(http *h) {
  if (!h) return;
  curl_easy_cleanup(h->curl);
  if (h->authorization) explicit_bzero(h->authorization, strlen(h->authorization));
  free(h->authorization);
  free(h);
}

void http_reply_free(http_reply *reply) {
  free(reply->body);
  reply->body = NULL;
}

/* ---- What comes in ---- */

/* Room for so much more, in the place of what is not kept. */
static bool make_room(transfer *t, size_t more) {
  http_reply *reply = t->reply;
  if (reply->length + more + 1 <= t->room) return true;
  if (t->request->tail && reply->length > t->request->most) {
    memmove(reply->body, reply->body + reply->length - t->request->most, t->request->most);
    reply->length = t->request->most;
    if (reply->length + more + 1 <= t->room) return true;
  }
  size_t room = t->room * 2 > reply->length + more + 1 ? t->room * 2 : reply->length + more + 1;
  char *body = realloc(reply->body, room);
  if (!body) return false;
  reply->body = body;
  t->room = room;
  return true;
}

/* How much of a body is read. */
static size_t limit_of(const http_request *request) {
  return request->tail ? BODY_MAX : request->most;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user) {
  transfer *t = user;
  http_reply *reply = t->reply;
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

static void take_etag(const char *line, http_reply *reply) {
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
  const transfer *t = user;
  (void)a, (void)b, (void)c, (void)d;
  return t->of->stopped(t->of->user);
}

/* ---- Asking ---- */

static struct curl_slist *add(struct curl_slist *list, const char *header, bool *good) {
  struct curl_slist *longer = *good ? curl_slist_append(list, header) : NULL;
  *good = longer != NULL;
  return longer ? longer : list;
}

static struct curl_slist *headers(const http *h, const http_request *request, bool trusted, bool *good) {
  struct curl_slist *list = NULL;
  char line[256];
  *good = true;
  list = add(list, "Accept: application/vnd.github+json", good);
  list = add(list, "X-GitHub-Api-Version: 2022-11-28", good);
  if (trusted && h->authorization) list = add(list, h->authorization, good);
  if (request->etag && *request->etag) {
    snprintf(line, sizeof line, "If-None-Match: %s", request->etag);
    list = add(list, line, good);
  }
  return list;
}

static void set_limits(CURL *curl) {
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, STALL_S);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, WHOLE_S);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "stele/" STELE_VERSION);
}

/* Whatever stopped it, in words that name neither the token nor the address, which may hold a secret of its own. */
static void tell_problem(const transfer *t, CURLcode code) {
  http_reply *reply = t->reply;
  reply->status = 0;
  if (reply->too_long)
    snprintf(reply->problem, sizeof reply->problem, "the reply is longer than %zu bytes", limit_of(t->request));
  else
    snprintf(reply->problem, sizeof reply->problem, "%s", curl_easy_strerror(code));
}

static void transfer_once(http *h, const http_request *request, const char *url, bool trusted, http_reply *reply) {
  transfer t = {.of = h, .request = request, .reply = reply};
  CURL *curl = h->curl;
  bool good;
  free(reply->body);
  *reply = (http_reply){.retry_after = -1, .remaining = -1, .reset = -1};
  struct curl_slist *list = headers(h, request, trusted, &good);
  curl_easy_reset(curl); /* connections stay */
  set_limits(curl);
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &t);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &t);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &t);
  CURLcode code = good && make_room(&t, 0) ? curl_easy_perform(curl) : CURLE_OUT_OF_MEMORY;
  curl_slist_free_all(list);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply->status);
  if (code != CURLE_OK) tell_problem(&t, code);
  if (reply->body && reply->length > request->most) {
    memmove(reply->body, reply->body + reply->length - request->most, request->most);
    reply->length = request->most;
  }
  reply->cut = t.total > reply->length;
  if (reply->body) reply->body[reply->length] = '\0';
}

/* ---- Where it may go ---- */

/* A part of an address, for curl_free(); NULL: it has none. */
static char *part(const char *url, CURLUPart which) {
  CURLU *parsed = curl_url();
  char *found = NULL;
  if (parsed && curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK)
    curl_url_get(parsed, which, &found, CURLU_DEFAULT_PORT);
  curl_url_cleanup(parsed);
  return found;
}

static bool same_part(const char *a, const char *b, CURLUPart which) {
  char *one = part(a, which), *other = part(b, which);
  bool same = one && other && strcasecmp(one, other) == 0;
  curl_free(one);
  curl_free(other);
  return same;
}

static bool same_origin(const char *a, const char *b) {
  return same_part(a, b, CURLUPART_SCHEME) && same_part(a, b, CURLUPART_HOST) && same_part(a, b, CURLUPART_PORT);
}

static bool is_encrypted(const char *url) {
  return strncasecmp(url, "https://", 8) == 0;
}

bool http_is_safe(const char *url) {
  char *host = part(url, CURLUPART_HOST);
  bool here = host && (strcmp(host, "127.0.0.1") == 0 || strcmp(host, "[::1]") == 0 || strcasecmp(host, "localhost") == 0);
  bool safe = host && (is_encrypted(url) || (here && strncasecmp(url, "http://", 7) == 0));
  curl_free(host);
  return safe;
}

void http_get(http *h, const http_request *request, http_reply *reply) {
  char *url = strdup(request->url), *next = NULL;
  *reply = (http_reply){0};
  for (int hop = 0; url && hop <= HOPS_MAX; hop++) {
    transfer_once(h, request, url, same_origin(url, request->url), reply);
    bool moved = reply->status >= 301 && reply->status <= 308 && reply->status != 304;
    if (!moved || !request->tail) break;
    curl_easy_getinfo(h->curl, CURLINFO_REDIRECT_URL, &next);
    free(url);
    url = next && http_is_safe(next) ? strdup(next) : NULL; /* never from TLS to a host without it */
  }
  free(url);
}
