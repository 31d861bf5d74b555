/* vector.h - a list of numbers, such as an embedding, in the forms in which it is kept: bytes (32-bit floats,
** little endian) and JSON text. */
#ifndef ST_VECTOR_H
#define ST_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

#define ST_VECTOR_MAX 16000 /* numbers in one */
#define ST_VECTOR_BYTES 4   /* of one number */

static inline void st_vector_put(char *bytes, float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  for (int i = 0; i < ST_VECTOR_BYTES; i++) bytes[i] = (char)(unsigned char)(bits >> (8 * i));
}

static inline float st_vector_get(const char *bytes) {
  uint32_t bits = 0;
  float number;
  for (int i = 0; i < ST_VECTOR_BYTES; i++) bits |= (uint32_t)(unsigned char)bytes[i] << (8 * i);
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* count numbers from bytes. */
void st_vector_read(const char *bytes, size_t count, float *out);

/* Has it a direction?  Zeros only have none, and are near to nothing. */
static inline bool st_vector_points(const char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (st_vector_get(bytes + i * ST_VECTOR_BYTES) != 0) return true;
  return false;
}

/* The numbers of a JSON array, at most ST_VECTOR_MAX.  How many; 0: it is not an array of numbers, there are
** none or too many, or one is not finite as a float. */
size_t st_vector_parse(const char *text, size_t length, float *out);

/* Append count numbers, from bytes, as a JSON array with the shortest digits that read back the same. */
void st_vector_add(st_str *out, const char *bytes, size_t count);

#endif
