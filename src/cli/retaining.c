/* retaining.c - see retaining.h. */
#include "retaining.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define PREFIX "retention."
#define RUNS PREFIX "telemetry_"
#define DAY_MS INT64_C(86400000)

/* "telemetry.executions" of retention.telemetry_executions: a store's name has no underscore. */
static char *rule_of(const char *key) {
  char *rule = text_format("%s", key + strlen(PREFIX));
  char *end = strchr(rule, '_');
  if (end) *end = '.';
  return rule;
}

/* An older key says it in days, 0 for ever, where nothing else is said. */
static char *keep_of(const settings *s, const setting *key) {
  const setting_value *value = settings_get(s, key->name), *days = settings_get(s, "serve.retention");
  if (strncmp(key->name, RUNS, strlen(RUNS)) == 0 && value->from == FROM_DEFAULT && days->from != FROM_DEFAULT)
    return days->number ? text_format("%" PRId64, days->number * (DAY_MS / 1000)) : text_format("\"off\"");
  if (strcmp(value->text, "on") == 0 || strcmp(value->text, "off") == 0) return text_format("\"%s\"", value->text);
  return text_format("%.3f", (double)value->number / 1000);
}

char *retaining_keep(const settings *s) {
  char *text = NULL;
  size_t length = 0;
  const setting *key;
  const char *separator = "";
  FILE *to = text_need(open_memstream(&text, &length));
  fputc('{', to);
  for (size_t i = 0; (key = setting_at(i)) != NULL; i++) {
    if (strncmp(key->name, PREFIX, strlen(PREFIX)) != 0 || key->kind != SETTING_KEEP) continue;
    char *rule = rule_of(key->name), *keep = keep_of(s, key);
    fprintf(to, "%s\"%s\":%s", separator, rule, keep);
    separator = ",";
    free(rule);
    free(keep);
  }
  fputc('}', to);
  fclose(to);
  return text_need(text);
}
