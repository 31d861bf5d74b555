/* enriching.c - see enriching.h. */
#include "enriching.h"

#include <inttypes.h>
#include <stdlib.h>

#include "text.h"

static char *number(const settings *s, const char *key, int64_t unit) {
  return text_format("%" PRId64, settings_get(s, key)->number / unit);
}

/* With colons between, as the store takes them. */
static char *roots(const settings *s) {
  const char *said = settings_text(s, "enrich.project_roots");
  if (!said || !*said) return NULL;
  char *list = text_format("%s", said);
  for (char *at = list; *at; at++)
    if (*at == ',') *at = ':';
  char *quoted = text_quote(list);
  free(list);
  return quoted;
}

void enriching_arguments(const settings *s, argument out[ENRICHING_ARGUMENTS]) {
  const char *home = getenv("HOME");
  out[0] = (argument){"batch", number(s, "enrich.batch", 1)};
  out[1] = (argument){"max_retries", number(s, "enrich.max_retries", 1)};
  out[2] = (argument){"lock_timeout", number(s, "enrich.lock_timeout", 1000)};
  out[3] = (argument){"home", home && *home ? text_quote(home) : NULL};
  out[4] = (argument){"project_roots", roots(s)};
  out[5] = (argument){"using", text_quote(settings_text(s, "enrich.using"))};
  out[6] = (argument){"calls", number(s, "enrich.calls", 1)};
  out[7] = (argument){"calls_per_hour", number(s, "enrich.calls_per_hour", 1)};
  out[8] = (argument){"tokens_per_hour", number(s, "enrich.tokens_per_hour", 1)};
  out[9] = (argument){NULL, NULL};
}
