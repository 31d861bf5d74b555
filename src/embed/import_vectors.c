/* import_vectors.c - see import.h: files of word vectors.
**
** The first words, which are the most frequent, are held back until the common component is known; then every
** vector goes straight to the new file. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/token.h"
#include "embed/component.h"
#include "embed/import.h"
#include "embed/import_lines.h"
#include "embed/model_write.h"
#include "embed/words.h"

#define ASK_EVERY 4096 /* lines */

typedef struct importing {
  const st_import_options *options;
  st_imported *out;
  st_problem *problem;
  st_import_lines lines;
  st_model_writer writer;
  bool writing; /* the dimension is known, and the writer begun */
  size_t dimension;
  size_t rank;    /* of the next word */
  float *vector;  /* of a line */
  float *held;    /* the first vectors */
  float *weights; /* and theirs */
  double *probabilities;
  size_t count;  /* held back; none once the component is known */
  bool holding;
  double *component; /* NULL: none is taken out */
} importing;

static bool wrong_line(importing *in, const char *what) {
  return st_problem_say(in->problem, "%s, line %lld: %s", in->lines.path, (long long)in->lines.number, what);
}

/* ---- A line ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static st_text without_blanks_behind(st_text line) {
  while (line.length && is_blank(line.bytes[line.length - 1])) line.length--;
  return line;
}

/* Take the last field off a line. */
static st_text last_field(st_text *line) {
  *line = without_blanks_behind(*line);
  size_t start = line->length;
  while (start && !is_blank(line->bytes[start - 1])) start--;
  st_text field = {line->bytes + start, line->length - start};
  line->length = start;
  return field;
}

static size_t count_fields(st_text line) {
  size_t count = 0;
  while (last_field(&line).length) count++;
  return count;
}

/* "400000 100": how many words, how many numbers. */
static bool is_head(st_text line, size_t *dimension) {
  int64_t words, numbers;
  st_text second = last_field(&line), first = last_field(&line);
  if (line.length || !first.length || !st_parse_int(first.bytes, first.length, &words) ||
      !st_parse_int(second.bytes, second.length, &numbers) || words < 1 || numbers < 1)
    return false;
  *dimension = (size_t)numbers;
  return true;
}

/* The numbers, from the last to the first, because a word may have blanks in it.  What remains is the word. */
static bool read_line(importing *in, st_text *line) {
  for (size_t i = in->dimension; i > 0; i--) {
    double number;
    st_text field = last_field(line);
    if (!field.length) return wrong_line(in, "it has fewer numbers than the first");
    if (!st_parse_real(field.bytes, field.length, &number) || fabs(number) > FLT_MAX) return wrong_line(in, "what should be a number is none");
    in->vector[i - 1] = (float)number;
  }
  *line = without_blanks_behind(*line);
  return line->length || wrong_line(in, "it has no word");
}

/* ---- Vectors ---- */

static float weight_of(const importing *in, size_t rank) {
  return in->options->sif > 0 ? (float)st_zipf_weight(rank, in->options->sif) : 1;
}

static bool put(importing *in, float *vector) {
  if (in->component) st_component_remove(in->component, vector, in->dimension);
  return st_model_write_row(&in->writer, vector);
}

/* The component of what was held back, and all of that without it. */
static bool let_go(importing *in) {
  in->holding = false;
  if (!in->count) return true;
  if (!st_component_find(in->held, in->weights, in->probabilities, in->count, in->dimension, in->component)) {
    st_free(in->component);
    in->component = NULL;
  }
  for (size_t i = 0; i < in->count; i++)
    if (!put(in, in->held + i * in->dimension)) return false;
  return true;
}

static bool hold(importing *in, size_t rank) {
  memcpy(in->held + in->count * in->dimension, in->vector, in->dimension * sizeof *in->held);
  in->weights[in->count] = weight_of(in, rank);
  in->probabilities[in->count] = st_zipf_probability(rank);
  return ++in->count < ST_COMPONENT_WORDS || let_go(in);
}

static bool take(importing *in, st_text word) {
  char folded[ST_TOKEN_MAX];
  size_t rank = in->rank++, length = st_words_fold(word.bytes, word.length, folded);
  bool is_new = false;
  uint32_t row = (uint32_t)(in->writer.header.tokens); /* a token, a row */
  if (length && !st_model_write_token(&in->writer, folded, length, row, weight_of(in, rank), &is_new)) return false;
  if (!is_new) {
    in->out->left_out++;
    return true;
  }
  in->out->tokens++;
  return in->holding ? hold(in, rank) : put(in, in->vector);
}

/* ---- The whole ---- */

static bool begin(importing *in, const char *to) {
  size_t numbers = in->dimension;
  if (!st_model_write_begin(&in->writer, to, in->options->name, in->dimension, ST_MODEL_WORDS, in->problem)) return false;
  in->writing = true;
  in->holding = in->options->component;
  in->vector = st_alloc(numbers * sizeof *in->vector);
  if (!in->vector) return st_problem_nomem(in->problem);
  if (!in->holding) return true;
  in->held = st_alloc(ST_COMPONENT_WORDS * numbers * sizeof *in->held);
  in->weights = st_alloc(ST_COMPONENT_WORDS * sizeof *in->weights);
  in->probabilities = st_alloc(ST_COMPONENT_WORDS * sizeof *in->probabilities);
  in->component = st_alloc(ST_COMPONENT_ROOM * numbers * sizeof *in->component);
  return (in->held && in->weights && in->probabilities && in->component) || st_problem_nomem(in->problem);
}

static bool read_all(importing *in, const char *to) {
  const st_import_options *o = in->options;
  st_text line;
  while (st_import_lines_next(&in->lines, &line, in->problem)) {
    if (in->lines.number == 1 && is_head(line, &in->dimension)) continue;
    if (!in->dimension) in->dimension = count_fields(line) ? count_fields(line) - 1 : 0;
    if (!in->writing && !begin(in, to)) return false;
    if (o->stopped && in->lines.number % ASK_EVERY == 0 && o->stopped(o->user, in->lines.number))
      return st_problem_say(in->problem, "stopped");
    if (!read_line(in, &line) || !take(in, line)) return false;
  }
  if (!in->writing) st_problem_say(in->problem, "%s has no vectors", in->lines.path);
  return !in->problem->text[0] && (!in->holding || let_go(in));
}

bool st_import_vectors(const char *from, const char *to, const st_import_options *options, st_imported *out,
                       st_problem *problem) {
  importing in = {.options = options, .out = out, .problem = problem};
  *out = (st_imported){0};
  if (!st_import_lines_open(&in.lines, from, problem)) return false;
  bool good = read_all(&in, to);
  if (in.writing) good = st_model_write_end(&in.writer, good);
  st_import_lines_close(&in.lines);
  st_free(in.vector);
  st_free(in.held);
  st_free(in.weights);
  st_free(in.probabilities);
  st_free(in.component);
  return good;
}
