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
static uint32_t hash_words(uint64_t lanes[4], const void *bytes, size_t words) {
  const char *at = bytes;
  uint64_t four[4], hash = words;
  for (; words >= 4; words -= 4, at += sizeof four) {
    memcpy(four, at, sizeof four);
    for (size_t i = 0; i < 4; i++) lanes[i] = st_hash64_mix(lanes[i] ^ four[i]);
  }
  memcpy(four, at, words * sizeof *four);
  for (size_t i = 0; i < words; i++) lanes[i] = st_hash64_mix(lanes[i] ^ four[i]);
  for (size_t i = 0; i < 4; i++) hash = st_hash64_mix(st_hash64_mix(hash ^ lanes[i]));
  return (uint32_t)(hash ^ hash >> 32);
}

/* What every checksum begins with: the file, the place in it, and a share. */
static void begin(uint64_t lanes[4], const st_codes *codes, uint64_t place, float share) {
  uint32_t bits;
  memcpy(&bits, &share, sizeof bits);
  lanes[0] = codes->identity;
  lanes[1] = codes->identity + place;
  lanes[2] = codes->identity + bits;
  lanes[3] = codes->identity ^ place;
}

uint32_t st_codes_row_check(const st_codes *codes, uint64_t place, const st_code_row *row, const uint64_t *code, float share) {
  uint64_t lanes[4];
  begin(lanes, codes, place, share);
  lanes[0] = st_hash64_mix(lanes[0] ^ (uint64_t)row->number);
  lanes[3] = st_hash64_mix(lanes[3] ^ (uint64_t)row->document);
  return hash_words(lanes, code, codes->words);
}

uint32_t st_codes_fine_check(const st_codes *codes, uint64_t place, const st_code_fine *fine) {
  uint64_t lanes[4];
  begin(lanes, codes, place, fine->share);
  return hash_words(lanes, fine->levels, codes->words * ST_FINE_BYTES / sizeof(uint64_t));
}
