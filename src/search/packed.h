/* packed.h - a long array in a table: as many items as fit a page make one row, read when one of its items is first
** asked for and then kept; who asks for one after another has more and more read at once.  What another process writes is
** noticed by its stamp. */
#ifndef ST_PACKED_H
#define ST_PACKED_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ST_PACKED_BYTES 3840 /* of one row: with its head it fits a page of 4 KiB */

/* The table is name(block INTEGER PRIMARY KEY, stamp INTEGER, data BLOB), with an index on the stamp. */
typedef struct st_packed_kind {
  size_t width; /* of an item, in bytes */
  const char *changed, *read, *write; /* the statements: blocks above a stamp; those from one to before another; put one */
} st_packed_kind;

#define ST_PACKED_KIND(table, item)                                                                   \
  {sizeof(item), "SELECT block, stamp FROM " table " WHERE stamp > ?1", "SELECT block, data FROM " table " WHERE block >= ?1 AND block < ?2", \
   "INSERT OR REPLACE INTO " table " (block, stamp, data) VALUES (?1, ?2, ?3)"}

#define ST_PACKED_TABLE(table)                                                                          \
  "CREATE TABLE " table " (block INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, data BLOB NOT NULL);" \
  "CREATE INDEX " table "_stamp ON " table "(stamp);"

typedef struct st_packed {
  sqlite3 *db;
  sqlite3_stmt *read;
  char **blocks;   /* NULL: not read, or none of its items was ever put */
  uint8_t *states; /* of each block: unread, read or changed */
  int64_t nblocks;
  int64_t read_end, ahead; /* behind what was read last, and how many blocks that was */
  int64_t stamp; /* every save has one, and they grow: what is newer than this was not seen yet */
  int error;     /* the SQLite result code of a block that could not be read */
  const char *near_items; /* of the block that was last looked at: mostly the next item is near, */
  int64_t near_first, near_end; /* and these are the numbers of its items */
} st_packed;

static inline int64_t st_packed_per_block(const st_packed_kind *kind) { return ST_PACKED_BYTES / (int64_t)kind->width; }

/* See which blocks another process has written since.  No item has a number above `last`: a block behind is damage.  A SQLite
** result code. */
int st_packed_refresh(st_packed *p, const st_packed_kind *kind, sqlite3 *db, int64_t last);
/* The item of that number, or NULL: nothing near it was ever put, or `error` tells why it could not be read. */
const void *st_packed_find(st_packed *p, const st_packed_kind *kind, int64_t number);
static inline const void *st_packed_get(st_packed *p, const st_packed_kind *kind, int64_t number) {
  bool near = number >= p->near_first && number < p->near_end;
  return near ? p->near_items + (size_t)(number - p->near_first) * kind->width : st_packed_find(p, kind, number);
}
/* A place for the item, to be filled in at once; NULL: out of memory, or `error`. */
void *st_packed_put(st_packed *p, const st_packed_kind *kind, int64_t number);
/* Write the blocks that were changed.  A SQLite result code. */
int st_packed_save(st_packed *p, const st_packed_kind *kind);
/* Forget all: it is read anew. */
void st_packed_free(st_packed *p);

#endif
