/* call.c - see call.h. */
#include "call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t sv_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void sv_failure_set(sv_failure *failure, stele_status status, const char *method, const char *hint, const char *format,
                    ...) {
  va_list args;
  failure->status = status;
  failure->field[0] = '\0';
  snprintf(failure->method, sizeof failure->method, "%s", method);
  snprintf(failure->hint, sizeof failure->hint, "%s", hint);
  va_start(args, format);
  vsnprintf(failure->message, sizeof failure->message, format, args);
  va_end(args);
}

void sv_failure_copy(sv_failure *failure, const stele_failure *from) {
  sv_failure_set(failure, from->status, from->method, from->hint, "%s", from->message);
  snprintf(failure->field, sizeof failure->field, "%s", from->field);
}

void sv_call_run(sv_call *call, stele_db *db) {
  if (stele_call(db, call->method->name, call->args, &call->reply) != STELE_OK) {
    sv_failure_copy(&call->failure, stele_error(db));
    return;
  }
  const char *notes = stele_notes(db);
  call->failure.status = STELE_OK;
  call->notes = *notes ? strdup(notes) : NULL;
}

void sv_call_clear(sv_call *call) {
  stele_free(call->reply);
  free(call->notes);
  call->reply = call->notes = NULL;
  call->failure.status = STELE_OK;
}
