/* common_update.c - common.h, where the index is written. */
#include <string.h>

#include "engine/handle.h"
#include "search/common.h"
#include "search/index_file.h"

#define BEHIND_PART 50  /* where one row in so many is not in them, postings are brought up to date */
#define TERMS_MAX 10000 /* far more than a language has */

/* Run a statement without an answer, with a number. */
static int run(st_index *index, const char *sql, int64_t number) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(index->db, sql, -1, &stmt, NULL);
  if (code == SQLITE_OK) sqlite3_bind_int64(stmt, 1, number);
  if (code == SQLITE_OK && sqlite3_step(stmt) != SQLITE_DONE) code = sqlite3_extended_errcode(index->db);
  sqlite3_finalize(stmt);
  return code;
}

int st_common_note(st_index *index, int64_t id) { return run(index, "INSERT INTO stele_rewritten (id) VALUES (?1)", id); }

int st_common_trim(st_index *index) {
  int code = SQLITE_OK;
  int64_t last = st_common_last_note(index, &code);
  if (code == SQLITE_OK) code = run(index, "DELETE FROM stele_common WHERE rewritten < ?1", last - ST_REWRITTEN_MAX);
  if (code == SQLITE_OK)
    code = run(index, "DELETE FROM stele_rewritten WHERE number <= COALESCE((SELECT MIN(rewritten) FROM stele_common), ?1)", last);
  return code;
}

/* ---- All of them ---- */

/* Every word that is common, and what else is kept, unless it is as good as up to date. */
static int list_terms(st_index *index, st_arena *arena, char **names, int *count) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(index->db,
                                "SELECT t.term FROM (SELECT word AS term FROM stele_words WHERE rows >= ?1 UNION SELECT term FROM stele_common) t"
                                " WHERE NOT EXISTS (SELECT 1 FROM stele_common k WHERE k.term = t.term AND k.upto >= ?2 AND k.rewritten >= ?3) LIMIT ?4",
                                -1, &stmt, NULL);
  int64_t last = st_common_last_note(index, &code);
  if (code == SQLITE_OK) {
    sqlite3_bind_int(stmt, 1, ST_COMMON_ROWS);
    sqlite3_bind_int64(stmt, 2, index->last - index->last / BEHIND_PART);
    sqlite3_bind_int64(stmt, 3, last);
    sqlite3_bind_int(stmt, 4, TERMS_MAX);
  }
  while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    names[*count] = st_arena_copy(arena, sqlite3_column_text(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0));
    code = names[(*count)++] ? SQLITE_OK : SQLITE_NOMEM;
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* A term by its name: st_term_name(). */
static int update_term(st_index *index, char *name) {
  st_query_token token = {.text = name, .length = strlen(name)};
  st_term term = {.tokens = &token, .count = 1};
  st_common common;
  st_arena arena;
  if (token.length > 2 && !strcmp(name + token.length - 2, " *")) {
    name[token.length -= 2] = '\0';
    term.prefix = true;
  }
  st_arena_init(&arena, SIZE_MAX); /* all the places of a word */
  int code = st_common_open(index, &arena, &term, true, &common);
  if (code == SQLITE_OK) code = st_common_keep(index, &arena, &term, &common);
  st_common_close(&common);
  st_arena_free(&arena);
  return code;
}

static void tell(st_call *call, int64_t done, int64_t all) {
  if (call->db->progress && call->db->progress(call->db->user, "common words", done, all) != 0)
    st_fail(call, STELE_CANCELLED, NULL, "putting common words in order was stopped; the index is complete without");
}

static void update_terms(st_call *call, st_index *index, st_arena *arena) {
  char **names = st_arena_alloc(arena, TERMS_MAX * sizeof *names);
  int count = 0, code = names ? list_terms(index, arena, names, &count) : SQLITE_NOMEM;
  for (int i = 0; i < count && code == SQLITE_OK && st_ok(call); i++) {
    st_index_refresh(call, index);
    if (st_ok(call)) code = update_term(index, names[i]);
    tell(call, i + 1, count);
  }
  if (count > 0 && code == SQLITE_OK) code = st_common_trim(index);
  if (code != SQLITE_OK) st_index_fail(call, index, code);
}

void st_common_update(st_call *call, st_index *index) {
  st_arena arena;
  if (!st_ok(call) || index->total_rows < ST_COMMON_ROWS) return;
  st_arena_init(&arena, UINT64_C(1) << 30);
  update_terms(call, index, &arena);
  st_arena_free(&arena);
}
