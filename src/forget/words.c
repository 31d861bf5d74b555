/* words.c - the words of an index against those of the rows that are left.  See parts.h.
**
** FTS5 writes of a word only what differs from the one before it, so that a search for bytes proves nothing about an index.  Its
** vocabulary is read out, and every word is struck out of it that some row has: what is left, no row has. */
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/token.h"
#include "forget/parts.h"
#include "search/columns.h"
#include "search/index_file.h"
#include "search/sources.h"

/* A set of hashes; 0 is an empty place, 1 one that was emptied. */
typedef struct set {
  uint64_t *slots;
  size_t room, count;
} set;

static uint64_t hash_of(const char *word, size_t length) {
  uint64_t hash = st_hash64(0, word, length);
  return hash > 1 ? hash : hash + 2;
}

static uint64_t *place_of(const set *s, uint64_t hash) {
  size_t at = (size_t)hash & (s->room - 1);
  while (s->slots[at] && s->slots[at] != hash) at = (at + 1) & (s->room - 1);
  return &s->slots[at];
}

static bool grow(set *s) {
  set larger = {.room = s->room ? 2 * s->room : 1024, .count = s->count};
  larger.slots = st_alloc_zero(larger.room * sizeof *larger.slots);
  if (!larger.slots) return false;
  for (size_t i = 0; i < s->room; i++)
    if (s->slots[i] > 1) *place_of(&larger, s->slots[i]) = s->slots[i];
  st_free(s->slots);
  *s = larger;
  return true;
}

static bool add(set *s, uint64_t hash) {
  if (2 * (s->count + 1) > s->room && !grow(s)) return false;
  uint64_t *place = place_of(s, hash);
  if (!*place) s->count++;
  *place = hash;
  return true;
}

static bool strike(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  set *s = to;
  uint64_t *place = place_of(s, hash_of(token, length));
  (void)start;
  (void)end;
  (void)kind;
  if (*place > 1) s->count--;
  if (*place) *place = 1;
  return true;
}

static void read_index(st_call *part, st_index *index, set *words) {
  sqlite3_stmt *stmt = NULL;
  int code = st_index_script(index, "CREATE VIRTUAL TABLE IF NOT EXISTS temp.stele_vocabulary USING fts5vocab(main, stele_text, row)");
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(index->db, "SELECT term FROM temp.stele_vocabulary", -1, &stmt, NULL);
  while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    const char *term = (const char *)sqlite3_column_blob(stmt, 0);
    code = term && add(words, hash_of(term, (size_t)sqlite3_column_bytes(stmt, 0))) ? SQLITE_OK : SQLITE_NOMEM;
  }
  sqlite3_finalize(stmt);
  if (code != SQLITE_DONE && code != SQLITE_OK) st_index_fail(part, index, code);
}

static void strike_row(st_call *part, st_rows *rows, set *words) {
  st_value text, title, extra;
  st_column columns[ST_COLUMNS];
  st_arena arena;
  st_rows_value(part, rows, ST_SOURCE_TEXT, &text);
  st_rows_value(part, rows, ST_SOURCE_TITLE, &title);
  st_rows_value(part, rows, ST_SOURCE_EXTRA, &extra);
  st_arena_init(&arena, UINT64_C(1) << 30);
  st_columns_read(part, &arena, &text, &title, &extra, columns);
  for (int i = 0; i < ST_COLUMNS && st_ok(part); i++) st_tokenize(columns[i].text, columns[i].length, strike, words);
  st_arena_free(&arena);
}

static void strike_source(st_call *part, const st_findable *source, set *words) {
  enum { PAGE = 200 };
  st_value args[] = {{.type = ST_ABSENT}, st_int(PAGE)};
  for (int count = PAGE; count == PAGE && st_ok(part);) {
    st_rows rows;
    st_value last = {.type = ST_NULL};
    count = 0;
    st_rows_start(part, &rows, source->page_method, args);
    while (st_rows_next(part, &rows)) {
      count++;
      st_rows_value(part, &rows, ST_SOURCE_ID, &last);
      last = count == PAGE ? st_call_text(part, last.bytes, last.length) : last;
      strike_row(part, &rows, words);
    }
    st_rows_end(part, &rows);
    if (count == PAGE && st_ok(part)) args[0] = st_source_key(source, last.bytes, last.length);
  }
}

void st_forget_words(st_call *part, int64_t *words, int64_t *strange) {
  const st_store *of = part->store->store;
  st_index *index = st_index_of(part);
  set s = {0};
  *words = *strange = 0;
  if (!index || !grow(&s)) {
    if (st_ok(part)) st_fail(part, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  read_index(part, index, &s);
  *words = (int64_t)s.count;
  for (uint16_t i = 0; i < of->nsources && st_ok(part); i++)
    if (st_source_is_there(part, &of->sources[i])) strike_source(part, &of->sources[i], &s);
  strike(&s, ST_TOKEN_BOUNDARY_TEXT, 1, 0, 0, ST_TOKEN_BOUNDARY);
  *strange = (int64_t)s.count;
  st_free(s.slots);
}
