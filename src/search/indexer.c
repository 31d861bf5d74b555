/* indexer.c - brings the index up to date with the store, parcel by parcel. */
#include <stdio.h>
#include <string.h>

#include "engine/handle.h"
#include "search/common.h"
#include "search/corpus.h"
#include "search/due.h"
#include "search/index_file.h"
#include "search/numbering.h"
#include "search/text.h"

#define MERGE_PAGES 500
#define ARENA_MAX (UINT64_C(2) << 30)

typedef struct writing {
  st_index *index;
  st_parcel *parcel;
  sqlite3_stmt *insert, *insert_trigram, *remove, *remove_trigram;
  int code;
} writing;

static void run(writing *w, sqlite3_stmt *stmt) {
  if (w->code == SQLITE_OK && sqlite3_step(stmt) != SQLITE_DONE) w->code = sqlite3_extended_errcode(w->index->db);
  sqlite3_reset(stmt);
}

static void bind_text(sqlite3_stmt *stmt, int at, const st_slice *t) {
  if (t->bytes)
    sqlite3_bind_text64(stmt, at, t->bytes, t->length, SQLITE_STATIC, SQLITE_UTF8);
  else
    sqlite3_bind_null(stmt, at);
}

static void put_row(writing *w, int64_t id, const st_rowinfo *row) {
  if (w->code != SQLITE_OK || st_rowinfos_put(&w->index->rows, id, row)) return;
  w->code = w->index->rows.error != SQLITE_OK ? w->index->rows.error : SQLITE_NOMEM;
}

static void forget(writing *w, int64_t id) {
  st_rowinfo row;
  bool there = st_rowinfos_get(&w->index->rows, id, &row);
  if (w->code == SQLITE_OK) w->code = w->index->rows.error;
  if (!there || w->code != SQLITE_OK) return;
  w->index->total_rows--;
  w->index->total_tokens -= row.length;
  put_row(w, id, &(st_rowinfo){0});
  sqlite3_bind_int64(w->remove, 1, id);
  run(w, w->remove);
  sqlite3_bind_int64(w->remove_trigram, 1, id);
  run(w, w->remove_trigram);
}

static void write_entry(writing *w, const st_entry *e) {
  st_slice texts[3] = {e->text, e->title, e->extra};
  st_arena *arena = &w->parcel->arena;
  if (e->text.bytes) texts[0].bytes = st_content_text(arena, e->text.bytes, e->text.length, &texts[0].length);
  if (e->extra.bytes) texts[2].bytes = st_json_text(arena, e->extra.bytes, e->extra.length, &texts[2].length);
  if ((e->text.bytes && !texts[0].bytes) || (e->extra.bytes && !texts[2].bytes)) {
    w->code = SQLITE_NOMEM;
    return;
  }
  w->index->counted = 0;
  sqlite3_bind_int64(w->insert, 1, e->number);
  for (int i = 0; i < 3; i++) bind_text(w->insert, i + 2, &texts[i]);
  run(w, w->insert);
  put_row(w, e->number, &(st_rowinfo){.time = e->time, .session = e->session_number, .project = e->project_number,
                                      .role = (uint16_t)e->role_number, .kind = e->kind, .length = w->index->counted});
  w->index->total_rows++;
  w->index->total_tokens += w->index->counted;
  if (!e->inside || !texts[0].bytes) return;
  sqlite3_bind_int64(w->insert_trigram, 1, e->number);
  bind_text(w->insert_trigram, 2, &texts[0]);
  run(w, w->insert_trigram);
}

/* Behind all that goes into the search tables: see write_parcel(). */
static void note_rewritten(writing *w) {
  int64_t last = w->index->last;
  bool some = false;
  for (const st_entry *e = w->parcel->first; e && w->code == SQLITE_OK; e = e->next) {
    if (e->gone) continue;
    if (e->number > w->index->last) w->index->last = e->number;
    if (e->number > last) continue;
    w->code = st_common_note(w->index, e->number);
    some = true;
  }
  if (some && w->code == SQLITE_OK) w->code = st_common_trim(w->index);
}

static void set_number(writing *w, const char *key, int64_t value) {
  char textual[32];
  snprintf(textual, sizeof textual, "%lld", (long long)value);
  if (w->code == SQLITE_OK) w->code = st_index_set(w->index, key, textual);
}

static void write_all(writing *w) {
  static const char *const sql[] = {
      "INSERT OR REPLACE INTO stele_text(rowid, text, title, extra) VALUES (?1, ?2, ?3, ?4)",
      "INSERT OR REPLACE INTO stele_trigram(rowid, text) VALUES (?1, ?2)",
      "DELETE FROM stele_text WHERE rowid = ?1", "DELETE FROM stele_trigram WHERE rowid = ?1"};
  sqlite3_stmt **const stmts[] = {&w->insert, &w->insert_trigram, &w->remove, &w->remove_trigram};
  for (int i = 0; i < 4 && w->code == SQLITE_OK; i++)
    w->code = sqlite3_prepare_v2(w->index->db, sql[i], -1, stmts[i], NULL);
  for (const st_entry *e = w->parcel->first; e && w->code == SQLITE_OK; e = e->next) {
    if (e->number) forget(w, e->number);
    if (!e->gone && w->code == SQLITE_OK) write_entry(w, e);
  }
  for (int i = 0; i < 4; i++) sqlite3_finalize(*stmts[i]);
}

