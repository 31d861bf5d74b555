/* beginning.c - see beginning.h. */
#include "search/beginning.h"

#include <stdlib.h>
#include <string.h>

#include "search/gather.h"
#include "search/index_file.h"
#include "search/vocabulary.h"

#define COMMON_MAX 16   /* words whose postings are read beside each other */
#define OTHERS_MAX 64   /* words that FTS5 is asked for, and */
#define OTHER_ROWS 60000 /* messages that have them: more is not worth it */

typedef struct beginning {
  st_index *index;
  st_arena arena;
  const st_query_token *token;
  st_slice common[COMMON_MAX], others[OTHERS_MAX];
  size_t ncommon, nothers;
  st_common postings[COMMON_MAX];
  size_t opened;
  st_loose loose; /* of the others */
  bool too_many;
} beginning;

/* ---- Which words ---- */

static int add(beginning *b, st_slice *words, size_t *count, size_t most, sqlite3_stmt *stmt) {
  b->too_many = b->too_many || *count == most;
  if (b->too_many) return SQLITE_OK;
  size_t length = (size_t)sqlite3_column_bytes(stmt, 0);
  if (length < b->token->length) return SQLITE_CORRUPT; /* it does not begin so */
  char *copy = st_arena_copy(&b->arena, sqlite3_column_blob(stmt, 0), length);
  words[(*count)++] = (st_slice){copy, length};
  return copy ? SQLITE_OK : SQLITE_NOMEM;
}

/* In UTF-8 no byte is 0xFF: what stands behind all that begins with a text, and before all that follows. */
static int bind_behind(beginning *b, sqlite3_stmt *stmt, int at, const char *text, size_t length) {
  char *end = st_arena_alloc(&b->arena, length + 1);
  if (!end) return SQLITE_NOMEM;
  memcpy(end, text, length);
  end[length] = (char)0xFF;
  return sqlite3_bind_text64(stmt, at, end, length + 1, SQLITE_STATIC, SQLITE_UTF8);
}

