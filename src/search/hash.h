/* hash.h - a number for a token. */
#ifndef ST_HASH_H
#define ST_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a, with its better half folded into the lower bits. */
static inline uint64_t st_hash(const char *token, size_t length) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)token[i]) * UINT64_C(0x100000001B3);
  return hash ^ hash >> 32;
}

#endif
