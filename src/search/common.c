/* common.c - see common.h. */
#include "search/common.h"

#include "search/beginning.h"
#include "search/common_kept.h"
#include "search/common_phrase.h"
#include "search/gather.h"
#include "search/index_file.h"
#include "search/vocabulary.h"

/* ---- What the index knows ---- */

int64_t st_common_ask(st_index *index, const char *sql, const st_value *parameter, int *code) {
  sqlite3_stmt *stmt = NULL;
  int64_t answer = 0;
  if (*code != SQLITE_OK) return 0;
  *code = sqlite3_prepare_v2(index->db, sql, -1, &stmt, NULL);
  if (*code == SQLITE_OK && parameter && parameter->type == ST_TEXT)
    *code = sqlite3_bind_text64(stmt, 1, parameter->bytes, parameter->length, SQLITE_STATIC, SQLITE_UTF8);
  else if (*code == SQLITE_OK && parameter) *code = sqlite3_bind_int64(stmt, 1, parameter->integer);
  if (*code == SQLITE_OK) *code = sqlite3_step(stmt);
  if (*code == SQLITE_ROW) answer = sqlite3_column_int64(stmt, 0);
  if (*code == SQLITE_ROW || *code == SQLITE_DONE) *code = SQLITE_OK;
  sqlite3_finalize(stmt);
  return answer;
}

int64_t st_common_last_note(st_index *index, int *code) {
  return st_common_ask(index, "SELECT seq FROM sqlite_sequence WHERE name = 'stele_rewritten'", NULL, code);
}

int64_t st_common_last_row(st_index *index, int *code) {
  return st_common_ask(index, "SELECT CAST(value AS INTEGER) FROM stele_index WHERE key = 'last'", NULL, code);
}

static st_kept look_up(st_index *index, const char *name, double rows, int *code) {
  st_value asked = st_textz(name);
  if (*code != SQLITE_OK || rows < ST_COMMON_ROWS) return ST_NOT_COMMON;
  return st_common_ask(index, "SELECT 1 FROM stele_common WHERE term = ?1", &asked, code) ? ST_KEPT : ST_NOT_KEPT;
}

int st_common_look(st_index *index, st_arena *arena, const st_term *term, st_kept *kept) {
  const st_query_token *token = &term->tokens[0];
  st_word words[ST_COMPLETIONS];
  char name[ST_COMMON_NAME_MAX];
  double rows = 0;
  int code = SQLITE_OK;
  *kept = ST_NOT_COMMON;
  if (index->total_rows < ST_COMMON_ROWS || (term->count == 1 && !st_term_name(term, name, sizeof name))) return SQLITE_OK;
  if (term->count > 1) {
    bool suited;
    code = st_common_phrase_look(index, term, &suited);
    if (suited) *kept = ST_KEPT;
    return code;
  }
  if (term->prefix) st_vocabulary_complete(index, arena, token->text, token->length, words, &rows, &code);
  else rows = st_vocabulary_rows(index, token->text, token->length, &code);
  *kept = look_up(index, name, rows, &code);
  return code;
}

/* ---- Reading ---- */

static int copy_blob(sqlite3_stmt *stmt, int column, st_arena *arena, st_slice *out) {
  if (sqlite3_column_type(stmt, column) == SQLITE_NULL) return SQLITE_OK;
  const void *bytes = sqlite3_column_blob(stmt, column);
  size_t length = (size_t)sqlite3_column_bytes(stmt, column);
  *out = (st_slice){st_arena_copy(arena, bytes, length), length};
  return out->bytes ? SQLITE_OK : SQLITE_NOMEM;
}

