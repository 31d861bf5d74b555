/* rowinfo.c - see rowinfo.h. */
#include "search/rowinfo.h"

#include <string.h>

#include "base/alloc.h"

#define BLOCK_BYTES (ST_ROWS_PER_BLOCK * sizeof(st_rowinfo))
#define BLOCKS_MAX (INT64_C(1) << 32) /* four trillion messages */

static bool reserve(st_rowinfos *rows, int64_t blocks) {
  if (blocks <= rows->nblocks) return true;
  if (blocks > BLOCKS_MAX) return false;
  int64_t room = blocks + blocks / 2 + 16;
  st_rowinfo **grown = st_realloc(rows->blocks, (size_t)room * sizeof *grown);
  if (!grown) return false;
  rows->blocks = grown;
  bool *changed = st_realloc(rows->changed, (size_t)room * sizeof *changed);
  if (!changed) return false;
  rows->changed = changed;
  memset(grown + rows->nblocks, 0, (size_t)(room - rows->nblocks) * sizeof *grown);
  memset(changed + rows->nblocks, 0, (size_t)(room - rows->nblocks) * sizeof *changed);
  rows->nblocks = room;
  return true;
}

int st_rowinfos_load(st_rowinfos *rows, sqlite3 *db) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(db, "SELECT block, data FROM stele_rows", -1, &stmt, NULL);
  while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    int64_t block = sqlite3_column_int64(stmt, 0);
    code = SQLITE_OK;
    if (block < 0 || sqlite3_column_bytes(stmt, 1) != (int)BLOCK_BYTES) {
      code = SQLITE_CORRUPT;
    } else if (!reserve(rows, block + 1) || (!rows->blocks[block] && !(rows->blocks[block] = st_alloc(BLOCK_BYTES)))) {
      code = SQLITE_NOMEM;
    } else {
      memcpy(rows->blocks[block], sqlite3_column_blob(stmt, 1), BLOCK_BYTES);
    }
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

const st_rowinfo *st_rowinfos_get(const st_rowinfos *rows, int64_t id) {
  int64_t block = id / ST_ROWS_PER_BLOCK;
  if (id < 0 || block >= rows->nblocks || !rows->blocks[block]) return NULL;
  const st_rowinfo *row = &rows->blocks[block][id % ST_ROWS_PER_BLOCK];
  return row->session ? row : NULL;
}

st_rowinfo *st_rowinfos_put(st_rowinfos *rows, int64_t id) {
  int64_t block = id / ST_ROWS_PER_BLOCK;
  if (id < 0 || !reserve(rows, block + 1)) return NULL;
  if (!rows->blocks[block] && !(rows->blocks[block] = st_alloc_zero(BLOCK_BYTES))) return NULL;
  rows->changed[block] = true;
  return &rows->blocks[block][id % ST_ROWS_PER_BLOCK];
}

int st_rowinfos_save(st_rowinfos *rows, sqlite3 *db) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO stele_rows (block, data) VALUES (?1, ?2)", -1, &stmt, NULL);
  for (int64_t i = 0; i < rows->nblocks && code == SQLITE_OK; i++) {
    if (!rows->changed[i]) continue;
    sqlite3_bind_int64(stmt, 1, i);
    sqlite3_bind_blob(stmt, 2, rows->blocks[i], (int)BLOCK_BYTES, SQLITE_STATIC);
    code = sqlite3_step(stmt) == SQLITE_DONE ? SQLITE_OK : sqlite3_extended_errcode(db);
    sqlite3_reset(stmt);
    if (code == SQLITE_OK) rows->changed[i] = false;
  }
  sqlite3_finalize(stmt);
  return code;
}

void st_rowinfos_free(st_rowinfos *rows) {
  for (int64_t i = 0; i < rows->nblocks; i++) st_free(rows->blocks[i]);
  st_free(rows->blocks);
  st_free(rows->changed);
  *rows = (st_rowinfos){0};
}
