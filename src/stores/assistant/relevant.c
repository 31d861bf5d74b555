/* relevant.c - articles that have tags in common with what is talked about. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/token.h"
#include "registry_ids.h"
#include "stores/assistant/assistant.h"

/* ---- The words that are talked about ---- */

typedef struct words {
  st_call *call;
  st_text *all; /* sorted once they are complete */
  size_t count, room;
} words;

static int compare_words(const void *a, const void *b) {
  return st_text_compare(*(const st_text *)a, *(const st_text *)b);
}

static bool add_word(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  words *w = to;
  (void)start, (void)end, (void)kind;
  if (w->count == w->room) {
    size_t room = w->room ? w->room * 2 : 64;
    st_text *more = st_call_alloc(w->call, room * sizeof *more);
    if (!more) return false;
    if (w->count) memcpy(more, w->all, w->count * sizeof *more);
    w->all = more;
    w->room = room;
  }
  w->all[w->count++] = (st_text){st_call_copy(w->call, token, length), length};
  return st_ok(w->call);
}

static void add_text(words *w, int param) {
  const st_value *text = &w->call->args[param];
  if (text->type == ST_TEXT) st_tokenize(text->bytes, text->length, add_word, w);
}

/* ---- The tags of an article ---- */

typedef struct tag {
  const words *among;
  bool any, all; /* it has words; all of them are there */
} tag;

static bool look_up(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  tag *t = to;
  st_text word = {token, length};
  (void)start, (void)end, (void)kind;
  t->any = true;
  t->all = bsearch(&word, t->among->all, t->among->count, sizeof word, compare_words) != NULL;
  return t->all;
}

static int64_t count_common(const st_value *tags, const words *among) {
  const char *at = tags->bytes, *end = at + (tags->type == ST_TEXT ? tags->length : 0);
  int64_t common = 0;
  while (tags->type == ST_TEXT && at < end) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    tag one = {.among = among};
    st_tokenize(at, (size_t)((comma ? comma : end) - at), look_up, &one);
    common += one.any && one.all;
    at = comma ? comma + 1 : end;
  }
  return common;
}

/* ---- Ranking ---- */

typedef struct article {
  st_row *row;
  size_t place; /* among all, the newest first */
} article;

static int64_t overlap_of(const article *one) {
  return one->row->values[ST_R_ASSISTANT_FIND_RELEVANT_READ_LATER_OVERLAP].integer;
}

static int compare_articles(const void *a, const void *b) {
  const article *one = a, *other = b;
  int64_t mine = overlap_of(one), theirs = overlap_of(other);
  if (mine != theirs) return mine > theirs ? -1 : 1;
  return one->place < other->place ? -1 : 1;
}

/* Of the reply's rows the best, best first. */
static void rank(st_call *call, size_t count, size_t limit) {
  article *all = st_call_alloc(call, count * sizeof *all);
  if (!all) return;
  st_row *row = call->first;
  for (size_t i = 0; i < count; i++, row = row->next) all[i] = (article){row, i};
  qsort(all, count, sizeof *all, compare_articles);
  st_row **end = &call->first;
  for (size_t i = 0; i < count && i < limit; i++) {
    *end = call->last = all[i].row;
    end = &all[i].row->next;
  }
  *end = NULL;
}

static size_t reply_articles(st_call *call, const words *among) {
  st_value args[3], tags;
  size_t count = 0;
  st_rows rows;
  args[ST_P_ASSISTANT_LIST_READ_LATER_INCLUDE_READ] = call->args[ST_P_ASSISTANT_FIND_RELEVANT_READ_LATER_INCLUDE_READ];
  args[ST_P_ASSISTANT_LIST_READ_LATER_LIMIT] = st_int(-1);
  args[ST_P_ASSISTANT_LIST_READ_LATER_OFFSET] = st_int(0);
  st_rows_stream(call, &rows, STELE_M_ASSISTANT_LIST_READ_LATER, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_ASSISTANT_LIST_READ_LATER_TAGS, &tags);
    int64_t overlap = count_common(&tags, among);
    st_value *reply = overlap ? st_reply_read(call, &rows, ST_ALL_COLUMNS) : NULL;
    if (!reply) continue;
    reply[ST_R_ASSISTANT_FIND_RELEVANT_READ_LATER_OVERLAP] = st_int(overlap);
    count++;
  }
  st_rows_end(call, &rows);
  return count;
}

void st_assistant_find_relevant_read_later(st_call *call) {
  words among = {.call = call};
  if (!st_has(call, ST_P_ASSISTANT_FIND_RELEVANT_READ_LATER_TEXT) &&
      !st_has(call, ST_P_ASSISTANT_FIND_RELEVANT_READ_LATER_TAGS))
    st_fail(call, STELE_INVALID, "text", "text or tags must be given");
  add_text(&among, ST_P_ASSISTANT_FIND_RELEVANT_READ_LATER_TEXT);
  add_text(&among, ST_P_ASSISTANT_FIND_RELEVANT_READ_LATER_TAGS);
  if (!st_ok(call) || among.count == 0) return;
  qsort(among.all, among.count, sizeof *among.all, compare_words);
  size_t count = reply_articles(call, &among);
  if (count > 0) rank(call, count, (size_t)st_arg_int(call, ST_P_ASSISTANT_FIND_RELEVANT_READ_LATER_LIMIT));
}
