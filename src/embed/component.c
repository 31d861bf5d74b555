/* component.c - see component.h. */
#include "embed/component.h"

#include <math.h>
#include <string.h>

#define TOP_SHARE 0.1  /* of the most frequent word, were its rank 1 */
#define FLATTER 2.7    /* the first ranks are less frequent than that */
#define TEXT_WORDS 10  /* of a text that is imagined */
#define ROUNDS 100
#define ENOUGH 1e-9

double st_zipf_probability(size_t rank) {
  return TOP_SHARE / ((double)rank + FLATTER);
}

double st_zipf_weight(size_t rank, double a) {
  return a / (a + st_zipf_probability(rank));
}

static double dot(const double *a, const float *b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

static double normalise(double *vector, size_t dimension) {
  double squares = 0;
  for (size_t i = 0; i < dimension; i++) squares += vector[i] * vector[i];
  double length = sqrt(squares);
  for (size_t i = 0; i < dimension && length > 0; i++) vector[i] /= length;
  return length;
}

typedef struct sample {
  const float *vectors, *weights;
  const double *probabilities;
  size_t count, dimension;
  double *mean; /* of a word, weighted */
} sample;

static void find_mean(sample *s) {
  memset(s->mean, 0, s->dimension * sizeof *s->mean);
  for (size_t w = 0; w < s->count; w++) {
    double share = s->probabilities[w] * s->weights[w];
    for (size_t i = 0; i < s->dimension; i++) s->mean[i] += share * s->vectors[w * s->dimension + i];
  }
}

/* The second moments of the mean of n words drawn alike, times a direction: those of one word / n, and those of
** the mean of all words * (1 - 1 / n). */
static void multiply(const sample *s, const double *direction, double *out) {
  double shared = 0;
  for (size_t i = 0; i < s->dimension; i++) shared += s->mean[i] * direction[i];
  for (size_t i = 0; i < s->dimension; i++) out[i] = s->mean[i] * shared * (1 - 1.0 / TEXT_WORDS);
  for (size_t w = 0; w < s->count; w++) {
    const float *vector = s->vectors + w * s->dimension;
    double weight = s->weights[w];
    double along = s->probabilities[w] * weight * weight * dot(direction, vector, s->dimension) / TEXT_WORDS;
    for (size_t i = 0; i < s->dimension; i++) out[i] += along * vector[i];
  }
}

/* Power iteration: a direction, multiplied again and again, turns to the component. */
static bool iterate(const sample *s, double *direction, double *next) {
  memcpy(direction, s->mean, s->dimension * sizeof *direction);
  if (normalise(direction, s->dimension) == 0) direction[0] = 1; /* any will do */
  for (int round = 0; round < ROUNDS; round++) {
    double moved = 0;
    multiply(s, direction, next);
    if (!(normalise(next, s->dimension) > 0)) return false;
    for (size_t i = 0; i < s->dimension; i++) moved += fabs(next[i] - direction[i]);
    memcpy(direction, next, s->dimension * sizeof *direction);
    if (moved < ENOUGH) break;
  }
  return true;
}

bool st_component_find(const float *vectors, const float *weights, const double *probabilities, size_t count,
                       size_t dimension, double *component) {
  sample s = {vectors, weights, probabilities, count, dimension, component + dimension};
  find_mean(&s);
  return iterate(&s, component, component + 2 * dimension);
}

void st_component_remove(const double *component, float *vector, size_t dimension) {
  double along = dot(component, vector, dimension);
  for (size_t i = 0; i < dimension; i++) vector[i] = (float)(vector[i] - along * component[i]);
}
