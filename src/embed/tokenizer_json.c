/* tokenizer_json.c - see tokenizer_json.h. */
#include "embed/tokenizer_json.h"

#include <string.h>

#include "embed/model_format.h"
#include "embed/wordpiece.h"

#define WORD_MAX 100 /* if it is not said */
#define TOKEN_MAX ((size_t)1 << 20)

static bool is_true(st_text value, bool otherwise) {
  return value.bytes && !st_text_is(value, "null") ? st_pull_true(value) : otherwise;
}

/* Is a part of the tokenizer of the one kind that is known here? */
static bool is_kind(st_text part, const char *what, const char *kind, st_problem *problem) {
  st_text type = st_pull_get(part, "type");
  if (st_pull_is(type, kind)) return true;
  bool said = st_pull_is_string(type) && type.length < 60;
  return st_problem_say(problem, "the tokenizer has the %s %.*s: only %s is known here", what, said ? (int)type.length : 4,
                        said ? type.bytes : "none", kind);
}

static bool read_normalizer(st_tokenizer *t, st_text part, st_problem *problem) {
  st_text clean = {0}, ideographs = {0}, accents = {0}, lower = {0};
  if (!is_kind(part, "normalizer", "BertNormalizer", problem)) return false;
  st_pull_pick(part, (st_pull_want[]){{"clean_text", &clean}, {"handle_chinese_chars", &ideographs},
                                      {"strip_accents", &accents}, {"lowercase", &lower}}, 4);
  bool lowers = is_true(lower, true);
  if (is_true(clean, true)) t->flags |= ST_MODEL_CLEAN;
  if (is_true(ideographs, true)) t->flags |= ST_MODEL_IDEOGRAPHS;
  if (lowers) t->flags |= ST_MODEL_LOWER;
  if (is_true(accents, lowers)) t->flags |= ST_MODEL_ACCENTS;
  return true;
}

static bool read_model(st_tokenizer *t, st_text part, st_problem *problem) {
  st_text prefix = {0}, most = {0}, vocabulary = {0};
  if (!is_kind(part, "model", "WordPiece", problem)) return false;
  st_pull_pick(part, (st_pull_want[]){{"continuing_subword_prefix", &prefix}, {"max_input_chars_per_word", &most}, {"vocab", &vocabulary}}, 3);
  int64_t word_max = most.bytes ? st_pull_int(most, -1) : WORD_MAX;
  if (prefix.bytes && !st_pull_is(prefix, "##")) return st_problem_say(problem, "the tokenizer's pieces go on with something else than ##");
  if (word_max < 1 || word_max > ST_WORDPIECE_WORD_MAX)
    return st_problem_say(problem, "the tokenizer takes words of %lld characters: 1 to %d are known here", (long long)word_max, ST_WORDPIECE_WORD_MAX);
  if (!st_pull_is_object(vocabulary)) return st_problem_say(problem, "the tokenizer has no vocabulary");
  t->word_max = (uint32_t)word_max;
  t->vocabulary = st_pull_into(vocabulary);
  return true;
}

bool st_tokenizer_begin(st_tokenizer *t, st_text json, st_problem *problem) {
  st_text model = {0}, normalizer = {0}, words = {0};
  *t = (st_tokenizer){0};
  st_arena_init(&t->arena, TOKEN_MAX);
  if (!json.length || !st_pull_skip(json.bytes, json.bytes + json.length, NULL)) return st_problem_say(problem, "it is not JSON");
  while (json.length && strchr(" \t\r\n", *json.bytes)) json = (st_text){json.bytes + 1, json.length - 1};
  st_pull_pick(json, (st_pull_want[]){{"model", &model}, {"normalizer", &normalizer}, {"pre_tokenizer", &words}}, 3);
  return read_model(t, model, problem) && read_normalizer(t, normalizer, problem) &&
         is_kind(words, "pre_tokenizer", "BertPreTokenizer", problem);
}

bool st_tokenizer_next(st_tokenizer *t, st_text *token, int64_t *number, st_problem *problem) {
  if (!st_pull_next(&t->vocabulary)) return false;
  st_arena_reset(&t->arena);
  if (!st_pull_text(&t->arena, t->vocabulary.name, token)) return st_problem_nomem(problem);
  *number = st_pull_int(t->vocabulary.value, -1);
  return *number >= 0 || st_problem_say(problem, "a token of the vocabulary has no number");
}

void st_tokenizer_end(st_tokenizer *t) {
  st_arena_free(&t->arena);
}
