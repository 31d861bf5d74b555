/* sayings.c - see sayings.h. */
#include "stores/planner/sayings.h"

#include <stdlib.h>
#include <string.h>

#include "base/token.h"

#define WORDS_MAX (16u << 20) /* bytes of a fact */

static bool add_token(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  st_str *out = to;
  (void)start, (void)end, (void)kind;
  if (out->length) st_str_addc(out, ' ');
  st_str_add(out, token, length);
  return !out->failed;
}

void st_planner_words(st_call *call, const st_value *text, st_str *out) {
  st_str_clear(out);
  st_tokenize(text->bytes, text->length, add_token, out);
  if (out->failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
}

static bool grow(st_call *call, st_sayings *of) {
  size_t room = of->room ? of->room * 2 : 64;
  st_saying *items = st_call_alloc(call, room * sizeof *items);
  if (!items) return false;
  if (of->count) memcpy(items, of->items, of->count * sizeof *items);
  of->items = items;
  of->room = room;
  return true;
}

void st_planner_add_saying(st_call *call, st_sayings *to, st_saying saying) {
  st_str words;
  st_str_init(&words, WORDS_MAX);
  st_planner_words(call, &saying.text, &words);
  if (words.length > 0 && (to->count < to->room || grow(call, to))) {
    saying.words = st_call_copy(call, words.text, words.length);
    saying.text = st_call_text(call, saying.text.bytes, saying.text.length);
    if (st_ok(call)) to->items[to->count++] = saying;
  }
  st_str_free(&words);
}

/* Below 0, 0, above 0: by group, then by words. */
static int compare_words(const st_saying *a, const st_saying *b) {
  int order = strcmp(a->among, b->among);
  return order ? order : strcmp(a->words, b->words);
}

static int compare(const void *left, const void *right) {
  const st_saying *a = left, *b = right;
  int order = compare_words(a, b);
  if (order) return order;
  if (a->confidence != b->confidence) return a->confidence > b->confidence ? -1 : 1;
  order = strcmp(a->session, b->session);
  return order ? order : (a->id > b->id) - (a->id < b->id);
}

void st_planner_sort_sayings(st_sayings *of) {
  if (of->count) qsort(of->items, of->count, sizeof *of->items, compare);
}

size_t st_planner_same_until(const st_sayings *of, size_t from) {
  size_t end = from + 1;
  while (end < of->count && compare_words(&of->items[from], &of->items[end]) == 0) end++;
  return end;
}
