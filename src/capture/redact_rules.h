/* redact_rules.h - the built-in rules, as data. */
#ifndef ST_REDACT_RULES_H
#define ST_REDACT_RULES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct st_span {
  size_t start, end;
} st_span;

typedef struct st_rule {
  const char *name;
  const char *family;
  const char *literals; /* separated by |; sets as in "SK[0-9a-f]".  One of them stands in every match */
  bool exact;           /* their case matters */
  bool word;            /* no letter or digit stands before them */
  bool vague;           /* another rule that matches the same knows better what it is */
  unsigned back;        /* the match begins so many bytes before the literal */
  unsigned reach;       /* and ends at most so many behind it; 0: 600 */
  const char *regex;    /* tried where the match begins; its first group, if it has one, is the secret */
  /* Is what the regex found a secret? */
  bool (*check)(const char *text, size_t length, st_span secret);
  /* Instead of a regex: the secret at a literal, which ends at `after`. */
  bool (*find)(const char *text, size_t length, size_t at, size_t after, st_span *secret);
} st_rule;

extern const st_rule st_redact_rules[];
extern const size_t st_redact_nrules;

#endif
