/* half.c - see half.h. */
#include "vector/half.h"

#include <string.h>

#define SIGN UINT32_C(0x80000000)
#define INFINITE UINT32_C(0x7F800000)         /* of a float */
#define TOO_LARGE UINT32_C(0x477FF000)        /* 65520: from here on the nearest half is infinite */
#define LEAST_NORMAL UINT32_C(0x38800000)     /* 2^-14: below, halves are subnormal */
#define REBIAS (UINT32_C(112) << 23)          /* between the exponents of float and half */

static uint32_t bits_of(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* Adding one half moves the bits that a subnormal half has to the end of the float, and rounds them. */
static uint32_t round_subnormal(uint32_t bits) { return bits_of(float_of(bits) + 0.5f) - bits_of(0.5f); }

static uint32_t round_normal(uint32_t bits) {
  uint32_t odd = bits >> 13 & 1;
  return (bits - REBIAS + 0xFFF + odd) >> 13;
}

uint16_t st_half_from(float number) {
  uint32_t bits = bits_of(number), sign = (bits & SIGN) >> 16;
  bits &= ~SIGN;
  if (bits > INFINITE) return (uint16_t)(sign | 0x7E00);
  if (bits >= TOO_LARGE) return (uint16_t)(sign | 0x7C00);
  return (uint16_t)(sign | (bits < LEAST_NORMAL ? round_subnormal(bits) : round_normal(bits)));
}

float st_half_to(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, bits = (uint32_t)(half & 0x7FFF) << 13;
  if (exponent == 31)
    bits |= INFINITE;
  else if (exponent)
    bits += REBIAS;
  else /* subnormal: with an exponent it can be reckoned with */
    bits = bits_of(float_of(bits + LEAST_NORMAL) - float_of(LEAST_NORMAL));
  return float_of(sign | bits);
}

void st_halves_put(const float *numbers, size_t count, char *bytes) {
  for (size_t i = 0; i < count; i++) {
    uint16_t half = st_half_from(numbers[i]);
    bytes[ST_HALF_BYTES * i] = (char)(half & 0xFF);
    bytes[ST_HALF_BYTES * i + 1] = (char)(half >> 8);
  }
}

void st_halves_get(const char *bytes, size_t count, float *numbers) {
  for (size_t i = 0; i < count; i++) {
    unsigned low = (unsigned char)bytes[ST_HALF_BYTES * i], high = (unsigned char)bytes[ST_HALF_BYTES * i + 1];
    numbers[i] = st_half_to((uint16_t)(low | high << 8));
  }
}
