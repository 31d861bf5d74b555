/* fuzz_zone.c - any bytes as the file of a time zone; local times are made in it, and turned back. */
#include <stdint.h>
#include <stdlib.h>

#include "base/cron.h"
#include "base/zone.h"
#include "fuzz/target.h"

#define YEAR_1 (-62135596800)
#define YEAR_9990 253086854400

static void go_through(const st_zone *zone, int64_t seconds) {
  st_micros time = seconds * ST_MICROS_PER_SECOND, earlier, later;
  st_zone_span span = st_zone_span_at(zone, seconds);
  if (seconds < span.start || seconds >= span.end) abort();
  int offset;
  st_civil local = st_zone_local(zone, time, &offset);
  if (offset != span.offset) abort();
  if (st_zone_time(zone, &local, &earlier, &later) == ST_ZONE_GAP) abort(); /* clocks showed it */
  if (earlier > time || later < time) abort();
  st_zone_day(zone, time, &earlier, &later);
  if (earlier > later) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char text[] = "30 2 * * *";
  st_cron cron;
  char why[ST_CRON_WHY_MAX];
  st_micros next;
  st_zone *zone;
  if (!st_cron_parse(text, sizeof text - 1, &cron, why)) abort();
  if (st_zone_read(data, size, &zone) != ST_ZONE_OK) return 0;
  for (int64_t seconds = YEAR_1; seconds < YEAR_9990; seconds += 7919 * 86400 + 4711) {
    go_through(zone, seconds);
    if (!st_cron_next(&cron, zone, seconds * ST_MICROS_PER_SECOND, &next)) abort();
    if (next <= seconds * ST_MICROS_PER_SECOND) abort();
  }
  st_zone_span span = st_zone_span_at(zone, 0);
  for (int i = 0; i < 100 && span.end < YEAR_9990; i++) {
    go_through(zone, span.end - 1);
    go_through(zone, span.end);
    span = st_zone_span_at(zone, span.end);
  }
  st_zone_free(zone);
  return 0;
}
