/* times.c - see times.h. */
#include "search/times.h"

#include <stdint.h>
#include <string.h>

void st_times_add(st_str *to, double time) {
  uint64_t bits;
  memcpy(&bits, &time, sizeof bits);
  for (int i = 0; i < ST_TIME_BYTES; i++) st_str_addc(to, (char)(bits >> 8 * i));
}

double st_times_at(const char *bytes, size_t place) {
  uint64_t bits = 0;
  double time;
  for (int i = 0; i < ST_TIME_BYTES; i++) bits |= (uint64_t)(unsigned char)bytes[place * ST_TIME_BYTES + (size_t)i] << 8 * i;
  memcpy(&time, &bits, sizeof time);
  return time;
}