/* The common ones, and whether the others are few. */
static int find_common(beginning *b) {
  sqlite3_stmt *stmt = NULL;
  double others = 0;
  int code = sqlite3_prepare_v2(b->index->db, "SELECT word, rows FROM stele_words WHERE word >= ?1 AND word < ?2 ORDER BY word", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_text64(stmt, 1, b->token->text, b->token->length, SQLITE_STATIC, SQLITE_UTF8);
  if (code == SQLITE_OK) code = bind_behind(b, stmt, 2, b->token->text, b->token->length);
  while (code == SQLITE_OK && !b->too_many && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    code = SQLITE_OK;
    double rows = sqlite3_column_double(stmt, 1);
    if (rows >= ST_COMMON_ROWS) code = add(b, b->common, &b->ncommon, COMMON_MAX, stmt);
    else others += rows;
    b->too_many = b->too_many || others > OTHER_ROWS;
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Those that FTS5 has from one text to another.  It reads all that it knows of each: so no common one may be between them. */
static int find_between(beginning *b, sqlite3_stmt *stmt, const st_slice *from, const char *to, size_t length) {
  int code = sqlite3_bind_text64(stmt, 1, from->bytes, from->length, SQLITE_STATIC, SQLITE_UTF8);
  if (code == SQLITE_OK) code = bind_behind(b, stmt, 2, to, length);
  while (code == SQLITE_OK && !b->too_many && (code = sqlite3_step(stmt)) == SQLITE_ROW) code = add(b, b->others, &b->nothers, OTHERS_MAX, stmt);
  sqlite3_reset(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* The last text before a word, but for what begins with it; the first one behind it.  No token has a byte below 2 inside. */
static int find_before(beginning *b, sqlite3_stmt *stmt, st_slice *from, const st_slice *word) {
  char *before = st_arena_copy(&b->arena, word->bytes, word->length), *behind = st_arena_copy(&b->arena, word->bytes, word->length);
  if (!before || !behind) return SQLITE_NOMEM;
  before[word->length - 1]--;
  behind[word->length] = 1;
  int code = memcmp(before, b->token->text, b->token->length) < 0 ? SQLITE_OK : find_between(b, stmt, from, before, word->length);
  *from = (st_slice){behind, word->length + 1};
  return code;
}

static int find_others(beginning *b) {
  sqlite3_stmt *stmt = NULL;
  st_slice from = {b->token->text, b->token->length};
  int code = st_vocabulary_open(b->index);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(b->index->db, "SELECT term FROM temp.stele_vocabulary WHERE term >= ?1 AND term <= ?2", -1, &stmt, NULL);
  for (size_t i = 0; i < b->ncommon && code == SQLITE_OK; i++) code = find_before(b, stmt, &from, &b->common[i]);
  if (code == SQLITE_OK) code = find_between(b, stmt, &from, b->token->text, b->token->length);
  sqlite3_finalize(stmt);
  return code;
}

/* ---- Their postings ---- */

static int by_id(const void *a, const void *b) {
  const st_posting *one = a, *other = b;
  return (one->id > other->id) - (one->id < other->id);
}

/* A row that has several of the words has the beginning as often as all of them together. */
static void settle(st_loose *loose) {
  size_t kept = 0;
  if (loose->count) qsort(loose->all, loose->count, sizeof *loose->all, by_id);
  for (size_t i = 0; i < loose->count; i++) {
    if (kept > 0 && loose->all[kept - 1].id == loose->all[i].id) loose->all[kept - 1].times += loose->all[i].times;
    else loose->all[kept++] = loose->all[i];
  }
  loose->count = kept;
}

static st_term term_of(const st_slice *word, st_query_token *token) {
  *token = (st_query_token){.text = word->bytes, .length = word->length, .kind = ST_TOKEN_WORD};
  return (st_term){.tokens = token, .count = 1};
}

static int open_all(beginning *b) {
  int code = SQLITE_OK;
  st_query_token token;
  for (size_t i = 0; i < b->nothers && code == SQLITE_OK; i++) {
    st_term term = term_of(&b->others[i], &token);
    code = st_gather_above(b->index, &term, 0, &b->loose);
  }
  settle(&b->loose);
  for (; b->opened < b->ncommon && code == SQLITE_OK; b->opened++) {
    st_term term = term_of(&b->common[b->opened], &token);
    code = st_common_open(b->index, &b->arena, &term, false, &b->postings[b->opened]);
  }
  return code;
}

/* The times of the next row that any has, from one on; false: there is none. */
static bool take_row(st_postings **all, size_t count, int64_t from, st_posting *row) {
  *row = (st_posting){.id = ST_NO_ROW};
  for (size_t i = 0; i < count; i++) {
    int64_t id = st_postings_seek(all[i], from);
    if (id < row->id) *row = all[i]->now;
    else if (id == row->id && id != ST_NO_ROW) row->times += all[i]->now.times;
  }
  return row->id != ST_NO_ROW;
}

static int merge(beginning *b, st_loose *out) {
  st_postings others, *all[COMMON_MAX + 1] = {&others};
  st_posting row;
  bool room = true;
  st_postings_start(&others, NULL, 0, NULL, 0, &b->loose);
  for (size_t i = 0; i < b->opened; i++) all[i + 1] = &b->postings[i].postings;
  for (int64_t from = 0; room && take_row(all, b->opened + 1, from, &row); from = row.id + 1) room = st_loose_add(out, row);
  for (size_t i = 0; i < b->opened; i++)
    if (b->postings[i].postings.broken) return SQLITE_CORRUPT;
  return room ? SQLITE_OK : SQLITE_NOMEM;
}

int st_beginning_gather(st_index *index, const st_term *term, st_loose *out, bool *done) {
  beginning b = {.index = index, .token = &term->tokens[0]};
  *done = false;
  st_arena_init(&b.arena, UINT64_C(1) << 30);
  int code = find_common(&b);
  if (code == SQLITE_OK && !b.too_many) code = find_others(&b);
  if (code == SQLITE_OK && !b.too_many) {
    code = open_all(&b);
    if (code == SQLITE_OK) code = merge(&b, out);
    *done = true;
  }
  for (size_t i = 0; i < b.opened; i++) st_common_close(&b.postings[i]);
  st_loose_free(&b.loose);
  st_arena_free(&b.arena);
  return code;
}
