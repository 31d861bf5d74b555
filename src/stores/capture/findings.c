/* findings.c - see findings.h. */
#include "stores/capture/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void st_findings_add(st_findings *found, st_health health, const char *format, ...) {
  size_t used = strlen(found->text);
  va_list args;
  if (health > found->worst) found->worst = health;
  if (health == ST_HEALTH_OK) {
    found->well++;
    return;
  }
  used += (size_t)snprintf(found->text + used, sizeof found->text - used, "%s", found->told++ ? "; " : "");
  va_start(args, format);
  if (used < sizeof found->text) vsnprintf(found->text + used, sizeof found->text - used, format, args);
  va_end(args);
}

st_health st_health_of(const st_value *state) {
  if (strcmp(state->bytes, "ok") == 0) return ST_HEALTH_OK;
  return strcmp(state->bytes, "warn") == 0 ? ST_HEALTH_WARN : ST_HEALTH_FAIL;
}
