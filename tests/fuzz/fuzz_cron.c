/* fuzz_cron.c - any text as a schedule, in some zone: a byte that chooses the zone, four of a time, the text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cron.h"
#include "fuzz/target.h"

static const st_zone *some_zone(uint8_t choice) {
  static const char *const names[] = {"UTC", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia"};
  static st_zones zones;
  const st_zone *zone;
  if (!zones.directory) st_zones_init(&zones, NULL);
  if (st_zones_get(&zones, names[choice % 4], &zone) != ST_ZONE_OK) abort();
  return zone;
}

/* Fires go forward, and looking back from each finds it. */
static void fire(const st_cron *cron, const st_zone *zone, st_micros time) {
  for (int i = 0; i < 4; i++) {
    st_micros next, last;
    if (!st_cron_next(cron, zone, time, &next)) abort();
    if (next <= time) abort();
    if (!st_cron_last(cron, zone, time, next, &last) || last != next) abort();
    if (st_cron_last(cron, zone, time, next - 1, &last)) abort();
    time = next;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  st_cron cron;
  char why[ST_CRON_WHY_MAX] = "";
  uint32_t seconds;
  if (size < 5) return 0;
  memcpy(&seconds, data + 1, sizeof seconds);
  if (st_cron_parse((const char *)data + 5, size - 5, &cron, why)) fire(&cron, some_zone(data[0]), (st_micros)seconds * 1000000);
  else if (!*why || strchr(why, '\n')) abort();
  return 0;
}
