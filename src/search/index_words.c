/* index_words.c - see index_words.h. */
#include "search/index_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/token.h"
#include "registry_ids.h"
#include "search/join.h"

#define FIRST_ROOM 16
#define ROLE "\x02" /* no word begins so */

static void no_memory(st_call *call) { st_fail(call, STELE_NOMEM, NULL, "out of memory"); }

void *st_words_need(st_words_reader *r, size_t size) {
  void *found = st_ok(r->call) ? st_arena_alloc(r->arena, size ? size : 1) : NULL;
  if (!found) no_memory(r->call);
  return found;
}

/* ---- Reading words ---- */

static st_index_word *add_word(st_words_reader *r, st_words *words, const char *text, size_t length) {
  if (words->count == words->room) {
    size_t room = 2 * words->room + FIRST_ROOM;
    st_index_word *grown = st_words_need(r, room * sizeof *grown);
    if (!grown) return NULL;
    if (words->count) memcpy(grown, words->all, words->count * sizeof *grown);
    words->all = grown;
    words->room = room;
  }
  st_index_word *word = &words->all[words->count++];
  *word = (st_index_word){.text = st_arena_copy(r->arena, text, length)};
  if (!word->text) no_memory(r->call);
  return st_ok(r->call) ? word : NULL;
}

/* Put a part behind those before it, where there is room for what all parts have; nothing, if it was not asked for. */
static void append(st_words_reader *r, char **to, size_t *length, const st_value *bytes, const st_value *all) {
  if (bytes->type != ST_BLOB || bytes->length == 0 || !st_ok(r->call)) return;
  if ((int64_t)bytes->length > all->integer - (int64_t)*length) {
    st_words_damaged(r->call);
    return;
  }
  if (!*to) *to = st_words_need(r, (size_t)all->integer);
  if (!*to) return;
  memcpy(*to + *length, bytes->bytes, bytes->length);
  *length += bytes->length;
}

/* Both methods that are read here have the same results. */
static void read_part(st_words_reader *r, st_rows *rows, st_words *words) {
  st_value v[ST_R_CONVERSATION_POSTINGS_OF_CODES + 1];
  for (size_t i = 0; i < sizeof v / sizeof *v; i++) st_rows_value(r->call, rows, i, &v[i]);
  const st_value *text = &v[ST_R_CONVERSATION_POSTINGS_OF_WORD];
  const st_value *packed = &v[ST_R_CONVERSATION_POSTINGS_OF_PACKED], *size = &v[ST_R_CONVERSATION_POSTINGS_OF_SIZE];
  const st_value *places = &v[ST_R_CONVERSATION_POSTINGS_OF_PLACES], *room = &v[ST_R_CONVERSATION_POSTINGS_OF_ROOM];
  const st_value *beside = &v[ST_R_CONVERSATION_POSTINGS_OF_BESIDE], *codes = &v[ST_R_CONVERSATION_POSTINGS_OF_CODES];
  st_index_word *word = words->count ? &words->all[words->count - 1] : NULL;
  if (!word || strcmp(word->text, text->bytes) != 0) {
    word = st_ok(r->call) ? add_word(r, words, text->bytes, text->length) : NULL;
    if (!word) return;
    word->room = (double)room->integer;
  }
  word->rows += (double)v[ST_R_CONVERSATION_POSTINGS_OF_ROWS].integer;
  append(r, &word->packed, &word->packed_length, packed, size);
  append(r, &word->places, &word->places_length, places, room);
  append(r, &word->beside, &word->beside_length, beside, codes);
}

static st_words read_words(st_words_reader *r, int method, const st_value *args) {
  st_words words = {0};
  st_rows rows;
  st_rows_start(r->call, &rows, method, args);
  while (st_rows_next(r->call, &rows)) read_part(r, &rows, &words);
  st_rows_end(r->call, &rows);
  if (!st_ok(r->call)) words.count = 0;
  return words;
}

static st_value list_of(const st_value *items, size_t count) {
  return (st_value){.type = ST_LIST, .items = items, .count = (uint32_t)count, .width = 1};
}

