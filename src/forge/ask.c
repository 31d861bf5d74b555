/* ask.c - see ask.h. */
#include "ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JSON_MAX ((size_t)8 << 20)
#define LIMITED_MAX 8 /* waits because it was asked too often */
#define BROKEN_MAX 2  /* and because it is out of order */
#define USUAL_WAIT_S 60
#define BROKEN_WAIT_S 2

bool forge_fail(forge *f, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(f->problem, sizeof f->problem, format, args);
  va_end(args);
  return false;
}

bool forge_fail_call(forge *f) {
  return forge_fail(f, "%s", stele_error(f->db)->message);
}

static bool wait_for(forge *f, int64_t seconds, const char *why) {
  int64_t longest = f->options.longest_wait_ms, ms = seconds > longest / 1000 ? longest : seconds * 1000;
  char line[200];
  snprintf(line, sizeof line, "%s, and should rest for %lld s: waiting for %lld s", why, (long long)seconds,
           (long long)(ms / 1000));
  if (f->options.note) f->options.note(f->options.user, line);
  f->stopped = !f->options.wait(f->options.user, ms);
  return !f->stopped || forge_fail(f, "it was stopped");
}

/* Was it asked too often?  Then for how many seconds it wants to be left alone; below 0: no. */
static int64_t limited(const st_http_reply *r) {
  bool refused = r->status == 403 || r->status == 429;
  if (!refused) return -1;
  if (r->retry_after >= 0) return r->retry_after;
  if (r->remaining == 0 && r->reset >= 0) {
    int64_t left = r->reset - (int64_t)time(NULL);
    return left > 0 ? left : 0;
  }
  return r->status == 429 || strcasestr(r->body, "rate limit") ? USUAL_WAIT_S : -1;
}

static bool tell(forge *f, const char *path, const st_http_reply *r) {
  int length = (int)strcspn(path, "?");
  if (r->status == 0) return forge_fail(f, "%.*s: %s", length, path, r->problem);
  if (r->status == 401) return forge_fail(f, "the forge does not accept the token (401)");
  if (r->status == 404)
    return forge_fail(f, "%.*s: not there, or the token may not see it (404)", length, path);
  return forge_fail(f, "%.*s: the forge answered %ld", length, path, r->status);
}

/* Is the answer one to go on with, or one to ask again?  *again: the latter, after having waited. */
static bool judge(forge *f, const char *path, st_http_reply *r, int tries[2], bool *again) {
  int64_t pause = r->body ? limited(r) : -1;
  bool broken = (r->status == 0 && !r->too_long) || r->status >= 500;
  *again = false;
  if (r->status == 200 || r->status == 304) return true;
  if (pause >= 0 && tries[0]++ < LIMITED_MAX)
    *again = wait_for(f, pause, "the forge was asked too often");
  else if (broken && tries[1]++ < BROKEN_MAX && f->options.wait(f->options.user, 0))
    *again = wait_for(f, BROKEN_WAIT_S * tries[1], "the forge is out of order");
  else
    tell(f, path, r);
  return false;
}

static bool ask(forge *f, const char *path, st_http_request request, bool may_lack, st_http_reply *reply) {
  static const char *const headers[] = {"Accept: application/vnd.github+json", "X-GitHub-Api-Version: 2022-11-28", NULL};
  int tries[2] = {0, 0};
  bool good, again;
  char *url = NULL;
  *reply = (st_http_reply){0};
  if (asprintf(&url, "%s%s", f->options.api, path) < 0) return forge_fail(f, "out of memory");
  request.url = url;
  request.headers = headers;
  do {
    st_http_reply_free(reply);
    st_http_send(f->http, &request, reply);
    bool lacks = may_lack && (reply->status == 404 || reply->status == 410);
    good = lacks || judge(f, path, reply, tries, &again);
  } while (!good && again);
  free(url);
  return good;
}

bool forge_ask(forge *f, const char *path, bool may_lack, st_http_reply *reply) {
  return ask(f, path, (st_http_request){.most = JSON_MAX}, may_lack, reply);
}

bool forge_ask_log(forge *f, const char *path, st_http_reply *reply) {
  return ask(f, path, (st_http_request){.most = (size_t)f->options.log_bytes, .tail = true}, true, reply);
}

/* ---- Pages that are known ---- */

static known_page *page_of(forge *f, const char *path) {
  known_page *at = f->pages;
  while (at && strcmp(at->path, path) != 0) at = at->next;
  return at;
}

/* Without memory it is not known, and asked for as new. */
static void keep_page(forge *f, const char *path, const char *etag) {
  known_page *page = page_of(f, path);
  size_t length = strlen(path) + 1;
  if (!page) {
    page = malloc(sizeof *page + length);
    if (!page) return;
    memcpy(page->path, path, length);
    page->next = f->pages;
    f->pages = page;
  }
  snprintf(page->etag, sizeof page->etag, "%s", etag);
}

bool forge_ask_page(forge *f, const char *path, st_http_reply *reply) {
  const known_page *page = page_of(f, path);
  bool good = ask(f, path, (st_http_request){.most = JSON_MAX, .etag = page ? page->etag : NULL}, false, reply);
  if (good && reply->status == 200) keep_page(f, path, reply->etag);
  return good;
}

void forge_forget_page(forge *f, const char *path) {
  known_page *page = page_of(f, path);
  if (page) page->etag[0] = '\0';
}
