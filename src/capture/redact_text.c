/* redact_text.c - finding and replacing in a text.  See redact.h.
**
** One pass collects what the rules find, puts together what overlaps, and writes the text anew.  Passes are
** repeated until one finds nothing, which makes redaction idempotent: what a replacement covers is never
** touched again, so that every pass that finds something leaves less that is not a replacement. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "capture/redact_set.h"

#define TOKEN_MAX 4096 /* of what is redacted where a pattern was given up */

typedef struct pass {
  st_redact_scratch *scratch;
  const st_redactor *redactor;
  const char *text;
  size_t length;
  size_t covered;         /* up to here everything is found by a rule that knows what it is */
  size_t covered_vaguely; /* up to here by some rule */
} pass;

/* ---- What was found ---- */

static bool make_room(st_redact_scratch *scratch) {
  if (scratch->nfound < scratch->room) return true;
  size_t room = scratch->room ? scratch->room * 2 : 32;
  st_found_secret *found = st_realloc(scratch->found, room * sizeof *found);
  if (!found) return false;
  scratch->found = found;
  scratch->room = room;
  return true;
}

/* Take in the replacements of an earlier time that it overlaps.  False: one of them covers all of it. */
static bool respect_marker(const pass *p, const char *marker, st_span *span) {
  size_t size = strlen(marker);
  size_t from = span->start >= size ? span->start - size + 1 : 0;
  size_t upto = p->length - span->end >= size ? span->end + size - 1 : p->length;
  st_span wide = *span;
  for (const char *at = p->text + from; (size_t)(at - p->text) + size <= upto; at++) {
    at = memmem(at, upto - (size_t)(at - p->text), marker, size);
    if (!at) break;
    size_t start = (size_t)(at - p->text), end = start + size;
    if (start <= span->start && end >= span->end) return false;
    if (start < wide.start) wide.start = start;
    if (end > wide.end) wide.end = end;
  }
  *span = wide;
  return true;
}

bool st_redact_allows(st_redact_scratch *scratch, const char *secret, size_t length) {
  const st_redactor *redactor = scratch->redactor;
  for (size_t i = 0; i < redactor->nallowed; i++)
    if (memmem(secret, length, redactor->allowed[i], strlen(redactor->allowed[i]))) return true;
  for (size_t i = 0; i < redactor->nallowing; i++)
    if (pcre2_match(redactor->allowing[i], (PCRE2_SPTR)secret, length, 0, 0, scratch->match, redactor->limits) >= 0)
      return true;
  return false;
}

static void add(pass *p, size_t rule, st_span span) {
  if (span.end <= span.start || st_redact_allows(p->scratch, p->text + span.start, span.end - span.start)) return;
  for (size_t i = 0; i < p->redactor->nmarkers; i++)
    if (!respect_marker(p, p->redactor->markers[i], &span)) return;
  if (!make_room(p->scratch)) {
    p->scratch->nomem = true;
    return;
  }
  p->scratch->found[p->scratch->nfound++] = (st_found_secret){span, (uint16_t)rule};
  const st_rule *builtin = p->redactor->rules[rule].rule;
  size_t *covered = builtin && builtin->vague ? &p->covered_vaguely : &p->covered;
  if (span.end > *covered) *covered = span.end;
}

/* ---- Asking the rules ---- */

static bool is_token(char c) {
  return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c && strchr("_-+/=.", c));
}

/* A pattern took too long: what stands there is taken for a secret. */
static st_span token_at(const pass *p, size_t at) {
  st_span span = {at, at};
  while (span.end < p->length && span.end - at < TOKEN_MAX && (unsigned char)p->text[span.end] > ' ') span.end++;
  return span;
}

/* Run a pattern; *secret is what it found.  0: nothing, 1: something, -1: it was given up. */
static int run(pass *p, const st_ready *ready, size_t end, size_t at, st_span *whole, st_span *secret) {
  pcre2_match_data *match = p->scratch->match;
  int code = pcre2_match(ready->code, (PCRE2_SPTR)p->text, end, at, 0, match, p->redactor->limits);
  if (code == PCRE2_ERROR_NOMATCH) return 0;
  if (code == PCRE2_ERROR_NOMEMORY) p->scratch->nomem = true;
  if (code < 0) return -1;
  const PCRE2_SIZE *at_of = pcre2_get_ovector_pointer(match);
  int group = ready->group < 16 && at_of[2 * ready->group] != PCRE2_UNSET ? ready->group : 0;
  *whole = (st_span){at_of[0], at_of[1]};
  *secret = (st_span){at_of[2 * group], at_of[2 * group + 1]};
  if (whole->end < whole->start) *whole = *secret; /* \K can do that */
  return 1;
}

static void try_regex(pass *p, size_t number, size_t at) {
  const st_ready *ready = &p->redactor->rules[number];
  const st_rule *rule = ready->rule;
  size_t reach = rule->reach ? rule->reach : ST_REDACT_REACH;
  size_t end = p->length - at > reach ? at + reach : p->length;
  st_span whole, secret;
  if (at < rule->back) return;
  int found = run(p, ready, end, at - rule->back, &whole, &secret);
  if (found < 0) {
    p->scratch->given_up++;
    secret = token_at(p, at - rule->back);
  }
  if (found > 0 && rule->check && !rule->check(p->text, p->length, secret)) return;
  while (found > 0 && secret.end >= end && secret.end < p->length && is_token(p->text[secret.end])) secret.end++;
  if (found) add(p, number, secret);
}

