/* upkeeping.c - see upkeeping.h. */
#include "upkeeping.h"

#include <inttypes.h>
#include <stdlib.h>

#include "text.h"

static const struct {
  const char *argument, *key;
  bool percent; /* the argument is a part of 1 */
} NUMBERS[] = {
    {"learning_sessions", "upkeep.learning_sessions", false},
    {"fact_decay_days", "upkeep.fact_decay_days", false},
    {"fact_decay_rate", "upkeep.fact_decay_percent", true},
    {"fact_archive_threshold", "upkeep.fact_archive_percent", true},
    {"user_fact_days", "upkeep.user_fact_days", false},
    {"lesson_occurrences", "upkeep.lesson_occurrences", false},
};
enum { COUNT = sizeof NUMBERS / sizeof *NUMBERS };

/* A list of the configuration as JSON; NULL: it is empty. */
static char *list(const settings *s, const char *name) {
  const char *said = settings_text(s, name);
  char *text = NULL;
  size_t length = 0;
  if (!said) return NULL;
  FILE *to = text_need(open_memstream(&text, &length));
  setting_json(to, setting_find(name, NULL), said);
  fclose(to);
  return text_need(text);
}

void upkeeping_arguments(const settings *s, argument out[UPKEEPING_ARGUMENTS]) {
  for (size_t i = 0; i < COUNT; i++) {
    int64_t number = settings_get(s, NUMBERS[i].key)->number;
    out[i] = (argument){NUMBERS[i].argument, NUMBERS[i].percent ? text_format("%.2f", (double)number / 100) : text_format("%" PRId64, number)};
  }
  out[COUNT] = (argument){"without", list(s, "upkeep.except")};
  out[COUNT + 1] = (argument){NULL, NULL};
}
_Static_assert(COUNT + 2 == UPKEEPING_ARGUMENTS, "one for each, the list, and the end");
