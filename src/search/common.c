/* common.c - see common.h. */
#include "search/common.h"

#include "search/beginning.h"
#include "search/gather.h"
#include "search/index_file.h"
#include "search/vocabulary.h"

#define PREFIXES_MAX 100 /* that are kept: there are as many as people think of */
#define NAME_MAX_BYTES 500

/* ---- What the index knows ---- */

/* The first number that a statement yields, which has a parameter or none; 0 if it yields nothing. */
static int64_t ask(st_index *index, const char *sql, const st_value *parameter, int *code) {
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
  return ask(index, "SELECT seq FROM sqlite_sequence WHERE name = 'stele_rewritten'", NULL, code);
}

static int64_t last_row(st_index *index, int *code) {
  return ask(index, "SELECT CAST(value AS INTEGER) FROM stele_index WHERE key = 'last'", NULL, code);
}

int st_common_look(st_index *index, st_arena *arena, const st_term *term, st_kept *kept) {
  const st_query_token *token = &term->tokens[0];
  st_word words[ST_COMPLETIONS];
  char name[NAME_MAX_BYTES];
  double rows = 0;
  int code = SQLITE_OK;
  *kept = ST_NOT_COMMON;
  if (index->total_rows < ST_COMMON_ROWS || term->count > 1 || !st_term_name(term, name, sizeof name)) return SQLITE_OK;
  if (term->prefix) st_vocabulary_complete(index, arena, token->text, token->length, words, &rows, &code);
  else rows = st_vocabulary_rows(index, token->text, token->length, &code);
  if (code != SQLITE_OK || rows < ST_COMMON_ROWS) return code;
  st_value asked = st_textz(name);
  *kept = ask(index, "SELECT 1 FROM stele_common WHERE term = ?1", &asked, &code) ? ST_KEPT : ST_NOT_KEPT;
  return code;
}

/* ---- Reading ---- */

typedef struct opening {
  st_index *index;
  st_arena *arena;
  const st_term *term;
  st_common *common;
  const void *packed;
  size_t length;
  int64_t *stale;
  size_t nstale;
} opening;

