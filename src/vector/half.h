/* half.h - numbers of 16 bits (IEEE 754 binary16), in which embeddings are kept: half the bytes, and near
** enough for a vector of length one. */
#ifndef ST_HALF_H
#define ST_HALF_H

#include <stddef.h>
#include <stdint.h>

#define ST_HALF_BYTES 2

/* The nearest half; of two equally near, the even one.  What is too large becomes infinite. */
uint16_t st_half_from(float number);
/* Exact. */
float st_half_to(uint16_t half);

/* To and from bytes, little endian.  st_kernel.widen does the second faster. */
void st_halves_put(const float *numbers, size_t count, char *bytes);
void st_halves_get(const char *bytes, size_t count, float *numbers);

#endif