int st_kept_read(st_index *index, st_arena *arena, const char *name, bool with_places, st_kept_word *word) {
  sqlite3_stmt *stmt = NULL;
  *word = (st_kept_word){0};
  int code = sqlite3_prepare_v2(index->db, "SELECT rowid, upto, rewritten, rows, packed, places FROM stele_common WHERE term = ?1", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  if (code == SQLITE_ROW) {
    word->rowid = sqlite3_column_int64(stmt, 0);
    word->upto = sqlite3_column_int64(stmt, 1);
    word->rewritten = sqlite3_column_int64(stmt, 2);
    word->rows = sqlite3_column_double(stmt, 3);
    code = copy_blob(stmt, 4, arena, &word->packed);
    if (code == SQLITE_OK && with_places) code = copy_blob(stmt, 5, arena, &word->places);
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int st_kept_stale(st_index *index, st_arena *arena, int64_t upto, int64_t rewritten, st_stale *stale) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(index->db, "SELECT DISTINCT id FROM stele_rewritten WHERE number > ?1 AND id <= ?2 ORDER BY id LIMIT ?3",
                                -1, &stmt, NULL);
  *stale = (st_stale){.ids = st_arena_alloc(arena, ST_REWRITTEN_MAX * sizeof *stale->ids)};
  if (code == SQLITE_OK && !stale->ids) code = SQLITE_NOMEM;
  if (code == SQLITE_OK) {
    sqlite3_bind_int64(stmt, 1, rewritten);
    sqlite3_bind_int64(stmt, 2, upto);
    sqlite3_bind_int(stmt, 3, ST_REWRITTEN_MAX);
  }
  while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    stale->ids[stale->count++] = sqlite3_column_int64(stmt, 0);
    code = SQLITE_OK;
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int st_kept_rest(st_index *index, const st_term *term, int64_t upto, const st_stale *stale, int64_t last, st_loose *loose) {
  bool done = last <= upto;
  int code = SQLITE_OK;
  for (size_t i = 0; i < stale->count && code == SQLITE_OK; i++) code = st_gather_row(index, term, stale->ids[i], loose);
  if (code == SQLITE_OK && !done && term->prefix && term->count == 1 && upto == 0) code = st_beginning_gather(index, term, loose, &done);
  return code == SQLITE_OK && !done ? st_gather_above(index, term, upto, loose) : code;
}

/* ---- Opening ---- */

static int open_word(st_index *index, st_arena *arena, const st_term *term, st_common *common) {
  char name[ST_COMMON_NAME_MAX] = "";
  bool to_keep = common->loose.places;
  st_kept_word word;
  st_stale stale;
  int64_t last;
  if (term->count == 1) st_term_name(term, name, sizeof name); /* of a longer one nothing is kept */
  int code = st_kept_read(index, arena, name, to_keep, &word);
  if (to_keep && !word.places.bytes && word.rows >= ST_PLACED_ROWS) word = (st_kept_word){0}; /* it has become so common that it is to have them */
  common->kept_places = word.places;
  if (word.packed.length && !word.places.bytes) common->loose.places = NULL;
  if (code == SQLITE_OK) code = st_kept_stale(index, arena, word.upto, word.rewritten, &stale);
  last = st_common_last_row(index, &code);
  if (code == SQLITE_OK) code = st_kept_rest(index, term, word.upto, &stale, last, &common->loose);
  common->rewritten = st_common_last_note(index, &code);
  common->upto = last;
  common->rows = word.rows + (double)common->loose.count;
  if (code == SQLITE_OK) st_postings_start(&common->postings, word.packed.bytes, word.packed.length, stale.ids, stale.count, &common->loose);
  return code;
}

/* The rows of a phrase, made of what is kept of its words; of those that are gone, which their lengths tell, it has none. */
static int read_phrase(st_common_phrase *phrase, st_common *common) {
  const st_loose *rest = &phrase->rest;
  bool room = true;
  size_t passed = 0;
  for (int64_t id = st_common_phrase_seek(phrase, 0); id != ST_NO_ROW && room; id = st_common_phrase_seek(phrase, id + 1)) {
    uint32_t times = 0;
    for (; passed < rest->count && rest->all[passed].id < id && room; passed++) room = st_loose_add(&common->loose, rest->all[passed]);
    if (st_rowinfos_length(&phrase->index->rows, id) == 0) continue;
    room = room && st_join_times(&phrase->join, &times) && (times == 0 || st_loose_add(&common->loose, (st_posting){id, times}));
  }
  for (; passed < rest->count && room; passed++) room = st_loose_add(&common->loose, rest->all[passed]);
  common->rows = (double)common->loose.count;
  int code = st_common_phrase_check(phrase);
  return room ? code : SQLITE_NOMEM;
}

static int open_phrase(st_index *index, st_arena *arena, const st_term *term, st_common *common) {
  st_common_phrase phrase;
  int code = st_common_phrase_open(index, arena, term, &phrase);
  if (code == SQLITE_OK) code = read_phrase(&phrase, common);
  st_common_phrase_close(&phrase);
  if (code == SQLITE_OK) st_postings_start(&common->postings, NULL, 0, NULL, 0, &common->loose);
  return code;
}

int st_common_open(st_index *index, st_arena *arena, const st_term *term, bool to_keep, st_common *common) {
  bool phrase = false;
  *common = (st_common){.places.arena = arena};
  if (to_keep && !term->prefix) common->loose.places = &common->places;
  bool alone = sqlite3_get_autocommit(index->db); /* or one of several that are opened together */
  int code = alone ? st_index_script(index, "BEGIN") : SQLITE_OK;
  if (code != SQLITE_OK) return code;
  if (term->count > 1) code = st_common_phrase_look(index, term, &phrase);
  if (code == SQLITE_OK) code = (phrase ? open_phrase : open_word)(index, arena, term, common);
  int ended = alone ? st_index_script(index, code == SQLITE_OK ? "COMMIT" : "ROLLBACK") : SQLITE_OK;
  return code == SQLITE_OK ? ended : code;
}

void st_common_close(st_common *common) { st_loose_free(&common->loose); }