static void ask(pass *p, size_t at, const st_literal *literal) {
  const st_ready *ready = &p->redactor->rules[literal->rule];
  const st_rule *rule = ready->rule;
  st_span secret;
  if (!rule) p->scratch->awake[literal->rule] = true;
  if (!rule || at < p->covered || (rule->vague && at < p->covered_vaguely)) return;
  if (!rule->find) try_regex(p, literal->rule, at);
  else if (rule->find(p->text, p->length, at, at + literal->length, &secret)) add(p, literal->rule, secret);
}

/* The user's rules go over the whole text, if one of their literals is in it. */
static void search(pass *p, size_t number) {
  const st_ready *ready = &p->redactor->rules[number];
  st_span whole = {0, 0}, secret;
  for (size_t at = 0; at <= p->length && !p->scratch->nomem;) {
    int found = run(p, ready, p->length, at, &whole, &secret);
    if (found == 0) return;
    if (found < 0) { /* nobody knows where: all of the rest */
      p->scratch->given_up++;
      add(p, number, (st_span){at, p->length});
      return;
    }
    add(p, number, secret);
    at = whole.end > at ? whole.end : at + 1;
  }
}

static void collect(pass *p) {
  const st_scan *scan = &p->redactor->scan;
  size_t at = st_scan_next(scan, p->text, p->length, 0);
  for (; at < p->length && !p->scratch->nomem; at = st_scan_next(scan, p->text, p->length, at + 1))
    for (const st_literal *l = st_scan_at(scan, p->text, p->length, at, NULL); l;
         l = st_scan_at(scan, p->text, p->length, at, l))
      ask(p, at, l);
  for (size_t i = 0; i < p->redactor->count && !p->scratch->nomem; i++) {
    const st_ready *ready = &p->redactor->rules[i];
    if (!ready->rule && (ready->always || p->scratch->awake[i])) search(p, i);
    p->scratch->awake[i] = false;
  }
}

/* ---- Writing the text anew ---- */

static int by_start(const void *a, const void *b) {
  const st_found_secret *x = a, *y = b;
  if (x->span.start != y->span.start) return x->span.start < y->span.start ? -1 : 1;
  if (x->span.end != y->span.end) return x->span.end > y->span.end ? -1 : 1;
  return (x->rule > y->rule) - (x->rule < y->rule);
}

static bool is_vague(const st_redactor *redactor, uint16_t rule) {
  return redactor->rules[rule].rule && redactor->rules[rule].rule->vague;
}

/* One of what overlaps, under the name of the rule that knows best. */
static void join(pass *p) {
  st_redact_scratch *scratch = p->scratch;
  size_t kept = 0;
  qsort(scratch->found, scratch->nfound, sizeof *scratch->found, by_start);
  for (size_t i = 1; i < scratch->nfound; i++) {
    st_found_secret *last = &scratch->found[kept], *next = &scratch->found[i];
    if (next->span.start >= last->span.end) {
      scratch->found[++kept] = *next;
      continue;
    }
    if (next->span.end > last->span.end) last->span.end = next->span.end;
    if (is_vague(p->redactor, last->rule) && !is_vague(p->redactor, next->rule)) last->rule = next->rule;
  }
  scratch->nfound = kept + 1;
}

static void count(pass *p) {
  for (size_t i = 0; i < p->scratch->nfound; i++) p->scratch->counts[p->scratch->found[i].rule]++;
  p->scratch->total += (int64_t)p->scratch->nfound;
}

static bool rewrite(const pass *p, st_arena *arena, st_redacted *out) {
  const st_found_secret *found = p->scratch->found, *end = found + p->scratch->nfound;
  size_t size = p->length, at = 0;
  for (const st_found_secret *f = found; f < end; f++)
    size = size - (f->span.end - f->span.start) + strlen(p->redactor->rules[f->rule].about.replacement);
  char *text = st_arena_alloc(arena, size + 1), *to = text;
  if (!text) return false;
  for (const st_found_secret *f = found; f < end; f++) {
    const char *replacement = p->redactor->rules[f->rule].about.replacement;
    memcpy(to, p->text + at, f->span.start - at);
    to += f->span.start - at;
    to = stpcpy(to, replacement);
    at = f->span.end;
  }
  memcpy(to, p->text + at, p->length - at);
  text[size] = '\0';
  *out = (st_redacted){text, size};
  return true;
}

/* Replace what is found in one pass; out->text is the given one if nothing is. */
static bool run_pass(st_redact_scratch *scratch, st_arena *arena, const char *text, size_t length, st_redacted *out) {
  pass p = {.scratch = scratch, .redactor = scratch->redactor, .text = text, .length = length};
  *out = (st_redacted){text, length};
  scratch->nfound = 0;
  scratch->nomem = false;
  collect(&p);
  if (scratch->nomem) return false;
  if (!scratch->nfound) return true;
  join(&p);
  count(&p);
  return rewrite(&p, arena, out);
}

bool st_redact_text(st_redact_scratch *scratch, st_arena *arena, const char *text, size_t length, st_redacted *out) {
  *out = (st_redacted){text, length};
  for (int i = 0; i < ST_REDACT_PASSES; i++) {
    const char *before = out->text;
    if (!run_pass(scratch, arena, before, out->length, out)) return false;
    if (out->text == before) break;
  }
  return true;
}
