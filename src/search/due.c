/* due.c - see due.h. */
#include "search/due.h"

#include <stdio.h>

#include "engine/feature.h"
#include "registry_ids.h"
#include "search/documents_messages.h"
#include "search/index_file.h"
#include "search/sources.h"

#define METHOD(name) st_shared(call, ST_T_EMBEDDING_##name)

static bool has_embeddings(const st_call *call) { return st_feature_has(call, st_shared_feature(call, ST_TF_EMBEDDINGS)); }
static bool is_postgres(const st_call *call) { return call->store->driver->engine == ST_POSTGRES; }

/* ---- Noting ---- */

int st_due_note_parcel(const st_call *call, st_index *index, const st_parcel *parcel) {
  sqlite3_stmt *stmt = NULL;
  char number[32];
  if (!has_embeddings(call)) return SQLITE_OK;
  int code = sqlite3_prepare_v2(index->db, "INSERT OR REPLACE INTO stele_due (kind, id) VALUES (?1, ?2)", -1, &stmt, NULL);
  for (const st_entry *e = parcel->first; e && code == SQLITE_OK; e = e->next) {
    snprintf(number, sizeof number, "%lld", (long long)e->number);
    sqlite3_bind_text(stmt, 1, call->store->store->sources[e->kind - 1].kind, -1, SQLITE_STATIC);
    if (e->id.bytes) sqlite3_bind_text64(stmt, 2, e->id.bytes, e->id.length, SQLITE_STATIC, SQLITE_UTF8);
    else sqlite3_bind_text(stmt, 2, number, -1, SQLITE_STATIC);
    if (sqlite3_step(stmt) != SQLITE_DONE) code = sqlite3_extended_errcode(index->db);
    sqlite3_reset(stmt);
  }
  sqlite3_finalize(stmt);
  return code;
}

void st_due_note(st_call *call, const char *kind, const char *id) {
  st_value args[] = {st_textz(kind), st_textz(id)};
  if (st_ok(call) && has_embeddings(call)) st_run(call, METHOD(NOTE), args);
}

/* ---- Listing ---- */

static int list_noted(st_call *call, int64_t after, int most, st_due *out) {
  st_value args[] = {st_int(after), st_int(most)}, v[3];
  st_rows rows;
  int count = 0;
  st_rows_start(call, &rows, METHOD(NOTED), args);
  while (count < most && st_rows_next(call, &rows)) {
    st_rows_keep(call, &rows, v);
    if (st_ok(call))
      out[count++] = (st_due){v[ST_R_SHARED_EMBEDDING_NOTED_NUMBER].integer, v[ST_R_SHARED_EMBEDDING_NOTED_KIND].bytes,
                              v[ST_R_SHARED_EMBEDDING_NOTED_ID].bytes};
  }
  st_rows_end(call, &rows);
  return count;
}

static int list_indexed(st_call *call, st_index *index, int64_t after, int most, st_due *out) {
  sqlite3_stmt *stmt = NULL;
  int count = 0;
  int code = sqlite3_prepare_v2(index->db, "SELECT number, kind, id FROM stele_due WHERE number > ?1 ORDER BY number LIMIT ?2", -1, &stmt, NULL);
  if (code == SQLITE_OK) {
    sqlite3_bind_int64(stmt, 1, after);
    sqlite3_bind_int(stmt, 2, most);
  }
  while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW && st_ok(call)) {
    out[count++] = (st_due){sqlite3_column_int64(stmt, 0),
                            st_call_copy(call, (const char *)sqlite3_column_text(stmt, 1), (size_t)sqlite3_column_bytes(stmt, 1)),
                            st_call_copy(call, (const char *)sqlite3_column_text(stmt, 2), (size_t)sqlite3_column_bytes(stmt, 2))};
    code = SQLITE_OK;
  }
  sqlite3_finalize(stmt);
  if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) st_index_fail(call, index, code);
  return st_ok(call) ? count : 0;
}

int st_due_list(st_call *call, int64_t after, int most, st_due *out) {
  if (!st_ok(call) || !has_embeddings(call)) return 0;
  if (is_postgres(call)) return list_noted(call, after, most, out);
  if (st_sources_numbered(call->store->store) && st_messages_are_inside(call)) return 0; /* there is no index to note anything */
  st_index *index = st_index_of(call);
  return index ? list_indexed(call, index, after, most, out) : 0;
}

/* ---- Settling ---- */

static void settle_noted(st_call *call, const st_due *settled, int count) {
  st_call_begin(call, true);
  for (int i = 0; i < count && st_ok(call); i++) {
    st_value number = st_int(settled[i].number);
    st_run(call, METHOD(SETTLE), &number);
  }
  st_call_end(call);
}

static void settle_indexed(st_call *call, st_index *index, const st_due *settled, int count) {
  sqlite3_stmt *stmt = NULL;
  int code = st_index_script(index, "BEGIN IMMEDIATE");
  bool begun = code == SQLITE_OK;
  if (begun) code = sqlite3_prepare_v2(index->db, "DELETE FROM stele_due WHERE number = ?1", -1, &stmt, NULL);
  for (int i = 0; i < count && code == SQLITE_OK; i++) {
    sqlite3_bind_int64(stmt, 1, settled[i].number);
    if (sqlite3_step(stmt) != SQLITE_DONE) code = sqlite3_extended_errcode(index->db);
    sqlite3_reset(stmt);
  }
  sqlite3_finalize(stmt);
  if (code == SQLITE_OK) code = st_index_script(index, "COMMIT");
  if (code == SQLITE_OK) return;
  st_index_fail(call, index, code);
  if (begun) st_index_script(index, "ROLLBACK");
}

void st_due_settle(st_call *call, const st_due *settled, int count) {
  if (!st_ok(call) || count == 0) return;
  if (is_postgres(call)) {
    settle_noted(call, settled, count);
    return;
  }
  st_index *index = st_index_of(call);
  if (index) settle_indexed(call, index, settled, count);
}