static int read_kept(opening *o, const char *name) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(o->index->db, "SELECT upto, rewritten, rows, packed FROM stele_common WHERE term = ?1", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  if (code == SQLITE_ROW) {
    o->common->upto = sqlite3_column_int64(stmt, 0);
    o->common->rewritten = sqlite3_column_int64(stmt, 1);
    o->common->rows = sqlite3_column_double(stmt, 2);
    const void *packed = sqlite3_column_blob(stmt, 3);
    o->length = (size_t)sqlite3_column_bytes(stmt, 3);
    o->packed = st_arena_copy(o->arena, packed, o->length);
    code = o->packed ? SQLITE_OK : SQLITE_NOMEM;
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Which of the rows that are packed were written anew since. */
static int read_stale(opening *o) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(o->index->db, "SELECT DISTINCT id FROM stele_rewritten WHERE number > ?1 AND id <= ?2 ORDER BY id LIMIT ?3",
                                -1, &stmt, NULL);
  o->stale = st_arena_alloc(o->arena, ST_REWRITTEN_MAX * sizeof *o->stale);
  if (code == SQLITE_OK && !o->stale) code = SQLITE_NOMEM;
  if (code == SQLITE_OK) {
    sqlite3_bind_int64(stmt, 1, o->common->rewritten);
    sqlite3_bind_int64(stmt, 2, o->common->upto);
    sqlite3_bind_int(stmt, 3, ST_REWRITTEN_MAX);
  }
  while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    o->stale[o->nstale++] = sqlite3_column_int64(stmt, 0);
    code = SQLITE_OK;
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* The rows behind those that are packed.  For the beginning of a word FTS5 reads all rows, whichever are asked for. */
static int gather_rest(opening *o) {
  bool done = false;
  bool whole = o->term->prefix && o->term->count == 1 && o->common->upto == 0;
  int code = whole ? st_beginning_gather(o->index, o->term, &o->common->loose, &done) : SQLITE_OK;
  return code == SQLITE_OK && !done ? st_gather_above(o->index, o->term, o->common->upto, &o->common->loose) : code;
}

static int open_term(opening *o, const char *name) {
  st_common *common = o->common;
  int code = read_kept(o, name);
  if (code == SQLITE_OK) code = read_stale(o);
  for (size_t i = 0; i < o->nstale && code == SQLITE_OK; i++) code = st_gather_row(o->index, o->term, o->stale[i], &common->loose);
  int64_t last = last_row(o->index, &code);
  if (code == SQLITE_OK && last > common->upto) code = gather_rest(o);
  common->rewritten = st_common_last_note(o->index, &code);
  common->upto = last;
  common->rows += (double)common->loose.count;
  return code;
}

int st_common_open(st_index *index, st_arena *arena, const st_term *term, st_common *common) {
  char name[NAME_MAX_BYTES] = "";
  opening o = {.index = index, .arena = arena, .term = term, .common = common};
  *common = (st_common){0};
  st_term_name(term, name, sizeof name); /* of a longer one nothing is kept */
  bool alone = sqlite3_get_autocommit(index->db); /* or one of several that are opened together */
  int code = alone ? st_index_script(index, "BEGIN") : SQLITE_OK;
  if (code != SQLITE_OK) return code;
  code = open_term(&o, name);
  int ended = alone ? st_index_script(index, code == SQLITE_OK ? "COMMIT" : "ROLLBACK") : SQLITE_OK;
  if (code == SQLITE_OK) code = ended;
  if (code == SQLITE_OK) st_postings_start(&common->postings, o.packed, o.length, o.stale, o.nstale, &common->loose);
  return code;
}

void st_common_close(st_common *common) { st_loose_free(&common->loose); }

/* ---- Keeping ---- */

/* Notes that came after the postings were read are there still: only then they may be kept. */
static bool is_noted_since(st_index *index, int64_t number, int *code) {
  st_value behind = st_int(number);
  int64_t notes = ask(index, "SELECT COUNT(*) FROM stele_rewritten WHERE number > ?1", &behind, code);
  return st_common_last_note(index, code) - number == notes && notes <= ST_REWRITTEN_MAX;
}

static bool has_room_for(st_index *index, const st_term *term, int *code) {
  return !term->prefix || ask(index, "SELECT COUNT(*) FROM stele_common WHERE term LIKE '% *'", NULL, code) < PREFIXES_MAX;
}

static int write_kept(st_index *index, const char *name, const st_common *common, const st_packing *packing) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(index->db, "INSERT OR REPLACE INTO stele_common (term, upto, rewritten, rows, packed) VALUES (?1, ?2, ?3, ?4, ?5)",
                                -1, &stmt, NULL);
  if (code == SQLITE_OK) {
    sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 2, common->upto);
    sqlite3_bind_int64(stmt, 3, common->rewritten);
    sqlite3_bind_int64(stmt, 4, packing->count);
    sqlite3_bind_blob64(stmt, 5, packing->bytes.text, packing->bytes.length, SQLITE_STATIC);
    code = sqlite3_step(stmt) == SQLITE_DONE ? SQLITE_OK : sqlite3_extended_errcode(index->db);
  }
  sqlite3_finalize(stmt);
  return code;
}

static int keep(st_index *index, const st_term *term, const st_common *common, const st_packing *packing) {
  char name[NAME_MAX_BYTES];
  if (packing->bytes.failed) return SQLITE_NOMEM;
  if (!st_term_name(term, name, sizeof name) || packing->count < ST_COMMON_ROWS) return SQLITE_OK;
  int code = st_index_script(index, "BEGIN IMMEDIATE");
  if (code != SQLITE_OK) return code;
  bool may = is_noted_since(index, common->rewritten, &code) && has_room_for(index, term, &code);
  if (code == SQLITE_OK && may) code = write_kept(index, name, common, packing);
  int ended = st_index_script(index, code == SQLITE_OK ? "COMMIT" : "ROLLBACK");
  return code == SQLITE_OK ? ended : code;
}

/* Without the rows that are gone, which their lengths tell.  Of what another process has indexed since these were read they tell
** nothing: it would be taken for gone. */
int st_common_keep(st_index *index, const st_term *term, const st_common *common) {
  st_packing packing;
  st_postings postings = common->postings;
  if (!st_index_is_seen(index)) return SQLITE_OK;
  st_packing_init(&packing);
  for (int64_t id = st_postings_seek(&postings, 0); id != ST_NO_ROW; id = st_postings_seek(&postings, id + 1))
    if (st_rowinfos_length(&index->rows, id) > 0) st_packing_add(&packing, postings.now);
  int code = postings.broken ? SQLITE_CORRUPT : index->rows.error;
  if (code == SQLITE_OK) code = keep(index, term, common, &packing);
  st_str_free(&packing.bytes);
  return code;
}

