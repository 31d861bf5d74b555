/* fuzz_question.c - any text as a question: it has a query, whose groups are its terms, one after another. */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz/target.h"
#include "search/question.h"

static void check(const st_question *question) {
  int terms = 0;
  if (question->ngroups > ST_QUESTION_GROUPS || question->query->term_count > ST_QUERY_TERMS_MAX) abort();
  for (int i = 0; i < question->ngroups; i++) {
    if (question->groups[i].first != terms || question->groups[i].count < 1) abort();
    terms += question->groups[i].count;
  }
  if (terms != question->query->term_count || (terms == 0) != (question->query->root->kind == ST_QUERY_EMPTY)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  st_arena arena;
  st_str written;
  st_arena_init(&arena, 64 << 20);
  st_str_init(&written, 1 << 20);
  st_question_is(text, size);
  const st_question *question = st_question_read(&arena, text, size);
  if (!question) abort();
  check(question);
  st_query_fts5(question->query, &written);
  if (written.failed) abort();
  st_str_free(&written);
  st_arena_free(&arena);
  return 0;
}
