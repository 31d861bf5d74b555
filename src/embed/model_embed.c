/* model_embed.c - texts become vectors: the part of a model that must be fast. */
#include <math.h>
#include <string.h>

#include "embed/model.h"
#include "embed/wordpiece.h"
#include "embed/words.h"

#define BLOCK 16 /* a loop of so many is one that compilers turn into vector instructions */

static void add_scaled(const signed char *restrict row, float scale, float *restrict sum, size_t dimension) {
  size_t i = 0;
  for (; i + BLOCK <= dimension; i += BLOCK)
    for (size_t k = 0; k < BLOCK; k++) sum[i + k] += scale * (float)row[i + k];
  for (; i < dimension; i++) sum[i] += scale * (float)row[i];
}

void st_model_add(const st_model *model, const st_model_token *token, float *sum) {
  const unsigned char *row = model->rows + (size_t)token->row * model->stride;
  float scale;
  memcpy(&scale, row + model->stride - sizeof scale, sizeof scale);
  add_scaled((const signed char *)row, scale * token->weight, sum, model->header->dimension);
}

bool st_model_normalise(float *vector, size_t dimension) {
  double squares = 0;
  for (size_t i = 0; i < dimension; i++) squares += (double)vector[i] * vector[i];
  bool points = isfinite(squares) && squares > 0;
  double factor = points ? 1 / sqrt(squares) : 0;
  for (size_t i = 0; i < dimension; i++) vector[i] = points ? (float)(vector[i] * factor) : 0;
  return points;
}

void st_model_embed(const st_model *model, const char *text, size_t length, float *out) {
  size_t dimension = model->header->dimension;
  memset(out, 0, dimension * sizeof *out);
  if (model->header->tokenizer == ST_MODEL_WORDS) st_words_add(model, text, length, out);
  else st_wordpiece_add(model, text, length, out);
  st_model_normalise(out, dimension);
}
