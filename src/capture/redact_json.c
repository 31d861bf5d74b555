/* redact_json.c - redacting JSON: every string as it reads, in the light of its name.  See redact.h. */
#include <string.h>

#include "base/json.h"
#include "capture/redact_check.h"
#include "capture/redact_set.h"

#define JSON_MAX ((size_t)1 << 30)
#define NAMED_MAX 8192 /* longest value that its name alone makes a secret */

typedef struct walk {
  st_redact_scratch *scratch;
  st_arena *arena;
  st_str *out;
  const char *copied; /* up to here the text is written */
  bool changed;
  bool nomem;
} walk;

static bool has_escaped_ascii(const char *text, size_t length) {
  return memmem(text, length, "\\u00", 4) || memmem(text, length, "\\/", 2);
}

/* Could a rule find anything?  Where no character is written in another way than it reads, strings that hold
** a literal show it in the JSON too. */
static bool is_clean(const st_redactor *redactor, const char *text, size_t length) {
  for (size_t i = 0; i < redactor->count; i++)
    if (redactor->rules[i].always) return false;
  for (size_t at = st_scan_next(&redactor->scan, text, length, 0); at < length;
       at = st_scan_next(&redactor->scan, text, length, at + 1))
    if (st_scan_at(&redactor->scan, text, length, at, NULL)) return false;
  return !has_escaped_ascii(text, length);
}

/* Write what stands before `raw`, then the new string in its place. */
static void put(walk *w, const char *raw, size_t raw_length, const char *text, size_t length) {
  st_str_add(w->out, w->copied, (size_t)(raw - w->copied));
  st_json_add_string(w->out, text, length);
  w->copied = raw + raw_length;
  w->changed = true;
}

/* The rule that goes by names, or the count if it is disabled. */
static size_t assigned_rule(const st_redactor *redactor) {
  size_t i = 0;
  while (i < redactor->count && (redactor->rules[i].about.disabled || !redactor->rules[i].rule ||
                                 strcmp(redactor->rules[i].about.name, "assigned-secret") != 0)) i++;
  return i;
}

/* Does the name of a value say that all of it is a secret?  What was redacted before is not asked again. */
static bool is_named(const walk *w, const st_json *string, const char *name, size_t length) {
  const st_redactor *redactor = w->scratch->redactor;
  if (!name || string->length > NAMED_MAX || assigned_rule(redactor) == redactor->count) return false;
  for (size_t i = 0; i < redactor->nmarkers; i++)
    if (memmem(string->text, string->length, redactor->markers[i], strlen(redactor->markers[i]))) return false;
  return st_value_is_secret(string->text, string->length, st_name_secrecy(name, length), true) &&
         !st_redact_allows(w->scratch, string->text, string->length);
}

static void redact_string(walk *w, const st_json *string, const char *name, size_t name_length) {
  st_redacted out;
  bool named = is_named(w, string, name, name_length);
  if (!st_redact_text(w->scratch, w->arena, string->text, string->length, &out)) {
    w->nomem = true;
  } else if (out.text != string->text && (!named || strcmp(out.text, ST_REDACTED) == 0)) {
    put(w, string->raw, string->raw_length, out.text, out.length);
  } else if (named) {
    w->scratch->counts[assigned_rule(w->scratch->redactor)]++;
    w->scratch->total++;
    put(w, string->raw, string->raw_length, ST_REDACTED, strlen(ST_REDACTED));
  }
}

/* The name of a member stands between what came before it, which ends at `from`, and its value. */
static void redact_name(walk *w, const st_json *member, const char *from) {
  st_redacted out;
  if (!st_redact_text(w->scratch, w->arena, member->key, member->key_length, &out)) w->nomem = true;
  else if (out.text != member->key) {
    const char *start = memchr(from, '"', (size_t)(member->raw - from)), *end = member->raw;
    while (end > start && end[-1] != '"') end--;
    put(w, start, (size_t)(end - start), out.text, out.length);
  }
}

static void redact_value(walk *w, const st_json *value, const char *name, size_t length) {
  const char *from = value->raw + 1;
  if (value->type == ST_JSON_STRING) redact_string(w, value, name, length);
  for (const st_json *member = value->first; member && !w->nomem; member = member->next) {
    if (member->key) redact_name(w, member, from);
    redact_value(w, member, member->key ? member->key : name, member->key ? member->key_length : length);
    from = member->raw + member->raw_length;
  }
}

static bool rewrite(walk *w, const st_json *root, const char *end, st_redacted *out) {
  redact_value(w, root, NULL, 0);
  if (w->changed) st_str_add(w->out, w->copied, (size_t)(end - w->copied));
  if (w->nomem || w->out->failed) return false;
  if (!w->changed) return true;
  out->text = st_arena_copy(w->arena, w->out->text, w->out->length);
  out->length = w->out->length;
  return out->text != NULL;
}

static bool run_pass(st_redact_scratch *scratch, st_arena *arena, const char *text, size_t length, st_redacted *out) {
  st_json_error error;
  st_str built;
  *out = (st_redacted){text, length};
  if (is_clean(scratch->redactor, text, length)) return true;
  const st_json *root = st_json_parse(arena, text, length, 0, &error);
  if (!root) return !error.nomem && st_redact_text(scratch, arena, text, length, out);
  st_str_init(&built, JSON_MAX);
  walk w = {.scratch = scratch, .arena = arena, .out = &built, .copied = text};
  bool good = rewrite(&w, root, text + length, out);
  st_str_free(&built);
  return good;
}

/* Until nothing is found: what kept a text from being JSON may be gone with a secret, and so may what hid a name. */
bool st_redact_json(st_redact_scratch *scratch, st_arena *arena, const char *text, size_t length, st_redacted *out) {
  *out = (st_redacted){text, length};
  for (int i = 0; i < ST_REDACT_PASSES; i++) {
    const char *before = out->text;
    if (!run_pass(scratch, arena, before, out->length, out)) return false;
    if (out->text == before) break;
  }
  return true;
}
