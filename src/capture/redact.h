/* redact.h - secrets are taken out of a text before it is kept.
**
** A redactor is a set of rules: the built-in ones, for the credentials of the common services and for names
** that say what they hold, and those of the user.  It does not change once it is made, so that threads can
** share it; what one thread needs while it works is in its scratch.
**
** Every literal of every rule is looked for in one pass (redact_scan.h).  Only where one stands is its rule
** asked, there and not elsewhere, so that a text without secrets costs little more than reading it.
**
** What is redacted once stays as it is: a second time changes nothing more. */
#ifndef ST_REDACT_H
#define ST_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define ST_REDACTED "[REDACTED]" /* what stands in place of a secret, unless a rule says otherwise */

typedef struct st_redactor st_redactor;
typedef struct st_redact_scratch st_redact_scratch;

/* What a rule is, for people. */
typedef struct st_redact_about {
  const char *name;   /* "github-token" */
  const char *family; /* "code", "cloud", ...; "user" of one that is not built in */
  const char *replacement;
  bool builtin;
  bool disabled; /* by the user */
} st_redact_about;

/* Why the user's rules cannot be used. */
typedef struct st_redact_problem {
  bool nomem;
  char message[400]; /* names the line, and the rule if it has a name */
} st_redact_problem;

/* Make one of the built-in rules and those in `rules` (TOML, see docs/redaction.md; NULL: none).  NULL on
** failure, with *problem filled in. */
st_redactor *st_redactor_new(const char *rules, size_t length, st_redact_problem *problem);
void st_redactor_free(st_redactor *redactor);

/* The rules, by number from 0. */
size_t st_redactor_count(const st_redactor *redactor);
st_redact_about st_redactor_rule(const st_redactor *redactor, size_t number);

/* For one thread at a time, and for this redactor, which must outlive it; NULL when out of memory. */
st_redact_scratch *st_redact_scratch_new(const st_redactor *redactor);
void st_redact_scratch_free(st_redact_scratch *scratch);

/* What was redacted with a scratch: in all, and by one rule.  Then: how often a pattern was given up
** because it took too long; what stood there was then redacted. */
int64_t st_redact_total(const st_redact_scratch *scratch);
int64_t st_redact_count(const st_redact_scratch *scratch, size_t number);
int64_t st_redact_given_up(const st_redact_scratch *scratch);
void st_redact_forget(st_redact_scratch *scratch); /* all to 0 */

typedef struct st_redacted {
  const char *text; /* what was given, if nothing was found; else a copy in the arena, with a NUL behind it */
  size_t length;
} st_redacted;

/* Any bytes.  False: out of memory. */
bool st_redact_text(st_redact_scratch *scratch, st_arena *arena, const char *text, size_t length, st_redacted *out);

/* The same of a JSON text: strings are seen as they read when decoded, and the name of a member tells what
** its value is.  What was JSON is JSON afterwards; what was not is treated as a text. */
bool st_redact_json(st_redact_scratch *scratch, st_arena *arena, const char *text, size_t length, st_redacted *out);

#endif
