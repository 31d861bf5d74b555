/* rowinfo.h - what ranking and filtering must know of every message, packed and in memory: its
** session, role, time and length.  Kept in the index file as blobs of 1,024 rows, so that a hundred
** thousand messages are there in a few milliseconds. */
#ifndef ST_ROWINFO_H
#define ST_ROWINFO_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct st_rowinfo {
  double time;
  uint32_t session; /* number in the index's table of sessions; 0: no such row */
  uint32_t length;  /* in tokens */
  uint16_t role;    /* number in the index's table of names */
  uint16_t spare;
} st_rowinfo;

#define ST_ROWS_PER_BLOCK 1024

typedef struct st_rowinfos {
  st_rowinfo **blocks; /* by id / ST_ROWS_PER_BLOCK; NULL: none of its rows exists */
  bool *changed;
  int64_t nblocks;
} st_rowinfos;

/* Read all blocks.  A SQLite result code. */
int st_rowinfos_load(st_rowinfos *rows, sqlite3 *db);
/* The row of that id, or NULL. */
const st_rowinfo *st_rowinfos_get(const st_rowinfos *rows, int64_t id);
/* A place for the row of that id, to be filled in; NULL: out of memory. */
st_rowinfo *st_rowinfos_put(st_rowinfos *rows, int64_t id);
/* Write the blocks that were changed.  A SQLite result code. */
int st_rowinfos_save(st_rowinfos *rows, sqlite3 *db);
void st_rowinfos_free(st_rowinfos *rows);

#endif
