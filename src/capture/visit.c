/* visit.c - see visit.h: is a visit wanted, and what is kept of it? */
#include "capture/visit.h"

#include <string.h>

#include "base/utf8.h"
#include "base/uuid.h"
#include "capture/redact_handle.h"
#include "capture/url.h"
#include "registry_ids.h"

#define SPACE "8a3b7c01-d4e5-4f6a-9b2c-1e0fa85d3c7e" /* of the names that envelopes have */
#define TEXT_MAX 51200                               /* characters */
#define MINUTE 60000

/* Short names for what the registry numbers. */
#define P(name) ST_P_STELE_READ_VISIT_##name
#define R(name) ST_R_STELE_READ_VISIT_##name

static void no_memory(st_call *call) {
  st_fail(call, STELE_NOMEM, NULL, "out of memory");
}

/* A list of texts, ended by NULL; NULL: the call has failed. */
static const char *const *texts_of(st_call *call, int param) {
  const st_value *list = &call->args[param];
  const char **texts = st_call_alloc(call, (list->count + 1) * sizeof *texts);
  if (!texts) return NULL;
  for (uint32_t i = 0; i < list->count; i++) texts[i] = list->items[i].bytes;
  texts[list->count] = NULL;
  return texts;
}

/* ---- Texts ---- */

/* The size of the first characters of a text. */
static size_t size_of_first(const char *text, size_t length, size_t characters) {
  const char *at = text, *end = text + length;
  for (; at < end && characters > 0; characters--) {
    int size = st_utf8_char(at, end);
    at += size < 0 ? -size : size;
  }
  return (size_t)(at - text);
}

static st_value redacted(st_call *call, const char *text, size_t length) {
  st_redaction *redaction = st_redaction_of(call);
  st_redacted out;
  if (!redaction) return (st_value){.type = ST_NULL};
  if (!st_redact_text(redaction->scratch, call->arena, text, length, &out)) {
    no_memory(call);
    return (st_value){.type = ST_NULL};
  }
  return st_call_text(call, out.text, out.length);
}

static st_value redacted_argument(st_call *call, int param) {
  const st_value *text = &call->args[param];
  if (text->type != ST_TEXT) return (st_value){.type = ST_NULL};
  return redacted(call, text->bytes, size_of_first(text->bytes, text->length, TEXT_MAX));
}

/* ---- Searches ---- */

/* Is it google.com, www.google.co.uk, ...? */
static bool is_google(const char *host) {
  if (strncmp(host, "www.", 4) == 0) host += 4;
  return strncmp(host, "google.", 7) == 0;
}

static bool is_search(const st_url *page) {
  static const char *const engines[] = {"duckduckgo.com", "bing.com", NULL}, *const github[] = {"github.com", NULL};
  if (st_url_within(page->host, github)) return strcmp(page->path, "/search") == 0;
  return is_google(page->host) || st_url_within(page->host, engines);
}

/* What was looked for on the page before; NULL: nothing that can be told. */
static const char *searched(st_call *call, const st_url *before) {
  const char *words = is_search(before) ? st_url_parameter(call->arena, before->query, "q") : NULL;
  if (!words || !*words) return NULL;
  for (const char *at = words, *end = words + strlen(words); at < end;) { /* what was decoded may be any bytes */
    int size = st_utf8_char(at, end);
    if (size < 0) return NULL;
    at += size;
  }
  return words;
}

/* ---- Is it wanted? ---- */

static const char *why_no_page(st_url_state state) {
  return state == ST_URL_OTHER ? "only pages of http and https are kept" : "the address has no host, or is none";
}

/* Why pages of the host are not; NULL: they are. */
static const char *why_not_there(st_call *call, const char *host) {
  const char *const *domains = texts_of(call, P(DOMAINS)), *const *excepted = texts_of(call, P(EXCEPTED));
  if (!domains || !excepted) return NULL; /* the call has failed */
  if (!st_url_within(host, domains)) return "the domain is not among those that are wanted";
  return st_url_within(host, excepted) ? "the domain is excepted" : NULL;
}

