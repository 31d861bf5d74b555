/* hash.h - a 64-bit hash that is kept in files: the same on every machine, for ever.  Not against an enemy. */
#ifndef ST_HASH64_H
#define ST_HASH64_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t st_hash64_mix(uint64_t hash) {
  hash ^= hash >> 32;
  hash *= UINT64_C(0xD6E8FEB86659FD93);
  return hash ^ hash >> 29;
}

/* Go on from a hash, with more bytes.  The length goes in too, so that "a","bc" is not "ab","c". */
static inline uint64_t st_hash64(uint64_t hash, const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  hash = st_hash64_mix(hash ^ (uint64_t)length * UINT64_C(0x9E3779B97F4A7C15));
  for (; length >= 8; length -= 8, at += 8) {
    uint64_t eight = (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
                     (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
    hash = st_hash64_mix(hash ^ eight);
  }
  uint64_t rest = 0;
  for (size_t i = 0; i < length; i++) rest |= (uint64_t)at[i] << (8 * i);
  return st_hash64_mix(hash ^ rest);
}

#endif