st_words st_words_list(st_words_reader *r, const st_value *words, size_t count, st_words_more wanted) {
  st_value args[] = {list_of(words, count), st_bool(wanted.places), st_bool(wanted.beside), st_int(r->parts.first), st_int(r->parts.last)};
  st_words none = {0};
  return count ? read_words(r, STELE_M_CONVERSATION_POSTINGS_OF, args) : none;
}

st_words st_words_beginning(st_words_reader *r, const st_query_token *token, bool placed) {
  st_value args[] = {st_textz(token->text), st_bool(placed), st_int(r->parts.first), st_int(r->parts.last)};
  return read_words(r, STELE_M_CONVERSATION_POSTINGS_FROM, args);
}

double st_words_count(st_call *call, const st_value *words, size_t count, int64_t part) {
  st_value args[] = {list_of(words, count), st_int(part)}, rows;
  return st_one(call, STELE_M_CONVERSATION_COUNT_WORDS, args, &rows) ? (double)rows.integer : 0;
}

static int by_text(const void *text, const void *word) { return strcmp(text, ((const st_index_word *)word)->text); }

const st_index_word *st_words_find(const st_words *words, const char *text) {
  return words->count ? bsearch(text, words->all, words->count, sizeof *words->all, by_text) : NULL;
}

void st_words_start(const st_index_word *word, st_occurrences *out) {
  st_index_word none = {0}, from = word ? *word : none;
  st_occurrences_start(out, from.packed, from.packed_length, from.places, from.places_length);
  st_occurrences_with_beside(out, from.beside, from.beside_length);
}

static st_occurrences *start_all(st_words_reader *r, const st_words *words) {
  st_occurrences *all = st_words_need(r, words->count * sizeof *all);
  for (size_t i = 0; all && i < words->count; i++) st_words_start(&words->all[i], &all[i]);
  return all;
}

/* ---- Made of others ---- */

static char *keep(st_words_reader *r, const st_str *bytes, size_t *length) {
  char *kept = bytes->failed ? NULL : st_arena_copy(r->arena, bytes->text, bytes->length);
  *length = bytes->length;
  if (!kept) no_memory(r->call);
  return kept;
}

void st_words_made(st_words_reader *r, st_occurrences_writer *writer, bool written, st_occurrences *out, double *rows) {
  st_index_word made = {.rows = (double)writer->count};
  if (!written) no_memory(r->call);
  if (st_ok(r->call)) made.packed = keep(r, &writer->rows, &made.packed_length);
  if (st_ok(r->call)) made.places = keep(r, &writer->places, &made.places_length);
  *rows = made.rows;
  st_words_start(st_ok(r->call) ? &made : NULL, out);
  st_occurrences_end(writer);
}

static void check_all(st_words_reader *r, const st_occurrences *all, size_t count) {
  for (size_t i = 0; i < count; i++) st_words_check(r->call, &all[i]);
}

void st_words_any(st_words_reader *r, const st_words *words, bool placed, st_occurrences *out, double *rows) {
  st_occurrences_writer writer;
  if (words->count == 1) {
    st_words_start(&words->all[0], out);
    *rows = words->all[0].rows;
    return;
  }
  st_occurrences *all = start_all(r, words);
  st_occurrences_begin(&writer);
  bool joined = all && st_join_any(r->arena, all, words->count, placed, &writer);
  if (joined) check_all(r, all, words->count);
  st_words_made(r, &writer, joined, out, rows);
}

/* As long as a word at most, and a text that the server can keep: of any other the hash. */
st_value st_words_role(st_call *call, const st_value *role) {
  char mark[ST_TOKEN_MAX + sizeof ROLE];
  bool plain = role->length <= ST_TOKEN_MAX && !memchr(role->bytes, 0, role->length);
  if (plain) snprintf(mark, sizeof mark, ROLE "%.*s", (int)role->length, role->bytes);
  else snprintf(mark, sizeof mark, ROLE ROLE "%016llx", (unsigned long long)st_hash64(0, role->bytes, role->length));
  return st_call_text(call, mark, strlen(mark));
}

void st_words_check(st_call *call, const st_occurrences *of) {
  if (of->broken) st_words_damaged(call);
}

void st_words_damaged(st_call *call) {
  st_fail(call, STELE_CORRUPT, NULL, "the search index of messages is damaged");
  st_hint(call, "call conversation.index_messages with rebuild, which makes it anew");
}
