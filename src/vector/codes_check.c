/* codes_check.c - checksums of a file of codes. */
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "vector/codes_file.h"

uint64_t st_codes_head_check(const st_codes_head *head) {
  return st_hash64(0, head, offsetof(st_codes_head, check));
}

uint64_t st_codes_slot_check(const st_codes_slot *slot, uint64_t identity) {
  return st_hash64(identity, slot, offsetof(st_codes_slot, check));
}

/* Four hashes side by side, since each step of one waits for the step before: all rows are looked at when a file is
** first used. */
uint32_t st_codes_row_check(const st_code_row *row, const uint64_t *code, size_t words, uint64_t place, uint64_t identity) {
  uint64_t lanes[4] = {identity, place, (uint64_t)row->number, (uint64_t)row->document};
  uint32_t spread;
  size_t w = 0;
  memcpy(&spread, &row->spread, sizeof spread);
  for (; w + 4 <= words; w += 4)
    for (size_t i = 0; i < 4; i++) lanes[i] = st_hash64_mix(lanes[i] ^ code[w + i]);
  for (; w < words; w++) lanes[w % 4] = st_hash64_mix(lanes[w % 4] ^ code[w]);
  uint64_t hash = spread;
  for (size_t i = 0; i < 4; i++) hash = st_hash64_mix(st_hash64_mix(hash ^ lanes[i]));
  return (uint32_t)(hash ^ hash >> 32);
}