static void move_marks(writing *w) {
  st_marks *marks = &w->index->marks;
  *marks = w->parcel->to;
  marks->turn++;
  set_number(w, "upto", marks->upto);
  set_number(w, "change_upto", marks->change_upto);
  set_number(w, "stamp", marks->stamp);
  set_number(w, "sources", marks->sources);
  set_number(w, "turn", marks->turn);
  set_number(w, "last", w->index->last);
  set_number(w, "rows", (int64_t)w->index->total_rows);
  set_number(w, "tokens", (int64_t)w->index->total_tokens);
  if (w->code == SQLITE_OK) w->code = st_index_set(w->index, "after", w->parcel->after);
  if (w->code == SQLITE_OK) w->code = st_rowinfos_save(&w->index->rows);
}

/* One transaction on the index.  *moved is false if another indexer was faster: read anew.  All is numbered before anything
** is written into the search tables: FTS5 writes out what it has gathered whenever a statement that may fail halfway, like
** one that adds a name, runs in the same transaction. */
static void write_parcel(st_call *call, st_index *index, st_parcel *parcel, bool *moved) {
  writing w = {.index = index, .parcel = parcel};
  int64_t turn = index->marks.turn;
  *moved = true;
  w.code = st_index_script(index, "BEGIN IMMEDIATE");
  bool begun = w.code == SQLITE_OK;
  if (begun) st_index_refresh(call, index);
  if (begun && index->marks.turn != turn) {
    *moved = false;
    st_index_script(index, "ROLLBACK");
    return;
  }
  if (w.code == SQLITE_OK) w.code = st_index_number_all(index, parcel);
  if (w.code == SQLITE_OK) w.code = st_due_note_parcel(call, index, parcel);
  if (w.code == SQLITE_OK) write_all(&w);
  if (w.code == SQLITE_OK) w.code = st_inner_write(&index->inner, index->db);
  if (w.code == SQLITE_OK) note_rewritten(&w);
  if (w.code == SQLITE_OK) move_marks(&w);
  if (w.code == SQLITE_OK) w.code = st_index_script(index, "COMMIT");
  if (w.code == SQLITE_OK) return;
  st_index_fail(call, index, w.code);
  if (begun) st_index_script(index, "ROLLBACK");
  index->data_version = -1; /* what is in memory may be ahead of the file */
}

void st_index_tell(st_call *call, int64_t indexed) {
  char what[100];
  snprintf(what, sizeof what, "index %s", call->store->store->name);
  if (call->db->progress && call->db->progress(call->db->user, what, indexed, 0) != 0)
    st_fail(call, STELE_CANCELLED, NULL, "indexing was stopped; what is indexed stays");
}

void st_index_catch_up(st_call *call, st_index *index, int64_t most, int64_t *indexed) {
  st_corpus corpus = st_corpus_of(call);
  st_parcel parcel;
  bool more = true, moved = true;
  *indexed = 0;
  st_arena_init(&parcel.arena, ARENA_MAX);
  st_inner_begin(&index->inner);
  while (more && st_ok(call) && (most == 0 || *indexed < most)) {
    st_parcel_start(&parcel, &index->marks);
    corpus.read(call, index, &parcel);
    more = parcel.count > 0 || memcmp(&parcel.to, &index->marks, sizeof parcel.to) != 0;
    if (more && st_ok(call)) write_parcel(call, index, &parcel, &moved);
    if (more && moved) *indexed += parcel.count;
    if (more) st_index_tell(call, *indexed);
  }
  st_inner_end(&index->inner);
  st_arena_free(&parcel.arena);
}

/* Four parts of about one size become one, again and again: each document is so moved a few times only, however
** large the index is.  In steps, so that another indexer never waits long, and until nothing changes. */
static int merge_table(st_index *index, const char *table, int steps) {
  char sql[200];
  int code = SQLITE_OK;
  snprintf(sql, sizeof sql, "INSERT INTO %s(%s, rank) VALUES('merge', %d)", table, table, MERGE_PAGES);
  for (int step = 0; step < steps && code == SQLITE_OK; step++) {
    int64_t before = sqlite3_total_changes64(index->db);
    code = st_index_script(index, sql);
    if (sqlite3_total_changes64(index->db) - before < 2) break;
  }
  return code;
}

void st_index_merge(st_call *call, st_index *index, int steps) {
  if (!st_ok(call)) return;
  int code = merge_table(index, "stele_text", steps);
  if (code == SQLITE_OK) code = merge_table(index, "stele_trigram", steps);
  if (code == SQLITE_OK) code = sqlite3_wal_checkpoint_v2(index->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
  if (code != SQLITE_OK && code != SQLITE_BUSY) st_index_fail(call, index, code);
}
