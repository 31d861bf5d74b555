/* rowinfo.c - see rowinfo.h. */
#include "search/rowinfo.h"

#include <string.h>

#include "base/alloc.h"

#define BLOCK_BYTES (ST_ROWS_PER_BLOCK * sizeof(st_rowinfo))
#define BLOCKS_MAX (INT64_C(1) << 32) /* four trillion messages */

enum { UNREAD, READ, CHANGED };

static bool reserve(st_rowinfos *rows, int64_t blocks) {
  if (blocks <= rows->nblocks) return true;
  if (blocks > BLOCKS_MAX) return false;
  int64_t room = blocks + blocks / 2 + 16;
  st_rowinfo **grown = st_realloc(rows->blocks, (size_t)room * sizeof *grown);
  if (!grown) return false;
  rows->blocks = grown;
  uint8_t *states = st_realloc(rows->states, (size_t)room);
  if (!states) return false;
  rows->states = states;
  memset(grown + rows->nblocks, 0, (size_t)(room - rows->nblocks) * sizeof *grown);
  memset(states + rows->nblocks, UNREAD, (size_t)(room - rows->nblocks));
  rows->nblocks = room;
  return true;
}

static void forget(st_rowinfos *rows, int64_t block) {
  if (block >= rows->nblocks) return;
  st_free(rows->blocks[block]);
  rows->blocks[block] = NULL;
  rows->states[block] = UNREAD;
}

/* Blocks beyond those that are known have been written since, too. */
int st_rowinfos_refresh(st_rowinfos *rows, sqlite3 *db) {
  sqlite3_stmt *stmt = NULL;
  int64_t stamp = rows->stamp, last = -1;
  rows->db = db;
  rows->error = SQLITE_OK;
  int code = sqlite3_prepare_v2(db, "SELECT block, stamp FROM stele_rows WHERE stamp > ?1", -1, &stmt, NULL);
  if (code == SQLITE_OK) sqlite3_bind_int64(stmt, 1, rows->stamp);
  while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    int64_t block = sqlite3_column_int64(stmt, 0);
    code = block < 0 || block >= BLOCKS_MAX ? SQLITE_CORRUPT : SQLITE_OK;
    if (code != SQLITE_OK) break;
    forget(rows, block);
    if (block > last) last = block;
    if (sqlite3_column_int64(stmt, 1) > stamp) stamp = sqlite3_column_int64(stmt, 1);
  }
  sqlite3_finalize(stmt);
  if (code != SQLITE_DONE) return code;
  if (!reserve(rows, last + 1)) return SQLITE_NOMEM;
  rows->stamp = stamp;
  return SQLITE_OK;
}

static int read_block(st_rowinfos *rows, int64_t block) {
  int code = SQLITE_OK;
  if (!rows->read)
    code = sqlite3_prepare_v3(rows->db, "SELECT data FROM stele_rows WHERE block = ?1", -1, SQLITE_PREPARE_PERSISTENT,
                              &rows->read, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_int64(rows->read, 1, block);
  code = sqlite3_step(rows->read);
  if (code == SQLITE_ROW) {
    st_rowinfo *data = st_alloc(BLOCK_BYTES);
    bool whole = sqlite3_column_bytes(rows->read, 0) == (int)BLOCK_BYTES;
    code = !data ? SQLITE_NOMEM : whole ? SQLITE_OK : SQLITE_CORRUPT;
    if (code == SQLITE_OK) memcpy(data, sqlite3_column_blob(rows->read, 0), BLOCK_BYTES);
    if (code == SQLITE_OK) rows->blocks[block] = data;
    else st_free(data);
  } else if (code == SQLITE_DONE) {
    code = SQLITE_OK; /* none of its rows exists */
  }
  sqlite3_reset(rows->read);
  if (code == SQLITE_OK) rows->states[block] = READ;
  return code;
}

/* Its rows, once they are read; NULL: none of them exists, or `error`. */
static st_rowinfo *block_at(st_rowinfos *rows, int64_t block) {
  if (rows->states[block] == UNREAD && rows->error == SQLITE_OK) rows->error = read_block(rows, block);
  return rows->blocks[block];
}

const st_rowinfo *st_rowinfos_get(st_rowinfos *rows, int64_t id) {
  int64_t block = id / ST_ROWS_PER_BLOCK;
  if (id < 0 || block >= rows->nblocks) return NULL;
  const st_rowinfo *data = block_at(rows, block);
  const st_rowinfo *row = data ? &data[id % ST_ROWS_PER_BLOCK] : NULL;
  return row && row->session ? row : NULL;
}

st_rowinfo *st_rowinfos_put(st_rowinfos *rows, int64_t id) {
  int64_t block = id / ST_ROWS_PER_BLOCK;
  if (id < 0 || !reserve(rows, block + 1)) return NULL;
  st_rowinfo *data = block_at(rows, block);
  if (rows->error != SQLITE_OK) return NULL;
  if (!data && !(data = rows->blocks[block] = st_alloc_zero(BLOCK_BYTES))) return NULL;
  rows->states[block] = CHANGED;
  return &data[id % ST_ROWS_PER_BLOCK];
}

int st_rowinfos_save(st_rowinfos *rows) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(rows->db, "INSERT OR REPLACE INTO stele_rows (block, stamp, data) VALUES (?1, ?2, ?3)", -1,
                                &stmt, NULL);
  rows->stamp++;
  for (int64_t i = 0; i < rows->nblocks && code == SQLITE_OK; i++) {
    if (rows->states[i] != CHANGED) continue;
    sqlite3_bind_int64(stmt, 1, i);
    sqlite3_bind_int64(stmt, 2, rows->stamp);
    sqlite3_bind_blob(stmt, 3, rows->blocks[i], (int)BLOCK_BYTES, SQLITE_STATIC);
    code = sqlite3_step(stmt) == SQLITE_DONE ? SQLITE_OK : sqlite3_extended_errcode(rows->db);
    sqlite3_reset(stmt);
    if (code == SQLITE_OK) rows->states[i] = READ;
  }
  sqlite3_finalize(stmt);
  return code;
}

void st_rowinfos_free(st_rowinfos *rows) {
  for (int64_t i = 0; i < rows->nblocks; i++) st_free(rows->blocks[i]);
  st_free(rows->blocks);
  st_free(rows->states);
  sqlite3_finalize(rows->read);
  *rows = (st_rowinfos){0};
}
