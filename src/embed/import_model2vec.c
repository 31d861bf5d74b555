/* import_model2vec.c - see import.h: directories of model2vec's.
**
** The vectors are taken as they are: weights and the common component are in them already, or in the list of weights
** beside them.  What model2vec leaves out (unknown words) or does at the end (length one) is done here always. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "embed/import.h"
#include "embed/mapped.h"
#include "embed/model_write.h"
#include "embed/safetensors.h"
#include "embed/tokenizer_json.h"

#define ASK_EVERY 4096 /* vectors */

typedef struct importing {
  const st_import_options *options;
  st_imported *out;
  st_problem *problem;
  st_text tensors, json;
  st_tensor vectors, weights, mapping; /* the last two may have no rows */
  st_tokenizer tokenizer;
  st_model_writer writer;
} importing;

static bool open_part(importing *in, const char *from, const char *name, st_text *file) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%s", from, name) >= (int)sizeof path) return st_problem_say(in->problem, "the path is too long");
  return st_mapped_open(file, path, in->problem);
}

/* What a problem of one of the files is told with. */
static bool in_file(importing *in, const char *name, const st_problem *what) {
  return st_problem_say(in->problem, "%s: %s", name, what->text);
}

static bool read_tensors(importing *in) {
  static const char name[] = "model.safetensors";
  st_problem what = {0};
  if (!st_tensor_find(in->tensors, "embeddings", &in->vectors, &what) || !st_tensor_find(in->tensors, "weights", &in->weights, &what) ||
      !st_tensor_find(in->tensors, "mapping", &in->mapping, &what))
    return in_file(in, name, &what);
  if (!in->vectors.rows) return st_problem_say(in->problem, "%s has no embeddings", name);
  if (in->vectors.rows > ST_MODEL_TOKENS_MAX) return st_problem_say(in->problem, "%s has too many embeddings", name);
  return true;
}

/* ---- Tokens ---- */

/* The vector of a token, and what it weighs. */
static bool place_of(importing *in, int64_t number, uint32_t *row, float *weight) {
  double at = (double)number, weighs = 1;
  if (in->mapping.rows) {
    if ((uint64_t)number >= in->mapping.rows) return st_problem_say(in->problem, "token %lld has no place in mapping", (long long)number);
    at = st_tensor_number(&in->mapping, (size_t)number * in->mapping.columns);
  }
  if (in->weights.rows) {
    if ((uint64_t)number >= in->weights.rows) return st_problem_say(in->problem, "token %lld has no weight", (long long)number);
    weighs = st_tensor_number(&in->weights, (size_t)number * in->weights.columns);
  }
  if (!(at >= 0 && at < (double)in->vectors.rows)) return st_problem_say(in->problem, "token %lld has no vector", (long long)number);
  if (!(fabs(weighs) <= FLT_MAX)) return st_problem_say(in->problem, "token %lld has a weight that is not finite", (long long)number);
  *row = (uint32_t)at;
  *weight = (float)weighs;
  return true;
}

static bool take_tokens(importing *in) {
  st_problem what = {0};
  st_text token;
  int64_t number;
  while (st_tokenizer_next(&in->tokenizer, &token, &number, &what)) {
    uint32_t row = 0;
    float weight = 0;
    bool is_new;
    if (!place_of(in, number, &row, &weight) || !st_model_write_token(&in->writer, token.bytes, token.length, row, weight, &is_new)) return false;
    *(is_new ? &in->out->tokens : &in->out->left_out) += 1;
  }
  return !what.text[0] || in_file(in, "tokenizer.json", &what);
}

/* ---- Vectors ---- */

static bool take_vector(importing *in, size_t row, float *vector) {
  size_t columns = in->vectors.columns;
  for (size_t i = 0; i < columns; i++) {
    double number = st_tensor_number(&in->vectors, row * columns + i);
    if (!(fabs(number) <= FLT_MAX)) return st_problem_say(in->problem, "embedding %zu has a number that is not finite", row);
    vector[i] = (float)number;
  }
  return st_model_write_row(&in->writer, vector);
}

static bool take_vectors(importing *in) {
  const st_import_options *o = in->options;
  float *vector = st_alloc(in->vectors.columns * sizeof *vector);
  bool good = vector || st_problem_nomem(in->problem);
  for (size_t row = 0; good && row < in->vectors.rows; row++) {
    good = take_vector(in, row, vector);
    if (good && o->stopped && row % ASK_EVERY == 0 && o->stopped(o->user, (int64_t)row)) good = st_problem_say(in->problem, "stopped");
  }
  st_free(vector);
  return good;
}

/* ---- The whole ---- */

static bool write_model(importing *in, const char *to) {
  if (!st_model_write_begin(&in->writer, to, in->options->name, in->vectors.columns, ST_MODEL_WORDPIECE, in->problem)) return false;
  in->writer.header.flags = in->tokenizer.flags;
  in->writer.header.word_max = in->tokenizer.word_max;
  bool good = take_tokens(in) && take_vectors(in);
  return st_model_write_end(&in->writer, good);
}

static bool read_tokenizer(importing *in) {
  st_problem what = {0};
  return st_tokenizer_begin(&in->tokenizer, in->json, &what) || in_file(in, "tokenizer.json", &what);
}

bool st_import_model2vec(const char *from, const char *to, const st_import_options *options, st_imported *out, st_problem *problem) {
  importing in = {.options = options, .out = out, .problem = problem};
  *out = (st_imported){0};
  bool good = open_part(&in, from, "model.safetensors", &in.tensors) && open_part(&in, from, "tokenizer.json", &in.json) &&
              read_tensors(&in) && read_tokenizer(&in) && write_model(&in, to);
  st_tokenizer_end(&in.tokenizer);
  st_mapped_close(&in.tensors);
  st_mapped_close(&in.json);
  return good;
}
