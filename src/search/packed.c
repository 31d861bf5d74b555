/* packed.c - see packed.h. */
#include "search/packed.h"

#include <string.h>

#include "base/alloc.h"

#define BLOCKS_MAX (INT64_C(1) << 32)
#define AHEAD_MAX 64

enum { UNREAD, READ, CHANGED };

static bool reserve(st_packed *p, int64_t blocks) {
  if (blocks <= p->nblocks) return true;
  if (blocks > BLOCKS_MAX) return false;
  int64_t room = blocks + blocks / 2 + 16;
  char **grown = st_realloc(p->blocks, (size_t)room * sizeof *grown);
  if (!grown) return false;
  p->blocks = grown;
  uint8_t *states = st_realloc(p->states, (size_t)room);
  if (!states) return false;
  p->states = states;
  memset(grown + p->nblocks, 0, (size_t)(room - p->nblocks) * sizeof *grown);
  memset(states + p->nblocks, UNREAD, (size_t)(room - p->nblocks));
  p->nblocks = room;
  return true;
}

static void forget(st_packed *p, int64_t block) {
  if (block >= p->nblocks) return;
  st_free(p->blocks[block]);
  p->blocks[block] = NULL;
  p->near_end = 0;
  p->states[block] = UNREAD;
}

/* Blocks beyond those that are known have been written since, too. */
int st_packed_refresh(st_packed *p, const st_packed_kind *kind, sqlite3 *db, int64_t last) {
  sqlite3_stmt *stmt = NULL;
  int64_t stamp = p->stamp, blocks = 0, most = last / st_packed_per_block(kind) + 1;
  p->db = db;
  p->error = SQLITE_OK;
  int code = sqlite3_prepare_v2(db, kind->changed, -1, &stmt, NULL);
  if (code == SQLITE_OK) sqlite3_bind_int64(stmt, 1, p->stamp);
  while (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    int64_t block = sqlite3_column_int64(stmt, 0);
    code = block < 0 || block >= most ? SQLITE_CORRUPT : SQLITE_OK;
    if (code != SQLITE_OK) break;
    forget(p, block);
    if (block >= blocks) blocks = block + 1;
    if (sqlite3_column_int64(stmt, 1) > stamp) stamp = sqlite3_column_int64(stmt, 1);
  }
  sqlite3_finalize(stmt);
  if (code != SQLITE_DONE) return code;
  if (!reserve(p, blocks)) return SQLITE_NOMEM;
  p->stamp = stamp;
  return SQLITE_OK;
}

/* The block that the statement is at. */
static int take_block(st_packed *p) {
  int64_t block = sqlite3_column_int64(p->read, 0);
  if (p->states[block] != UNREAD) return SQLITE_OK;
  if (sqlite3_column_bytes(p->read, 1) != ST_PACKED_BYTES) return SQLITE_CORRUPT;
  const void *data = sqlite3_column_blob(p->read, 1);
  p->blocks[block] = data ? st_alloc(ST_PACKED_BYTES) : NULL;
  if (!p->blocks[block]) return SQLITE_NOMEM;
  memcpy(p->blocks[block], data, ST_PACKED_BYTES);
  p->states[block] = READ;
  return SQLITE_OK;
}

/* Those from..to, without the last.  Of some there may be none: none of their items was ever put. */
static int read_blocks(st_packed *p, const st_packed_kind *kind, int64_t from, int64_t to) {
  int code = SQLITE_OK;
  if (!p->read) code = sqlite3_prepare_v3(p->db, kind->read, -1, SQLITE_PREPARE_PERSISTENT, &p->read, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_int64(p->read, 1, from);
  sqlite3_bind_int64(p->read, 2, to);
  while (code == SQLITE_OK && (code = sqlite3_step(p->read)) == SQLITE_ROW) code = take_block(p);
  sqlite3_reset(p->read);
  if (code != SQLITE_DONE) return code;
  for (int64_t block = from; block < to; block++)
    if (p->states[block] == UNREAD) p->states[block] = READ;
  return SQLITE_OK;
}

/* That block, and more behind it, if the ones before it were read just now. */
static int read_ahead(st_packed *p, const st_packed_kind *kind, int64_t block) {
  p->ahead = block != p->read_end || p->ahead == 0 ? 1 : 2 * p->ahead < AHEAD_MAX ? 2 * p->ahead : AHEAD_MAX;
  p->read_end = block + p->ahead < p->nblocks ? block + p->ahead : p->nblocks;
  return read_blocks(p, kind, block, p->read_end);
}

/* Its items, once they are read; NULL: there are none, or `error`. */
static char *block_at(st_packed *p, const st_packed_kind *kind, int64_t block) {
  if (p->states[block] == UNREAD && p->error == SQLITE_OK) p->error = read_ahead(p, kind, block);
  return p->blocks[block];
}

static size_t offset_in_block(const st_packed_kind *kind, int64_t number) {
  return (size_t)(number % st_packed_per_block(kind)) * kind->width;
}

const void *st_packed_find(st_packed *p, const st_packed_kind *kind, int64_t number) {
  int64_t items = st_packed_per_block(kind), block = number / items;
  if (number < 0 || block >= p->nblocks) return NULL;
  const char *data = block_at(p, kind, block);
  if (!data) return NULL;
  p->near_items = data;
  p->near_first = block * items;
  p->near_end = p->near_first + items;
  return data + offset_in_block(kind, number);
}

void *st_packed_put(st_packed *p, const st_packed_kind *kind, int64_t number) {
  int64_t block = number / st_packed_per_block(kind);
  if (number < 0 || !reserve(p, block + 1)) return NULL;
  char *data = block_at(p, kind, block);
  if (p->error != SQLITE_OK) return NULL;
  if (!data && !(data = p->blocks[block] = st_alloc_zero(ST_PACKED_BYTES))) return NULL;
  p->states[block] = CHANGED;
  return data + offset_in_block(kind, number);
}

/* A stamp under which nothing was written would be the next one of another process, too. */
int st_packed_save(st_packed *p, const st_packed_kind *kind) {
  sqlite3_stmt *stmt = NULL;
  int64_t stamp = p->stamp + 1;
  int code = sqlite3_prepare_v2(p->db, kind->write, -1, &stmt, NULL);
  for (int64_t i = 0; i < p->nblocks && code == SQLITE_OK; i++) {
    if (p->states[i] != CHANGED) continue;
    sqlite3_bind_int64(stmt, 1, i);
    sqlite3_bind_int64(stmt, 2, stamp);
    sqlite3_bind_blob(stmt, 3, p->blocks[i], ST_PACKED_BYTES, SQLITE_STATIC);
    code = sqlite3_step(stmt) == SQLITE_DONE ? SQLITE_OK : sqlite3_extended_errcode(p->db);
    sqlite3_reset(stmt);
    if (code != SQLITE_OK) break;
    p->states[i] = READ;
    p->stamp = stamp;
  }
  sqlite3_finalize(stmt);
  return code;
}

void st_packed_free(st_packed *p) {
  for (int64_t i = 0; i < p->nblocks; i++) st_free(p->blocks[i]);
  st_free(p->blocks);
  st_free(p->states);
  sqlite3_finalize(p->read);
  *p = (st_packed){0};
}