/* Why it was not read enough. */
static const char *why_too_short(st_call *call, bool search) {
  int64_t dwell = st_arg_int(call, P(DWELL_MS));
  bool skimmed = st_has(call, P(SCROLL_DEPTH)) && st_arg_real(call, P(SCROLL_DEPTH)) < st_arg_real(call, P(MIN_SCROLL));
  if (dwell < st_arg_int(call, P(MIN_DWELL_MS))) return "it was not in view for long enough";
  return skimmed && !search && dwell < st_arg_int(call, P(LONG_DWELL_MS)) ? "too little of it was seen" : NULL;
}

/* ---- The method ---- */

/* The same for all visits of the page in its span of time: the first one is kept. */
static st_value envelope_of(st_call *call, const char *url) {
  int64_t span = st_arg_int(call, P(DEDUP_MINUTES)), minute = st_arg_int(call, P(TIMESTAMP)) / MINUTE;
  const char *probe = st_arg_text(call, P(PROBE_TAG));
  char id[ST_UUID_SIZE];
  st_str name;
  st_str_init(&name, (size_t)1 << 24);
  if (probe) st_str_addf(&name, "probe:%s", probe);
  else st_str_addf(&name, "%s:%lld", url, (long long)(minute / (span ? span : 1)));
  bool good = !name.failed && st_uuid_v5(SPACE, name.text, name.length, id);
  st_str_free(&name);
  if (!good) no_memory(call);
  return good ? st_call_text(call, id, ST_UUID_SIZE - 1) : (st_value){.type = ST_NULL};
}

static st_url_state clean(st_call *call, int param, st_url *out) {
  const char *const *secret = texts_of(call, P(STRIP_PARAMS));
  const st_value *text = &call->args[param];
  if (!secret || text->type != ST_TEXT) return ST_URL_OTHER;
  st_url_state state = st_url_clean(call->arena, text->bytes, text->length, secret, out);
  if (state == ST_URL_NOMEM) no_memory(call);
  return state;
}

static st_value within_one(const st_value *depth) {
  if (depth->type != ST_REAL) return (st_value){.type = ST_NULL};
  return st_real(depth->real < 0 ? 0 : depth->real > 1 ? 1 : depth->real);
}

void st_stele_read_visit(st_call *call) {
  st_url page, before;
  const char *probes[] = {st_arg_text(call, P(PROBE_DOMAIN)), NULL}, *words = st_arg_text(call, P(SEARCH_QUERY));
  st_url_state state = clean(call, P(URL), &page);
  bool came = clean(call, P(REFERRER), &before) == ST_URL_GOOD, good = state == ST_URL_GOOD;
  if (!words && came) words = searched(call, &before);
  const char *reason = good ? NULL : why_no_page(state);
  if (good && !st_url_within(page.host, probes)) {
    reason = why_not_there(call, page.host);
    if (!reason) reason = why_too_short(call, words != NULL);
  }
  st_value *row = st_reply(call);
  if (!row) return;
  row[R(WANTED)] = st_bool(!reason);
  row[R(REASON)] = st_textz(reason);
  if (reason) return;
  row[R(URL)] = redacted(call, page.text, page.length);
  row[R(DOMAIN)] = st_call_text(call, page.host, strlen(page.host));
  row[R(TITLE)] = redacted_argument(call, P(TITLE));
  row[R(SCROLL_DEPTH)] = within_one(&call->args[P(SCROLL_DEPTH)]);
  row[R(EXTRACTED_TEXT)] = redacted_argument(call, P(EXTRACTED_TEXT));
  if (words) row[R(SEARCH_QUERY)] = redacted(call, words, strlen(words));
  if (came) row[R(REFERRER)] = redacted(call, before.text, before.length);
  if (st_ok(call)) row[R(ENVELOPE_ID)] = envelope_of(call, row[R(URL)].bytes);
}
