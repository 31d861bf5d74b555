/* tour_data.c - the records of the tour: an hour of a kitchen, the same every time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "tour.h"

/* How busy each twelfth of the hour is, out of 100. */
static const int BUSY[] = {3, 4, 6, 9, 12, 15, 13, 10, 5, 8, 9, 6};

static const struct {
  const char *type, *message;
} ERRORS[] = {
    {"TimeoutError", "light.kitchen did not answer within 1 s"},
    {"ValueError", "brightness must be 0..255, not 300"},
    {"DependencyResolutionError", "no sensor named motion_kitchen"},
};

/* Small numbers that look random (a linear congruential generator). */
static uint32_t next_random(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % below;
}

/* Seconds into the hour, as busy as BUSY says. */
static double moment(uint32_t *seed) {
  int at = (int)next_random(seed, 100), part = 0;
  while (at >= BUSY[part]) at -= BUSY[part++];
  return part * 300 + next_random(seed, 300000) / 1000.0;
}

static void add_outcome(FILE *to, uint32_t *seed, double start) {
  bool failed = next_random(seed, 14) == 0, slow = next_random(seed, 50) == 0;
  double ms = (slow ? 300 : 4) + next_random(seed, slow ? 15000 : 600) / 10.0;
  fprintf(to, "\"execution_start_dtme\":%.3f,\"duration_ms\":%.1f,\"status\":\"%s\"", start, ms,
          failed ? "error" : "success");
  if (failed) {
    uint32_t error = next_random(seed, sizeof ERRORS / sizeof *ERRORS);
    fprintf(to, ",\"error_type\":\"%s\",\"error_message\":\"%s\"", ERRORS[error].type, ERRORS[error].message);
  }
  fputc('}', to);
}

char *tour_batch(const tour *t, int n) {
  uint32_t seed = 20260131u + (uint32_t)n;
  char *text = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&text, &length));
  for (int i = 0; i < TOUR_BATCH; i++) {
    int64_t listener = next_random(&seed, 3) ? t->lights : t->doors;
    fprintf(to, "%s{\"listener_id\":%" PRId64 ",\"session_id\":%" PRId64 ",", i ? "," : "{\"invocations\":[", listener,
            t->session);
    add_outcome(to, &seed, t->now - 3600 + moment(&seed));
  }
  for (int i = 0; i < 10; i++) {
    fprintf(to, "%s{\"job_id\":%" PRId64 ",\"session_id\":%" PRId64 ",", i ? "," : "],\"executions\":[", t->job,
            t->session);
    add_outcome(to, &seed, t->now - 3600 + 120 * (n * 10 + i));
  }
  fputs("]}", to);
  fclose(to);
  return text_need(text);
}

char *tour_first_record(const char *batch) {
  const char *first = strchr(batch, '['), *end = strchr(batch, '}');
  return text_need(strndup(first + 1, (size_t)(end - first)));
}
