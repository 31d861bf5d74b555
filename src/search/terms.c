/* terms.c - see terms.h.
**
** All words of a query that are whole are asked for at once, with their places where they are in a phrase.  Of a phrase only some of its
** words are read (beside.h).  Beginnings of words, and what is looked for inside of words, are asked for one by one. */
#include "search/terms.h"

#include <stdlib.h>
#include <string.h>

#include "registry_ids.h"
#include "search/beside.h"
#include "search/inside.h"
#include "search/words_with.h"

#define BYTES_MAX ((size_t)1 << 30)
#define FIRST_ROOM 16

/* A word as it is in all parts of the index. */
typedef struct found_word {
  const char *text;
  double rows, room; /* that have it; bytes of places */
  const char *packed, *places, *beside;
  size_t packed_length, places_length, beside_length;
} found_word;

typedef struct found_words {
  found_word *all; /* in the order of their bytes */
  size_t count, room;
} found_words;

typedef struct reader {
  st_call *call;
  st_arena *arena;
  int64_t part;
  st_common common;
  st_str packed, places, beside; /* of the word at hand, of all parts so far */
} reader;

/* What is read of a word besides its rows. */
typedef struct more {
  bool places, beside;
} more;

static void no_memory(st_call *call) { st_fail(call, STELE_NOMEM, NULL, "out of memory"); }

static void *need(reader *r, size_t size) {
  void *found = st_ok(r->call) ? st_arena_alloc(r->arena, size ? size : 1) : NULL;
  if (!found) no_memory(r->call);
  return found;
}

/* ---- Reading words ---- */

static found_word *add_word(reader *r, found_words *words, const char *text, size_t length) {
  if (words->count == words->room) {
    size_t room = 2 * words->room + FIRST_ROOM;
    found_word *grown = need(r, room * sizeof *grown);
    if (!grown) return NULL;
    if (words->count) memcpy(grown, words->all, words->count * sizeof *grown);
    words->all = grown;
    words->room = room;
  }
  found_word *word = &words->all[words->count++];
  *word = (found_word){.text = st_arena_copy(r->arena, text, length)};
  if (!word->text) no_memory(r->call);
  return st_ok(r->call) ? word : NULL;
}

static const char *keep(reader *r, const st_str *bytes, size_t *length) {
  const char *kept = bytes->failed ? NULL : st_arena_copy(r->arena, bytes->text ? bytes->text : "", bytes->length);
  *length = bytes->length;
  if (!kept) no_memory(r->call);
  return kept;
}

/* All parts of the last word have been read. */
static void end_word(reader *r, found_words *words) {
  if (words->count == 0 || !st_ok(r->call)) return;
  found_word *word = &words->all[words->count - 1];
  word->packed = keep(r, &r->packed, &word->packed_length);
  word->places = keep(r, &r->places, &word->places_length);
  word->beside = keep(r, &r->beside, &word->beside_length);
  st_str_clear(&r->packed);
  st_str_clear(&r->places);
  st_str_clear(&r->beside);
}

/* Both methods that are read here have the same results. */
static void read_part(reader *r, st_rows *rows, found_words *words) {
  st_value v[ST_R_CONVERSATION_POSTINGS_OF_ROOM + 1];
  for (size_t i = 0; i < sizeof v / sizeof *v; i++) st_rows_value(r->call, rows, i, &v[i]);
  const st_value *text = &v[ST_R_CONVERSATION_POSTINGS_OF_WORD];
  const st_value *packed = &v[ST_R_CONVERSATION_POSTINGS_OF_PACKED], *places = &v[ST_R_CONVERSATION_POSTINGS_OF_PLACES];
  const st_value *beside = &v[ST_R_CONVERSATION_POSTINGS_OF_BESIDE];
  found_word *word = words->count ? &words->all[words->count - 1] : NULL;
  if (!word || strcmp(word->text, text->bytes) != 0) {
    end_word(r, words);
    word = st_ok(r->call) ? add_word(r, words, text->bytes, text->length) : NULL;
  }
  if (!word) return;
  word->rows += (double)v[ST_R_CONVERSATION_POSTINGS_OF_ROWS].integer;
  word->room += (double)v[ST_R_CONVERSATION_POSTINGS_OF_ROOM].integer;
  st_str_add(&r->packed, packed->bytes, packed->length);
  if (places->type == ST_BLOB) st_str_add(&r->places, places->bytes, places->length);
  if (beside->type == ST_BLOB) st_str_add(&r->beside, beside->bytes, beside->length);
}

static found_words read_words(reader *r, int method, const st_value *args) {
  found_words words = {0};
  st_rows rows;
  st_str_init(&r->packed, BYTES_MAX);
  st_str_init(&r->places, BYTES_MAX);
  st_str_init(&r->beside, BYTES_MAX);
  st_rows_start(r->call, &rows, method, args);
  while (st_rows_next(r->call, &rows)) read_part(r, &rows, &words);
  st_rows_end(r->call, &rows);
  end_word(r, &words);
  st_str_free(&r->packed);
  st_str_free(&r->places);
  st_str_free(&r->beside);
  if (!st_ok(r->call)) words.count = 0;
  return words;
}

