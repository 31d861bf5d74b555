/* terms.c - see terms.h.
**
** All words of a query that are whole are asked for at once, with their places where they are in a phrase.  Of a phrase only some of its
** words are read (beside.h).  Beginnings of words are asked for one by one. */
#include "search/terms.h"

#include "registry_ids.h"
#include "search/beside.h"
#include "search/index_words.h"

typedef struct reader {
  st_words_reader words;
  st_common common;
} reader;

/* The words of a phrase that stand for themselves are read at once; `placed` has them. */
static void start_place(reader *r, const st_term *term, int i, const st_words *placed, st_occurrences *out) {
  double rows;
  if (!(term->prefix && i == term->count - 1)) {
    st_words_start(st_words_find(placed, term->tokens[i].text), out);
    return;
  }
  st_words words = st_words_beginning(&r->words, &term->tokens[i], true);
  if (st_ok(r->words.call)) st_words_any(&r->words, &words, true, out, &rows);
}

static st_join_word join_word(const st_beside *planned) {
  return (st_join_word){.offset = (uint32_t)planned->token, .before = planned->before, .behind = planned->behind};
}

static void read_phrase(reader *r, const st_term *term, const st_words *placed, st_occurrences *out, double *rows) {
  st_join_word *words = st_words_need(&r->words, (size_t)term->count * sizeof *words);
  st_beside *plan = st_words_need(&r->words, (size_t)term->count * sizeof *plan);
  size_t count = plan ? st_beside_plan(&r->common, term, plan) : 0;
  st_occurrences_writer writer;
  st_join join;
  for (size_t i = 0; i < count && st_ok(r->words.call); i++) {
    words[i] = join_word(&plan[i]);
    start_place(r, term, plan[i].token, placed, &words[i].of);
  }
  if (!st_ok(r->words.call)) return;
  st_occurrences_begin(&writer);
  st_join_start(&join, r->words.arena, words, count);
  bool joined = st_join_phrase(&join, &writer);
  for (size_t i = 0; i < count; i++) st_words_check(r->words.call, &words[i].of);
  st_words_made(&r->words, &writer, joined, out, rows);
}

static void read_term(reader *r, const st_term *term, const st_words *whole, const st_words *placed, st_terms *out) {
  st_occurrences *of = &out->of[term->number];
  double *rows = &out->rows[term->number];
  if (term->count > 1) {
    read_phrase(r, term, placed, of, rows);
  } else if (term->prefix) {
    st_words words = st_words_beginning(&r->words, &term->tokens[0], false);
    st_words_any(&r->words, &words, false, of, rows);
  } else {
    const st_index_word *word = st_words_find(whole, term->tokens[0].text);
    st_words_start(word, of);
    *rows = word ? word->rows : 0;
  }
}

/* ---- All of them ---- */

/* Words to be asked for at once, and what is to be read of them. */
typedef struct asked {
  st_value *words;
  size_t count;
  st_words_more wanted;
} asked;

static void ask_phrase(reader *r, const st_term *term, asked *to) {
  st_beside *plan = st_words_need(&r->words, (size_t)term->count * sizeof *plan);
  size_t count = plan ? st_beside_plan(&r->common, term, plan) : 0;
  to->wanted.places = to->wanted.places || count > 1;
  for (size_t i = 0; i < count; i++) {
    bool open = term->prefix && plan[i].token == term->count - 1;
    if (!open) to->words[to->count++] = st_textz(term->tokens[plan[i].token].text);
    to->wanted.beside = to->wanted.beside || plan[i].before || plan[i].behind;
  }
}

static void ask_all(reader *r, const st_query *query, asked *single, asked *phrases) {
  for (int i = 0; i < query->term_count; i++) {
    const st_term *term = &query->terms[i];
    if (term->count > 1) ask_phrase(r, term, phrases);
    else if (!term->prefix) single->words[single->count++] = st_textz(term->tokens[0].text);
  }
}

static bool has_phrase(const st_query *query) {
  for (int i = 0; i < query->term_count; i++)
    if (query->terms[i].count > 1) return true;
  return false;
}

void st_terms_common(st_call *call, st_arena *arena, st_common *out) {
  st_value word;
  st_rows rows;
  out->count = 0;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_LIST_COMMON, NULL);
  while (st_rows_next(call, &rows) && out->count < ST_COMMON_MAX) {
    st_rows_value(call, &rows, 0, &word);
    const char *copy = st_arena_copy(arena, word.bytes, word.length);
    if (copy) out->words[out->count++] = copy;
    else st_fail(call, STELE_NOMEM, NULL, "out of memory");
  }
  st_rows_end(call, &rows);
}

void st_terms_read(st_call *call, st_arena *arena, const st_query *query, int64_t part, st_terms *out) {
  reader r = {.words = {.call = call, .arena = arena, .parts = ST_PARTS_FROM(part)}};
  size_t tokens = 0;
  for (int i = 0; i < query->term_count; i++) tokens += (size_t)query->terms[i].count;
  asked single = {.words = st_words_need(&r.words, tokens * sizeof *single.words)}, phrases = {.words = st_words_need(&r.words, tokens * sizeof *phrases.words)};
  if (st_ok(call) && has_phrase(query)) st_terms_common(call, arena, &r.common);
  if (!st_ok(call)) return;
  ask_all(&r, query, &single, &phrases);
  st_words whole = st_words_list(&r.words, single.words, single.count, single.wanted);
  st_words placed = st_words_list(&r.words, phrases.words, phrases.count, phrases.wanted);
  for (int i = 0; i < query->term_count && st_ok(call); i++) read_term(&r, &query->terms[i], &whole, &placed, out);
}

size_t st_terms_words(st_call *call, st_arena *arena, const st_term *term, st_join_word *out, double *room) {
  reader r = {.words = {.call = call, .arena = arena, .parts = ST_PARTS_FROM(0)}};
  st_value *words = st_words_need(&r.words, (size_t)term->count * sizeof *words);
  st_beside *plan = st_words_need(&r.words, (size_t)term->count * sizeof *plan);
  *room = 0;
  if (st_ok(call)) st_terms_common(call, arena, &r.common);
  size_t count = st_ok(call) ? st_beside_plan(&r.common, term, plan) : 0;
  for (size_t i = 0; i < count; i++) words[i] = st_textz(term->tokens[plan[i].token].text);
  st_words found = st_words_list(&r.words, words, count, (st_words_more){0});
  for (size_t i = 0; i < count && st_ok(call); i++) {
    out[i] = join_word(&plan[i]);
    st_words_start(st_words_find(&found, words[i].bytes), &out[i].of);
  }
  for (size_t i = 0; i < found.count; i++) *room += found.all[i].room;
  return count;
}

size_t st_terms_list(st_call *call, st_arena *arena, const st_value *words, size_t count, int64_t part, st_occurrences *out) {
  reader r = {.words = {.call = call, .arena = arena, .parts = ST_PARTS_FROM(part)}};
  st_words found = st_words_list(&r.words, words, count, (st_words_more){0});
  for (size_t i = 0; i < found.count; i++) st_words_start(&found.all[i], &out[i]);
  return found.count;
}
