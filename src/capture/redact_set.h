/* redact_set.h - the inside of a redactor, for the files that make and use one. */
#ifndef ST_REDACT_SET_H
#define ST_REDACT_SET_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "capture/redact.h"
#include "capture/redact_rules.h"
#include "capture/redact_scan.h"

#define ST_REDACT_REACH 600
#define ST_REDACT_PASSES 16 /* two are usual: one that finds something, one that does not */

/* A rule, ready to be used. */
typedef struct st_ready {
  st_redact_about about;
  const st_rule *rule; /* NULL: the user's, which is tried on the whole text */
  pcre2_code *code;    /* NULL: rule->find */
  int group;           /* what is replaced; 0: all of it */
  bool always;         /* it has no literal to wait for */
} st_ready;

struct st_redactor {
  st_arena arena; /* texts of the user's rules */
  pcre2_general_context *memory;
  pcre2_match_context *limits;
  st_scan scan;
  st_ready *rules;
  size_t count;
  const char **markers; /* the different replacements; what they cover is not looked at again */
  size_t nmarkers;
  const char **allowed; /* what holds one of these is no secret */
  size_t nallowed;
  pcre2_code **allowing; /* nor what one of these matches */
  size_t nallowing;
};

/* Something to replace. */
typedef struct st_found_secret {
  st_span span;
  uint16_t rule;
} st_found_secret;

struct st_redact_scratch {
  const st_redactor *redactor;
  pcre2_match_data *match;
  st_found_secret *found;
  size_t nfound, room;
  bool *awake; /* by rule: one of its literals was seen */
  bool nomem;
  int64_t total, given_up;
  int64_t *counts; /* by rule */
};

/* Compile a pattern; NULL with the reason in problem (cut to its size) and *nomem set if it was that. */
pcre2_code *st_redact_compile(const st_redactor *redactor, const char *regex, size_t length, uint32_t options,
                              char *problem, size_t size, bool *nomem);

/* Add the user's rules. */
bool st_redact_add_user(st_redactor *redactor, const char *rules, size_t length, st_redact_problem *problem);

/* Has the user said that this is no secret? */
bool st_redact_allows(st_redact_scratch *scratch, const char *secret, size_t length);

#endif
