/* tokenizer_json.h - tokenizer.json, as the tokenizers library of Hugging Face writes it: WordPiece in the manner of
** BERT.  Any other is refused by its name. */
#ifndef ST_TOKENIZER_JSON_H
#define ST_TOKENIZER_JSON_H

#include <stdint.h>

#include "base/json_pull.h"
#include "base/problem.h"

typedef struct st_tokenizer {
  uint32_t flags;    /* ST_MODEL_CLEAN, ... */
  uint32_t word_max; /* characters */
  st_pull vocabulary;
  st_arena arena;    /* of the last token */
} st_tokenizer;

/* Read it; its text must live on.  False: the problem says why. */
bool st_tokenizer_begin(st_tokenizer *tokenizer, st_text json, st_problem *problem);

/* The next token of the vocabulary and its number, valid until the next one.  False: there are no more, or the
** problem says what is wrong. */
bool st_tokenizer_next(st_tokenizer *tokenizer, st_text *token, int64_t *number, st_problem *problem);

void st_tokenizer_end(st_tokenizer *tokenizer);

#endif