static found_words read_list(reader *r, const st_value *words, size_t count, more wanted) {
  st_value args[] = {{.type = ST_LIST, .items = words, .count = (uint32_t)count, .width = 1}, st_bool(wanted.places), st_bool(wanted.beside),
                     st_int(r->part)};
  found_words none = {0};
  return count ? read_words(r, STELE_M_CONVERSATION_POSTINGS_OF, args) : none;
}

static found_words read_beginning(reader *r, const st_query_token *token, bool placed) {
  st_value args[] = {st_textz(token->text), st_bool(placed), st_int(r->part)};
  return read_words(r, STELE_M_CONVERSATION_POSTINGS_FROM, args);
}

static int by_text(const void *text, const void *word) { return strcmp(text, ((const found_word *)word)->text); }

/* NULL: no row has it. */
static const found_word *find_word(const found_words *words, const char *text) {
  return words->count ? bsearch(text, words->all, words->count, sizeof *words->all, by_text) : NULL;
}

static void start(const found_word *word, st_occurrences *out) {
  found_word none = {0}, from = word ? *word : none;
  st_occurrences_start(out, from.packed, from.packed_length, from.places, from.places_length);
  st_occurrences_with_beside(out, from.beside, from.beside_length);
}

static st_occurrences *start_all(reader *r, const found_words *words) {
  st_occurrences *all = need(r, words->count * sizeof *all);
  for (size_t i = 0; all && i < words->count; i++) start(&words->all[i], &all[i]);
  return all;
}

/* ---- Terms ---- */

/* What was made of others is read as if it had been written. */
static void start_written(reader *r, st_occurrences_writer *writer, bool written, st_occurrences *out, double *rows) {
  found_word made = {.rows = (double)writer->count};
  if (!written) no_memory(r->call);
  if (st_ok(r->call)) made.packed = keep(r, &writer->rows, &made.packed_length);
  if (st_ok(r->call)) made.places = keep(r, &writer->places, &made.places_length);
  *rows = made.rows;
  start(st_ok(r->call) ? &made : NULL, out);
  st_occurrences_end(writer);
}

static void check_all(reader *r, const st_occurrences *all, size_t count) {
  for (size_t i = 0; i < count; i++) st_terms_check(r->call, &all[i]);
}

static void read_any(reader *r, const found_words *words, bool placed, st_occurrences *out, double *rows) {
  st_occurrences_writer writer;
  if (words->count == 1) {
    start(&words->all[0], out);
    *rows = words->all[0].rows;
    return;
  }
  st_occurrences *all = start_all(r, words);
  st_occurrences_begin(&writer);
  bool joined = all && st_join_any(r->arena, all, words->count, placed, &writer);
  if (joined) check_all(r, all, words->count);
  start_written(r, &writer, joined, out, rows);
}

/* Words that have the token inside, or end with it. */
static found_words read_inside(reader *r, const st_query_token *token, bool at_end) {
  st_words_with with = {.token = token, .at_end = at_end};
  st_words_with_find(r->call, r->arena, &with);
  return read_list(r, with.words, with.count, (more){.places = true});
}

/* What may stand for the i-th token of a term: itself, or, where its ends are open, what begins, ends or goes on with it. */
static found_words read_place(reader *r, const st_query *query, const st_term *term, int i) {
  const st_query_token *token = &term->tokens[i];
  bool first = i == 0, last = i == term->count - 1, part = query->inside && st_inside_is_part(token);
  st_value word = st_textz(token->text);
  if (part && first) return read_inside(r, token, !last);
  return last && (part || term->prefix) ? read_beginning(r, token, true) : read_list(r, &word, 1, (more){.places = true});
}

/* The words of a phrase that stand for themselves are read at once; `placed` has them. */
static void start_place(reader *r, const st_query *query, const st_term *term, int i, const found_words *placed, st_occurrences *out) {
  double rows;
  if (!query->inside && !(term->prefix && i == term->count - 1)) {
    start(find_word(placed, term->tokens[i].text), out);
    return;
  }
  found_words words = read_place(r, query, term, i);
  if (st_ok(r->call)) read_any(r, &words, true, out, &rows);
}

/* Of what is looked for inside of words all are read: its ends are open. */
static size_t plan_phrase(const reader *r, const st_query *query, const st_term *term, st_beside *out) {
  st_common none = {.count = 0};
  return st_beside_plan(query->inside ? &none : &r->common, term, out);
}

static st_join_word join_word(const st_beside *planned) {
  return (st_join_word){.offset = (uint32_t)planned->token, .before = planned->before, .behind = planned->behind};
}

