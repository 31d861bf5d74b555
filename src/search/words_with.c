/* words_with.c - see words_with.h. */
#include "search/words_with.h"

#include <string.h>

#include "base/token.h"
#include "registry_ids.h"
#include "search/inside.h"

#define FIRST_ROOM 64

/* Every three characters that stand together, as the index has them of its words. */
static uint32_t list_grams(const st_query_token *token, st_value *grams) {
  size_t starts[ST_TOKEN_MAX + 1], count = 0;
  for (size_t i = 0; i < token->length && count < ST_TOKEN_MAX; i++)
    if (((unsigned char)token->text[i] & 0xC0) != 0x80) starts[count++] = i;
  starts[count] = token->length;
  for (size_t i = 0; i + ST_INSIDE_CHARACTERS <= count; i++)
    grams[i] = (st_value){.type = ST_TEXT, .bytes = token->text + starts[i], .length = starts[i + ST_INSIDE_CHARACTERS] - starts[i]};
  return count < ST_INSIDE_CHARACTERS ? 0 : (uint32_t)(count - ST_INSIDE_CHARACTERS + 1);
}

static bool ends_with(const st_value *word, const st_query_token *token) {
  return word->length >= token->length && !memcmp(word->bytes + word->length - token->length, token->text, token->length);
}

static void add(st_call *call, st_arena *arena, st_words_with *with, const st_value *word) {
  if (with->count == with->room) {
    size_t room = 2 * with->room + FIRST_ROOM;
    st_value *grown = st_arena_alloc(arena, room * sizeof *grown);
    if (grown && with->count) memcpy(grown, with->words, with->count * sizeof *grown);
    with->words = grown ? grown : with->words;
    with->room = grown ? room : with->room;
  }
  const char *copy = with->count < with->room ? st_arena_copy(arena, word->bytes, word->length) : NULL;
  if (!copy) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  else with->words[with->count++] = (st_value){.type = ST_TEXT, .bytes = copy, .length = word->length};
}

void st_words_with_find(st_call *call, st_arena *arena, st_words_with *with) {
  st_value grams[ST_TOKEN_MAX], word;
  st_value args[] = {{.type = ST_TEXT, .bytes = with->token->text, .length = with->token->length},
                     {.type = ST_LIST, .items = grams, .count = list_grams(with->token, grams), .width = 1}};
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_WORDS_WITH, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, 0, &word);
    if (!with->at_end || ends_with(&word, with->token)) add(call, arena, with, &word);
  }
  st_rows_end(call, &rows);
}
