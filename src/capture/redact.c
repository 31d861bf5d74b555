/* redact.c - making a redactor, and what it counts.  See redact.h. */
#include "capture/redact.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "capture/redact_set.h"

#define TEXTS_MAX (1u << 20)   /* of the user's rules */
#define MATCH_LIMIT 20000      /* steps of one try; the longest built-in match takes a few hundred */
#define HEAP_LIMIT_KIB 4096

static void *pcre_alloc(size_t size, void *data) {
  (void)data;
  return st_alloc(size);
}

static void pcre_free(void *pointer, void *data) {
  (void)data;
  st_free(pointer);
}

pcre2_code *st_redact_compile(const st_redactor *redactor, const char *regex, size_t length, uint32_t options,
                              char *problem, size_t size, bool *nomem) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_compile_context *context = pcre2_compile_context_create(redactor->memory);
  *nomem = !context;
  if (!context) return NULL;
  pcre2_code *code = pcre2_compile((PCRE2_SPTR)regex, length, options, &error, &offset, context);
  pcre2_compile_context_free(context);
  if (!code) {
    char why[120];
    pcre2_get_error_message(error, (PCRE2_UCHAR *)why, sizeof why);
    snprintf(problem, size, "%s, at character %zu", why, (size_t)offset + 1);
    *nomem = error == PCRE2_ERROR_HEAP_FAILED || error == PCRE2_ERROR_NOMEMORY;
    return NULL;
  }
  /* Where the system allows no memory to be run, patterns are interpreted: slower, and the same. */
  if (pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == PCRE2_ERROR_NOMEMORY) *nomem = false;
  return code;
}

/* The literals of a rule, taken apart at |. */
static bool add_literals(st_redactor *redactor, const st_rule *rule, uint16_t number) {
  bool nomem = false;
  for (const char *at = rule->literals; *at && !nomem;) {
    size_t length = strcspn(at, "|");
    st_scan_add(&redactor->scan, at, length, rule->exact, rule->word, number, &nomem);
    at += length + (at[length] == '|');
  }
  return !nomem;
}

static bool add_builtin(st_redactor *redactor, const st_rule *rule, st_redact_problem *problem) {
  uint32_t groups = 0;
  st_ready *ready = &redactor->rules[redactor->count];
  *ready = (st_ready){.about = {rule->name, rule->family, ST_REDACTED, true, false}, .rule = rule};
  if (rule->regex) {
    char why[200];
    ready->code = st_redact_compile(redactor, rule->regex, strlen(rule->regex), PCRE2_ANCHORED | PCRE2_DOTALL, why,
                                    sizeof why, &problem->nomem);
    if (!ready->code) {
      snprintf(problem->message, sizeof problem->message, "the built-in rule %s: %s", rule->name, why);
      return false;
    }
    pcre2_pattern_info(ready->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    ready->group = groups > 0;
  }
  redactor->count++;
  problem->nomem = !add_literals(redactor, rule, (uint16_t)(redactor->count - 1));
  return !problem->nomem;
}

/* Everything that does not depend on the user's rules. */
static bool begin(st_redactor *redactor) {
  redactor->memory = pcre2_general_context_create(pcre_alloc, pcre_free, NULL);
  if (!redactor->memory) return false;
  redactor->limits = pcre2_match_context_create(redactor->memory);
  redactor->rules = st_alloc_zero(st_redact_nrules * sizeof *redactor->rules);
  redactor->markers = st_alloc_zero(sizeof *redactor->markers);
  if (!redactor->limits || !redactor->rules || !redactor->markers) return false;
  pcre2_set_match_limit(redactor->limits, MATCH_LIMIT);
  pcre2_set_heap_limit(redactor->limits, HEAP_LIMIT_KIB);
  redactor->markers[redactor->nmarkers++] = ST_REDACTED;
  return true;
}

st_redactor *st_redactor_new(const char *rules, size_t length, st_redact_problem *problem) {
  st_redactor *redactor = st_alloc_zero(sizeof *redactor);
  *problem = (st_redact_problem){.nomem = true};
  if (redactor) st_arena_init(&redactor->arena, TEXTS_MAX);
  bool good = redactor && begin(redactor);
  for (size_t i = 0; good && i < st_redact_nrules; i++) good = add_builtin(redactor, &st_redact_rules[i], problem);
  if (good && rules) good = st_redact_add_user(redactor, rules, length, problem);
  if (good) return redactor;
  if (problem->nomem) snprintf(problem->message, sizeof problem->message, "out of memory");
  st_redactor_free(redactor);
  return NULL;
}

void st_redactor_free(st_redactor *redactor) {
  if (!redactor) return;
  for (size_t i = 0; i < redactor->count; i++) pcre2_code_free(redactor->rules[i].code);
  for (size_t i = 0; i < redactor->nallowing; i++) pcre2_code_free(redactor->allowing[i]);
  pcre2_match_context_free(redactor->limits);
  pcre2_general_context_free(redactor->memory);
  st_scan_free(&redactor->scan);
  st_arena_free(&redactor->arena);
  st_free(redactor->rules);
  st_free(redactor->markers);
  st_free(redactor);
}

size_t st_redactor_count(const st_redactor *redactor) {
  return redactor->count;
}

st_redact_about st_redactor_rule(const st_redactor *redactor, size_t number) {
  return redactor->rules[number].about;
}

/* ---- Scratch ---- */

st_redact_scratch *st_redact_scratch_new(const st_redactor *redactor) {
  st_redact_scratch *scratch = st_alloc_zero(sizeof *scratch);
  if (!scratch) return NULL;
  scratch->redactor = redactor;
  scratch->match = pcre2_match_data_create(16, redactor->memory);
  scratch->awake = st_alloc_zero(redactor->count * sizeof *scratch->awake);
  scratch->counts = st_alloc_zero(redactor->count * sizeof *scratch->counts);
  if (scratch->match && scratch->awake && scratch->counts) return scratch;
  st_redact_scratch_free(scratch);
  return NULL;
}

void st_redact_scratch_free(st_redact_scratch *scratch) {
  if (!scratch) return;
  pcre2_match_data_free(scratch->match);
  st_free(scratch->awake);
  st_free(scratch->counts);
  st_free(scratch->found);
  st_free(scratch);
}

int64_t st_redact_total(const st_redact_scratch *scratch) {
  return scratch->total;
}

int64_t st_redact_count(const st_redact_scratch *scratch, size_t number) {
  return scratch->counts[number];
}

int64_t st_redact_given_up(const st_redact_scratch *scratch) {
  return scratch->given_up;
}

void st_redact_forget(st_redact_scratch *scratch) {
  scratch->total = scratch->given_up = 0;
  memset(scratch->counts, 0, scratch->redactor->count * sizeof *scratch->counts);
}