static void read_phrase(reader *r, const st_query *query, const st_term *term, const found_words *placed, st_occurrences *out, double *rows) {
  st_join_word *words = need(r, (size_t)term->count * sizeof *words);
  st_beside *plan = need(r, (size_t)term->count * sizeof *plan);
  size_t count = plan ? plan_phrase(r, query, term, plan) : 0;
  st_occurrences_writer writer;
  for (size_t i = 0; i < count && st_ok(r->call); i++) {
    words[i] = join_word(&plan[i]);
    start_place(r, query, term, plan[i].token, placed, &words[i].of);
  }
  if (!st_ok(r->call)) return;
  st_occurrences_begin(&writer);
  bool joined = st_join_phrase(r->arena, words, count, query->inside ? ST_PLACES_OF_COLUMN : UINT32_MAX, &writer);
  for (size_t i = 0; i < count; i++) st_terms_check(r->call, &words[i].of);
  start_written(r, &writer, joined, out, rows);
}

static void read_term(reader *r, const st_query *query, const st_term *term, const found_words *whole, const found_words *placed,
                      st_terms *out) {
  st_occurrences *of = &out->of[term->number];
  double *rows = &out->rows[term->number];
  if (term->count > 1 || query->inside) {
    read_phrase(r, query, term, placed, of, rows);
  } else if (term->prefix) {
    found_words words = read_beginning(r, &term->tokens[0], false);
    read_any(r, &words, false, of, rows);
  } else {
    const found_word *word = find_word(whole, term->tokens[0].text);
    start(word, of);
    *rows = word ? word->rows : 0;
  }
}

/* ---- All of them ---- */

/* Words to be asked for at once, and what is to be read of them. */
typedef struct asked {
  st_value *words;
  size_t count;
  more wanted;
} asked;

static void ask_phrase(reader *r, const st_query *query, const st_term *term, asked *to) {
  st_beside *plan = need(r, (size_t)term->count * sizeof *plan);
  size_t count = plan ? plan_phrase(r, query, term, plan) : 0;
  to->wanted.places = to->wanted.places || count > 1;
  for (size_t i = 0; i < count; i++) {
    bool open = term->prefix && plan[i].token == term->count - 1;
    if (!open) to->words[to->count++] = st_textz(term->tokens[plan[i].token].text);
    to->wanted.beside = to->wanted.beside || plan[i].before || plan[i].behind;
  }
}

static void ask_all(reader *r, const st_query *query, asked *single, asked *phrases) {
  for (int i = 0; i < query->term_count && !query->inside; i++) {
    const st_term *term = &query->terms[i];
    if (term->count > 1) ask_phrase(r, query, term, phrases);
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
    else no_memory(call);
  }
  st_rows_end(call, &rows);
}

void st_terms_read(st_call *call, st_arena *arena, const st_query *query, int64_t part, st_terms *out) {
  reader r = {.call = call, .arena = arena, .part = part};
  size_t tokens = 0;
  for (int i = 0; i < query->term_count; i++) tokens += (size_t)query->terms[i].count;
  asked single = {.words = need(&r, tokens * sizeof *single.words)}, phrases = {.words = need(&r, tokens * sizeof *phrases.words)};
  if (st_ok(call) && has_phrase(query)) st_terms_common(call, arena, &r.common);
  if (!st_ok(call)) return;
  ask_all(&r, query, &single, &phrases);
  found_words whole = read_list(&r, single.words, single.count, single.wanted);
  found_words placed = read_list(&r, phrases.words, phrases.count, phrases.wanted);
  for (int i = 0; i < query->term_count && st_ok(call); i++) read_term(&r, query, &query->terms[i], &whole, &placed, out);
}

size_t st_terms_words(st_call *call, st_arena *arena, const st_term *term, st_join_word *out, double *room) {
  reader r = {.call = call, .arena = arena};
  st_value *words = need(&r, (size_t)term->count * sizeof *words);
  st_beside *plan = need(&r, (size_t)term->count * sizeof *plan);
  *room = 0;
  if (st_ok(call)) st_terms_common(call, arena, &r.common);
  size_t count = st_ok(call) ? st_beside_plan(&r.common, term, plan) : 0;
  for (size_t i = 0; i < count; i++) words[i] = st_textz(term->tokens[plan[i].token].text);
  found_words found = read_list(&r, words, count, (more){0});
  for (size_t i = 0; i < count && st_ok(call); i++) {
    out[i] = join_word(&plan[i]);
    start(find_word(&found, words[i].bytes), &out[i].of);
  }
  for (size_t i = 0; i < found.count; i++) *room += found.all[i].room;
  return count;
}

size_t st_terms_list(st_call *call, st_arena *arena, const st_value *words, size_t count, int64_t part, st_occurrences *out) {
  reader r = {.call = call, .arena = arena, .part = part};
  found_words found = read_list(&r, words, count, (more){0});
  for (size_t i = 0; i < found.count; i++) start(&found.all[i], &out[i]);
  return found.count;
}

void st_terms_check(st_call *call, const st_occurrences *of) {
  if (of->broken) st_terms_damaged(call);
}

void st_terms_damaged(st_call *call) {
  st_fail(call, STELE_CORRUPT, NULL, "the search index of messages is damaged");
  st_hint(call, "call conversation.index_messages with rebuild, which makes it anew");
}
