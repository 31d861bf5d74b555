/* cosine.c - see cosine.h. */
#include "vector/cosine.h"

#include <math.h>

/* Sums side by side, always in this order: the compiler may use wide registers, and every machine gets the
** same result. */
#define LANES 8

typedef struct sums {
  double products[LANES], squares_a[LANES], squares_b[LANES];
} sums;

static inline void add(sums *s, const float *a, const float *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    double x = a[i], y = b[i];
    s->products[i] += x * y;
    s->squares_a[i] += x * x;
    s->squares_b[i] += y * y;
  }
}

static double total(const double lanes[LANES]) {
  double sum = 0;
  for (int i = 0; i < LANES; i++) sum += lanes[i];
  return sum;
}

double st_cosine(const float *a, const float *b, size_t count) {
  sums s = {{0}, {0}, {0}};
  size_t at = 0;
  for (; at + LANES <= count; at += LANES) add(&s, a + at, b + at, LANES);
  add(&s, a + at, b + at, count - at);
  double lengths = sqrt(total(s.squares_a) * total(s.squares_b)); /* floats, squared twice, stay within doubles */
  double cosine = lengths > 0 ? total(s.products) / lengths : 0;
  return cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
}
