/* findings.h - one line of the checkup about several things: the worst of them, and what is wrong with each. */
#ifndef ST_CAPTURE_FINDINGS_H
#define ST_CAPTURE_FINDINGS_H

#include "engine/doctor.h"

typedef struct st_findings {
  st_health worst;
  int well, told;
  char text[1000];
} st_findings;

/* One of the things.  What is well is only counted; of what is not, the text says what is wrong. */
void st_findings_add(st_findings *found, st_health health, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "ok", "warn" and "fail", as statements tell them. */
st_health st_health_of(const st_value *state);

#endif
