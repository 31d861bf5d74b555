/* vocabulary.c - see vocabulary.h. */
#include "search/vocabulary.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/handle.h"
#include "search/index_file.h"

#define FROM_ROWS 20000  /* a smaller index is searched as quickly without */
#define GROWTH 2         /* times as large as it was: count anew */
#define LEAST_ROWS 16    /* of a word that is worth knowing, */
#define LEAST_PART 16384 /* and at least one in so many messages */
#define TELL_EVERY 4096  /* words between two signs of life */

/* ---- Counting ---- */

typedef struct counting {
  st_call *call;
  st_index *index;
  st_arena arena;
  struct found *first, **last;
  int code;
} counting;

struct found {
  struct found *next;
  double rows;
  char text[];
};

static void keep(counting *c, sqlite3_stmt *stmt, double rows) {
  const char *text = (const char *)sqlite3_column_text(stmt, 0);
  size_t length = text ? strlen(text) + 1 : 0;
  struct found *one = text ? st_arena_alloc(&c->arena, sizeof *one + length) : NULL;
  if (!one) {
    c->code = SQLITE_NOMEM;
    return;
  }
  *one = (struct found){.rows = rows};
  memcpy(one->text, text, length);
  *c->last = one;
  c->last = &one->next;
}

static void tell(counting *c, int64_t words) {
  stele_db *db = c->call->db;
  if (words % TELL_EVERY == 0 && db->progress && db->progress(db->user, "words", words, 0) != 0)
    st_fail(c->call, STELE_CANCELLED, NULL, "counting the words was stopped; the index is complete without");
}

int st_vocabulary_open(st_index *index) {
  return st_index_script(index, "CREATE VIRTUAL TABLE IF NOT EXISTS temp.stele_vocabulary USING fts5vocab(main, stele_text, row)");
}

/* Before anything is written: it takes seconds where there are millions of messages. */
static void count_words(counting *c) {
  double least = c->index->total_rows / LEAST_PART > LEAST_ROWS ? c->index->total_rows / LEAST_PART : LEAST_ROWS;
  sqlite3_stmt *stmt = NULL;
  c->code = st_vocabulary_open(c->index);
  if (c->code == SQLITE_OK)
    c->code = sqlite3_prepare_v2(c->index->db, "SELECT term, doc FROM temp.stele_vocabulary", -1, &stmt, NULL);
  for (int64_t words = 1; c->code == SQLITE_OK && st_ok(c->call); words++) {
    int stepped = sqlite3_step(stmt);
    if (stepped == SQLITE_DONE) break;
    if (stepped != SQLITE_ROW) c->code = sqlite3_extended_errcode(c->index->db);
    double rows = c->code == SQLITE_OK ? sqlite3_column_double(stmt, 1) : 0;
    if (rows >= least) keep(c, stmt, rows);
    tell(c, words);
  }
  sqlite3_finalize(stmt);
}

static void write_words(counting *c) {
  sqlite3_stmt *stmt = NULL;
  char rows[32];
  snprintf(rows, sizeof rows, "%.0f", c->index->total_rows);
  c->code = st_index_script(c->index, "BEGIN IMMEDIATE");
  if (c->code != SQLITE_OK) return;
  c->code = st_index_script(c->index, "DELETE FROM stele_words");
  if (c->code == SQLITE_OK)
    c->code = sqlite3_prepare_v2(c->index->db, "INSERT INTO stele_words (word, rows) VALUES (?1, ?2)", -1, &stmt, NULL);
  for (const struct found *one = c->first; one && c->code == SQLITE_OK; one = one->next) {
    sqlite3_bind_text(stmt, 1, one->text, -1, SQLITE_STATIC);
    sqlite3_bind_double(stmt, 2, one->rows);
    if (sqlite3_step(stmt) != SQLITE_DONE) c->code = sqlite3_extended_errcode(c->index->db);
    sqlite3_reset(stmt);
  }
  sqlite3_finalize(stmt);
  if (c->code == SQLITE_OK) c->code = st_index_set(c->index, "words_of_rows", rows);
  int ended = st_index_script(c->index, c->code == SQLITE_OK ? "COMMIT" : "ROLLBACK");
  if (c->code == SQLITE_OK) c->code = ended;
}

