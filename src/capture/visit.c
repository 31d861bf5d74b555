/* visit.c - see visit.h: is a visit wanted, and what is kept of it? */
#include "capture/visit.h"

#include <string.h>

#include "base/json.h"
#include "base/time.h"
#include "base/utf8.h"
#include "base/uuid.h"
#include "capture/redact_handle.h"
#include "capture/url.h"
#include "registry_ids.h"

#define SPACE "8a3b7c01-d4e5-4f6a-9b2c-1e0fa85d3c7e" /* of the names that envelopes have */
#define TEXT_MAX 51200                               /* characters */
#define MINUTE 60000
#define ENVELOPE_MAX ((size_t)16 << 20)              /* bytes */

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

/* Add ,"name":"text" without the secrets in it; null if there is no text. */
static void add_text(st_call *call, st_str *out, const char *name, const char *text, size_t length) {
  st_redaction *redaction = text ? st_redaction_of(call) : NULL;
  st_redacted clean = {.text = NULL};
  if (redaction && !st_redact_text(redaction->scratch, call->arena, text, length, &clean)) no_memory(call);
  st_str_addf(out, ",\"%s\":", name);
  if (clean.text) st_json_add_string(out, clean.text, clean.length);
  else st_str_addz(out, "null");
}

static void add_argument(st_call *call, st_str *out, const char *name, int param) {
  const st_value *value = &call->args[param];
  bool there = value->type == ST_TEXT;
  add_text(call, out, name, there ? value->bytes : NULL, there ? size_of_first(value->bytes, value->length, TEXT_MAX) : 0);
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

/* ---- The envelope ---- */

/* The same for all visits of the page in its span of time: the first one is kept. */
static bool name_envelope(st_call *call, const char *url, char id[ST_UUID_SIZE]) {
  int64_t span = st_arg_int(call, P(DEDUP_MINUTES)), minute = st_arg_int(call, P(TIMESTAMP)) / MINUTE;
  const char *probe = st_arg_text(call, P(PROBE_TAG));
  st_str name;
  st_str_init(&name, ENVELOPE_MAX);
  if (probe) st_str_addf(&name, "probe:%s", probe);
  else st_str_addf(&name, "%s:%lld", url, (long long)(minute / (span ? span : 1)));
  bool good = !name.failed && st_uuid_v5(SPACE, name.text, name.length, id);
  st_str_free(&name);
  if (!good) no_memory(call);
  return good;
}

static void add_depth(st_call *call, st_str *out) {
  double depth = st_arg_real(call, P(SCROLL_DEPTH));
  st_str_addz(out, ",\"scroll_depth\":");
  if (st_has(call, P(SCROLL_DEPTH))) st_json_add_real(out, depth < 0 ? 0 : depth > 1 ? 1 : depth);
  else st_str_addz(out, "null");
}

typedef struct visit {
  st_url page, before;
  bool came;           /* from the page before */
  const char *searched; /* what was looked for, or NULL */
} visit;

static st_value write_envelope(st_call *call, const visit *v) {
  char when[ST_TIME_MAX], id[ST_UUID_SIZE];
  const char *probe = st_arg_text(call, P(PROBE_TAG));
  st_str out;
  if (!st_ok(call) || !name_envelope(call, v->page.text, id)) return (st_value){.type = ST_NULL};
  st_time_iso(st_arg_int(call, P(TIMESTAMP)) * 1000, when); /* in its range, by the declaration */
  st_str_init(&out, ENVELOPE_MAX);
  st_str_addf(&out, "{\"envelope_id\":\"%s\",\"producer_version\":1,\"timestamp\":\"%s\",\"payload\":{\"type\":\"Browser\",\"data\":{", id, when);
  st_str_addf(&out, "\"dwell_ms\":%lld", (long long)st_arg_int(call, P(DWELL_MS)));
  add_depth(call, &out);
  add_text(call, &out, "url", v->page.text, v->page.length);
  add_text(call, &out, "domain", v->page.host, strlen(v->page.host));
  add_argument(call, &out, "title", P(TITLE));
  add_argument(call, &out, "extracted_text", P(EXTRACTED_TEXT));
  add_text(call, &out, "search_query", v->searched, v->searched ? strlen(v->searched) : 0);
  add_text(call, &out, "referrer", v->came ? v->before.text : NULL, v->came ? v->before.length : 0);
  st_str_addz(&out, "}}");
  if (probe) {
    st_str_addz(&out, ",\"probe_tag\":");
    st_json_add_string(&out, probe, strlen(probe));
  }
  st_str_addc(&out, '}');
  return st_take(call, &out);
}

/* ---- The method ---- */

static st_url_state clean(st_call *call, int param, st_url *out) {
  const char *const *secret = texts_of(call, P(STRIP_PARAMS));
  const st_value *text = &call->args[param];
  if (!secret || text->type != ST_TEXT) return ST_URL_OTHER;
  st_url_state state = st_url_clean(call->arena, text->bytes, text->length, secret, out);
  if (state == ST_URL_NOMEM) no_memory(call);
  return state;
}

void st_stele_read_visit(st_call *call) {
  const char *probes[] = {st_arg_text(call, P(PROBE_DOMAIN)), NULL};
  visit v;
  st_url_state state = clean(call, P(URL), &v.page);
  v.came = clean(call, P(REFERRER), &v.before) == ST_URL_GOOD;
  v.searched = st_arg_text(call, P(SEARCH_QUERY));
  if (!v.searched && v.came) v.searched = searched(call, &v.before);
  const char *reason = state == ST_URL_GOOD ? NULL : why_no_page(state);
  if (!reason && !st_url_within(v.page.host, probes)) {
    reason = why_not_there(call, v.page.host);
    if (!reason) reason = why_too_short(call, v.searched != NULL);
  }
  st_value *row = st_reply(call);
  if (!row) return;
  row[R(WANTED)] = st_bool(!reason);
  row[R(REASON)] = st_textz(reason);
  if (!reason) row[R(ENVELOPE)] = write_envelope(call, &v);
}
