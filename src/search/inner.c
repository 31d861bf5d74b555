/* inner.c - see inner.h. */
#include "search/inner.h"

#include <string.h>

#include "base/alloc.h"
#include "search/hash.h"

#define ARENA_MAX (UINT64_C(1) << 30)
#define ROOM 4096
#define BLOCK 3840 /* bytes: with its head it fits a page of 4 KiB */
#define BEHIND '\n' /* every word; none has one inside */

/* ---- Listening ---- */

void st_inner_begin(st_inner *inner) {
  *inner = (st_inner){.listens = true};
  st_arena_init(&inner->arena, ARENA_MAX);
}

void st_inner_end(st_inner *inner) {
  if (!inner->listens) return;
  st_arena_free(&inner->arena);
  st_free(inner->table);
  st_free(inner->words);
  *inner = (st_inner){0};
}

static st_slice *slot_of(st_slice *table, size_t room, const char *word, size_t length) {
  size_t at = st_hash(word, length) & (room - 1);
  while (table[at].bytes && (table[at].length != length || memcmp(table[at].bytes, word, length) != 0)) at = (at + 1) & (room - 1);
  return &table[at];
}

static bool grow(st_inner *inner) {
  size_t room = inner->room ? 2 * inner->room : ROOM;
  st_slice *table = st_alloc_zero(room * sizeof *table);
  st_slice *words = table ? st_realloc(inner->words, room / 2 * sizeof *words) : NULL;
  if (!words) {
    st_free(table);
    return false;
  }
  for (size_t i = 0; i < inner->count; i++) *slot_of(table, room, words[i].bytes, words[i].length) = words[i];
  st_free(inner->table);
  inner->table = table;
  inner->words = words;
  inner->room = room;
  return true;
}

void st_inner_see(st_inner *inner, const char *word, size_t length) {
  if (!inner->listens || inner->nomem) return;
  st_slice *slot = inner->room ? slot_of(inner->table, inner->room, word, length) : NULL;
  if (slot && slot->bytes) return;
  if (2 * inner->count >= inner->room) {
    inner->nomem = !grow(inner);
    slot = inner->nomem ? NULL : slot_of(inner->table, inner->room, word, length);
  }
  char *copy = slot ? st_arena_copy(&inner->arena, word, length) : NULL;
  inner->nomem = !copy;
  if (copy) *slot = inner->words[inner->count++] = (st_slice){copy, length};
}

/* ---- Writing ---- */

/* The last block, to which words are added. */
typedef struct block {
  int64_t number;
  size_t length;
  char words[BLOCK];
} block;

static int read_last(sqlite3 *db, block *b) {
  sqlite3_stmt *stmt = NULL;
  *b = (block){.number = 0};
  int code = sqlite3_prepare_v2(db, "SELECT block, words FROM stele_inner_blocks ORDER BY block DESC LIMIT 1", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  if (code == SQLITE_ROW) {
    b->number = sqlite3_column_int64(stmt, 0);
    b->length = (size_t)sqlite3_column_bytes(stmt, 1);
    code = b->length > 0 && b->length <= BLOCK ? SQLITE_OK : SQLITE_CORRUPT;
    if (code == SQLITE_OK) memcpy(b->words, sqlite3_column_blob(stmt, 1), b->length);
  }
  sqlite3_finalize(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int write_block(sqlite3 *db, const block *b) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO stele_inner_blocks (block, words) VALUES (?1, ?2)", -1, &stmt, NULL);
  if (code == SQLITE_OK) {
    sqlite3_bind_int64(stmt, 1, b->number);
    sqlite3_bind_blob64(stmt, 2, b->words, b->length, SQLITE_STATIC);
    if (sqlite3_step(stmt) != SQLITE_DONE) code = sqlite3_extended_errcode(db);
  }
  sqlite3_finalize(stmt);
  return code;
}

static int add_word(sqlite3 *db, block *b, const st_slice *word) {
  int code = SQLITE_OK;
  if (b->length + word->length + 1 > BLOCK) {
    code = write_block(db, b);
    b->number++;
    b->length = 0;
  }
  memcpy(b->words + b->length, word->bytes, word->length);
  b->length += word->length;
  b->words[b->length++] = BEHIND;
  return code;
}

static int write_words(st_inner *inner, sqlite3 *db, sqlite3_stmt *insert, block *b) {
  int code = SQLITE_OK;
  bool added = false;
  for (; inner->written < inner->count && code == SQLITE_OK; inner->written++) {
    const st_slice *word = &inner->words[inner->written];
    sqlite3_bind_text64(insert, 1, word->bytes, word->length, SQLITE_STATIC, SQLITE_UTF8);
    if (sqlite3_step(insert) != SQLITE_DONE) code = sqlite3_extended_errcode(db);
    sqlite3_reset(insert);
    if (code != SQLITE_OK || sqlite3_changes(db) == 0) continue;
    code = add_word(db, b, word);
    added = true;
  }
  return code == SQLITE_OK && added ? write_block(db, b) : code;
}

int st_inner_write(st_inner *inner, sqlite3 *db) {
  sqlite3_stmt *insert = NULL;
  block last;
  if (inner->nomem) return SQLITE_NOMEM;
  if (inner->written == inner->count) return SQLITE_OK;
  int code = read_last(db, &last);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO stele_inner (word) VALUES (?1)", -1, &insert, NULL);
  if (code == SQLITE_OK) code = write_words(inner, db, insert, &last);
  sqlite3_finalize(insert);
  return code;
}

/* ---- Finding ---- */

typedef struct finding {
  st_arena *arena;
  const char *part;
  size_t length;
  st_slice *words;
  size_t most, count;
} finding;

/* False: out of memory. */
static bool take(finding *f, const char *from, const char *to) {
  if (f->count++ == f->most) return true;
  char *copy = st_arena_copy(f->arena, from, (size_t)(to - from));
  f->words[f->count - 1] = (st_slice){copy, (size_t)(to - from)};
  return copy != NULL;
}

static int look_through(finding *f, const char *words, size_t length) {
  const char *end = words + length, *at;
  if (length == 0 || end[-1] != BEHIND) return SQLITE_CORRUPT;
  for (const char *from = words; f->count <= f->most && (at = memmem(from, (size_t)(end - from), f->part, f->length));) {
    const char *first = memrchr(from, BEHIND, (size_t)(at - from)), *behind = memchr(at, BEHIND, (size_t)(end - at));
    if (!take(f, first ? first + 1 : from, behind)) return SQLITE_NOMEM;
    from = behind + 1;
  }
  return SQLITE_OK;
}

size_t st_inner_find(sqlite3 *db, st_arena *arena, const char *part, size_t length, st_slice *words, size_t most, int *code) {
  finding f = {arena, part, length, words, most, 0};
  sqlite3_stmt *stmt = NULL;
  *code = sqlite3_prepare_v2(db, "SELECT words FROM stele_inner_blocks", -1, &stmt, NULL);
  while (*code == SQLITE_OK && f.count <= most && (*code = sqlite3_step(stmt)) == SQLITE_ROW) {
    const char *some = sqlite3_column_blob(stmt, 0);
    *code = some ? look_through(&f, some, (size_t)sqlite3_column_bytes(stmt, 0)) : SQLITE_CORRUPT;
  }
  sqlite3_finalize(stmt);
  if (*code == SQLITE_DONE) *code = SQLITE_OK;
  return f.count;
}