void st_vocabulary_update(st_call *call, st_index *index) {
  char made[64] = "";
  double then = 0;
  counting c = {.call = call, .index = index};
  if (!st_ok(call) || index->total_rows < FROM_ROWS) return;
  c.code = st_index_get(index, "words_of_rows", made, sizeof made);
  if (c.code == SQLITE_OK && sscanf(made, "%lf", &then) == 1 && index->total_rows < GROWTH * then) return;
  c.last = &c.first;
  st_arena_init(&c.arena, UINT64_C(1) << 30);
  if (c.code == SQLITE_OK) count_words(&c);
  if (c.code == SQLITE_OK && st_ok(call)) write_words(&c);
  st_arena_free(&c.arena);
  if (c.code != SQLITE_OK) st_index_fail(call, index, c.code);
}

/* ---- Asking ---- */

/* What stands behind every text that begins with this one, and before all others: in UTF-8 no byte is 0xFF. */
static int bind_range(sqlite3_stmt *stmt, st_arena *arena, const char *text, size_t length) {
  char *end = st_arena_alloc(arena, length + 1);
  if (!end) return SQLITE_NOMEM;
  memcpy(end, text, length);
  end[length] = (char)0xFF;
  sqlite3_bind_text64(stmt, 1, text, length, SQLITE_STATIC, SQLITE_UTF8);
  return sqlite3_bind_text64(stmt, 2, end, length + 1, SQLITE_STATIC, SQLITE_UTF8);
}

int st_vocabulary_complete(st_index *index, st_arena *arena, const char *text, size_t length, st_word *words,
                           double *all, int *code) {
  sqlite3_stmt *stmt = NULL;
  int count = 0;
  *all = 0;
  *code = sqlite3_prepare_v2(index->db,
                             "SELECT word, rows, SUM(rows) OVER () FROM stele_words WHERE word >= ?1 AND word < ?2"
                             " ORDER BY rows DESC, word LIMIT ?3",
                             -1, &stmt, NULL);
  if (*code == SQLITE_OK) *code = bind_range(stmt, arena, text, length);
  if (*code == SQLITE_OK) *code = sqlite3_bind_int(stmt, 3, ST_COMPLETIONS);
  while (*code == SQLITE_OK && (*code = sqlite3_step(stmt)) == SQLITE_ROW) {
    size_t bytes = (size_t)sqlite3_column_bytes(stmt, 0);
    char *copy = st_arena_copy(arena, sqlite3_column_blob(stmt, 0), bytes);
    *code = copy ? SQLITE_OK : SQLITE_NOMEM;
    *all = sqlite3_column_double(stmt, 2);
    if (copy) words[count++] = (st_word){copy, bytes, sqlite3_column_double(stmt, 1)};
  }
  sqlite3_finalize(stmt);
  if (*code == SQLITE_DONE) *code = SQLITE_OK;
  return count;
}

double st_vocabulary_rows(st_index *index, const char *text, size_t length, int *code) {
  sqlite3_stmt *stmt = NULL;
  double rows = 0;
  *code = sqlite3_prepare_v2(index->db, "SELECT rows FROM stele_words WHERE word = ?1", -1, &stmt, NULL);
  if (*code == SQLITE_OK) *code = sqlite3_bind_text64(stmt, 1, text, length, SQLITE_STATIC, SQLITE_UTF8);
  if (*code == SQLITE_OK) *code = sqlite3_step(stmt);
  if (*code == SQLITE_ROW) rows = sqlite3_column_double(stmt, 0);
  if (*code == SQLITE_ROW || *code == SQLITE_DONE) *code = SQLITE_OK;
  sqlite3_finalize(stmt);
  return rows;
}
