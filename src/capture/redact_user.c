/* redact_user.c - the user's rules: a text in TOML.
**
**     [builtin]
**     disable = ["jwt"]
**
**     [allow]
**     literals = ["AKIAIOSFODNN7EXAMPLE"]
**     regex = ['^test-']
**
**     [[rule]]
**     name = "employee-number"
**     regex = '\bE-\d{6}\b'
**     replacement = "[EMPLOYEE]"
**     literals = ["E-"] */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/toml.h"
#include "capture/redact_set.h"

#define RULES_MAX 1000
#define REPLACEMENT_MAX 200

typedef struct reader {
  st_redactor *redactor;
  st_redact_problem *problem;
} reader;

static bool fail(reader *r, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool fail(reader *r, int line, const char *format, ...) {
  va_list args;
  size_t size = sizeof r->problem->message;
  int used = snprintf(r->problem->message, size, "line %d: ", line);
  va_start(args, format);
  vsnprintf(r->problem->message + used, size - (size_t)used, format, args);
  va_end(args);
  return false;
}

static bool fail_nomem(reader *r) {
  r->problem->nomem = true;
  return false;
}

/* Only these keys are there; each is of the type that stands behind its name. */
typedef struct field {
  const char *name;
  st_toml_type type;
} field;

static bool check_fields(reader *r, const st_toml *table, const char *where, const field *fields) {
  static const char *const types[] = {"a text",          "a whole number", "true or false",
                                      "a list of texts", "a table",        "[[tables]]"};
  for (const st_toml *member = table->first; member; member = member->next) {
    const field *known = fields;
    while (known->name && strcmp(known->name, member->key) != 0) known++;
    if (!known->name) return fail(r, member->line, "%s has no %.60s", where, member->key);
    if (member->type != known->type) return fail(r, member->line, "%.60s must be %s", member->key, types[known->type]);
    for (const st_toml *one = member->first; one && known->type == ST_TOML_ARRAY; one = one->next)
      if (one->type != ST_TOML_STRING || !one->length)
        return fail(r, one->line, "%.60s must be a list of texts, none empty", member->key);
  }
  return true;
}

static size_t count(const st_toml *list) {
  size_t number = 0;
  for (const st_toml *one = list ? list->first : NULL; one; one = one->next) number++;
  return number;
}

/* ---- [builtin] and [allow] ---- */

/* From now on it finds nothing.  False: there is no such rule. */
static bool disable(st_redactor *redactor, const char *name) {
  for (size_t i = 0; i < redactor->count; i++) {
    if (strcmp(redactor->rules[i].about.name, name) != 0) continue;
    for (uint16_t l = 0; l < redactor->scan.count; l++)
      if (redactor->scan.literals[l].rule == i)
        redactor->scan.literals[l].length = ST_SCAN_LITERAL + 1; /* stands nowhere */
    pcre2_code_free(redactor->rules[i].code);
    redactor->rules[i].code = NULL;
    redactor->rules[i].about.disabled = true;
    return true;
  }
  return false;
}

static bool read_builtin(reader *r, const st_toml *table) {
  static const field fields[] = {{"disable", ST_TOML_ARRAY}, {NULL, 0}};
  if (!check_fields(r, table, "[builtin]", fields)) return false;
  const st_toml *list = st_toml_get(table, "disable");
  for (const st_toml *one = list ? list->first : NULL; one; one = one->next)
    if (!disable(r->redactor, one->text)) return fail(r, one->line, "there is no built-in rule %.60s", one->text);
  return true;
}

static bool allow_literals(reader *r, const st_toml *list) {
  st_redactor *redactor = r->redactor;
  redactor->allowed = st_arena_alloc(&redactor->arena, (count(list) + 1) * sizeof *redactor->allowed);
  if (!redactor->allowed) return fail_nomem(r);
  for (const st_toml *one = list ? list->first : NULL; one; one = one->next)
    redactor->allowed[redactor->nallowed++] = one->text;
  return true;
}

static pcre2_code *compile(reader *r, const st_toml *regex, const char *what) {
  char why[200] = "";
  pcre2_code *code = st_redact_compile(r->redactor, regex->text, regex->length, PCRE2_UTF | PCRE2_MATCH_INVALID_UTF,
                                       why, sizeof why, &r->problem->nomem);
  if (!code && !r->problem->nomem) fail(r, regex->line, "%s: %s", what, why);
  return code;
}

static bool allow_regexes(reader *r, const st_toml *list) {
  st_redactor *redactor = r->redactor;
  redactor->allowing = st_arena_alloc(&redactor->arena, (count(list) + 1) * sizeof *redactor->allowing);
  if (!redactor->allowing) return fail_nomem(r);
  for (const st_toml *one = list ? list->first : NULL; one; one = one->next) {
    pcre2_code *code = compile(r, one, "[allow] regex");
    if (!code) return false;
    redactor->allowing[redactor->nallowing++] = code;
  }
  return true;
}

static bool read_allow(reader *r, const st_toml *table) {
  static const field fields[] = {{"literals", ST_TOML_ARRAY}, {"regex", ST_TOML_ARRAY}, {NULL, 0}};
  return check_fields(r, table, "[allow]", fields) && allow_literals(r, st_toml_get(table, "literals")) &&
         allow_regexes(r, st_toml_get(table, "regex"));
}

/* ---- [[rule]] ---- */

static bool add_marker(st_redactor *redactor, const char *marker) {
  for (size_t i = 0; i < redactor->nmarkers; i++)
    if (strcmp(redactor->markers[i], marker) == 0) return true;
  const char **markers = st_realloc(redactor->markers, (redactor->nmarkers + 1) * sizeof *markers);
  if (!markers) return false;
  redactor->markers = markers;
  markers[redactor->nmarkers++] = marker;
  return true;
}

static bool add_literals(reader *r, const st_toml *list, st_ready *ready, uint16_t number) {
  ready->always = !list || !list->first;
  for (const st_toml *one = list ? list->first : NULL; one; one = one->next) {
    bool nomem = false;
    /* A bracket would be taken for a set. */
    size_t length = strcspn(one->text, "[");
    if (length > ST_SCAN_LITERAL) length = ST_SCAN_LITERAL;
    if (length < ST_SCAN_SHORTEST) {
      ready->always = true; /* too short to be worth waiting for */
      continue;
    }
    if (!st_scan_add(&r->redactor->scan, one->text, length, false, false, number, &nomem)) return fail_nomem(r);
  }
  return true;
}

static bool check_rule(reader *r, const st_toml *table) {
  static const field fields[] = {{"name", ST_TOML_STRING}, {"regex", ST_TOML_STRING}, {"replacement", ST_TOML_STRING},
                                 {"literals", ST_TOML_ARRAY}, {NULL, 0}};
  const st_toml *name = st_toml_get(table, "name"), *replacement = st_toml_get(table, "replacement");
  if (!check_fields(r, table, "[[rule]]", fields)) return false;
  if (!name || !name->length) return fail(r, table->line, "a rule needs a name");
  if (!st_toml_get(table, "regex")) return fail(r, table->line, "rule %.60s needs a regex", name->text);
  if (replacement && (!replacement->length || replacement->length > REPLACEMENT_MAX))
    return fail(r, replacement->line, "rule %.60s: replacement must have 1 to %d bytes", name->text, REPLACEMENT_MAX);
  for (size_t i = 0; i < r->redactor->count; i++)
    if (!r->redactor->rules[i].about.disabled && strcmp(r->redactor->rules[i].about.name, name->text) == 0)
      return fail(r, name->line, "there is a rule %.60s already", name->text);
  return true;
}

/* What is replaced is the group named secret, if there is one. */
static int secret_group(const pcre2_code *code) {
  int number = pcre2_substring_number_from_name(code, (PCRE2_SPTR) "secret");
  return number > 0 ? number : 0;
}

static bool read_rule(reader *r, const st_toml *table) {
  st_redactor *redactor = r->redactor;
  char what[100];
  if (!check_rule(r, table)) return false;
  const st_toml *name = st_toml_get(table, "name"), *replacement = st_toml_get(table, "replacement");
  st_ready *ready = &redactor->rules[redactor->count];
  *ready = (st_ready){.about = {name->text, "user", replacement ? replacement->text : ST_REDACTED, false, false}};
  snprintf(what, sizeof what, "rule %.60s: regex", name->text);
  ready->code = compile(r, st_toml_get(table, "regex"), what);
  if (!ready->code) return false;
  ready->group = secret_group(ready->code);
  redactor->count++;
  if (!add_marker(redactor, ready->about.replacement)) return fail_nomem(r);
  return add_literals(r, st_toml_get(table, "literals"), ready, (uint16_t)(redactor->count - 1));
}

static bool read_rules(reader *r, const st_toml *list) {
  st_redactor *redactor = r->redactor;
  size_t number = count(list);
  if (number > RULES_MAX) return fail(r, list->line, "there are more than %d rules", RULES_MAX);
  st_ready *rules = st_realloc(redactor->rules, (redactor->count + number) * sizeof *rules);
  if (!rules) return fail_nomem(r);
  redactor->rules = rules;
  for (const st_toml *one = list->first; one; one = one->next)
    if (!read_rule(r, one)) return false;
  return true;
}

bool st_redact_add_user(st_redactor *redactor, const char *rules, size_t length, st_redact_problem *problem) {
  static const field fields[] = {
      {"builtin", ST_TOML_TABLE}, {"allow", ST_TOML_TABLE}, {"rule", ST_TOML_TABLES}, {NULL, 0}};
  reader r = {redactor, problem};
  st_toml_error error;
  const st_toml *root = st_toml_parse(&redactor->arena, rules, length, &error);
  problem->nomem = false;
  if (!root && error.nomem) return fail_nomem(&r);
  if (!root) return fail(&r, error.line, "%s", error.message);
  if (!check_fields(&r, root, "the file", fields)) return false;
  const st_toml *builtin = st_toml_get(root, "builtin"), *allow = st_toml_get(root, "allow"),
                *list = st_toml_get(root, "rule");
  return (!builtin || read_builtin(&r, builtin)) && (!allow || read_allow(&r, allow)) &&
         (!list || read_rules(&r, list));
}
