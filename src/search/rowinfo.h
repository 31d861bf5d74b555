/* rowinfo.h - what ranking and filtering must know of every message, packed and in memory: its
** session, role, time and length.  Kept in the index file as blobs of 1,024 rows, each read when one of its rows
** is first asked for: a search for a rare word reads a few of them, however many messages there are. */
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
  sqlite3 *db;         /* of the index */
  sqlite3_stmt *read;  /* of one block */
  st_rowinfo **blocks; /* by id / ST_ROWS_PER_BLOCK; NULL: not read, or none of its rows exists */
  uint8_t *states;     /* of each block: unread, read or changed */
  int64_t nblocks;
  int64_t stamp; /* every write of blocks has one, and they grow: what is newer than this was not seen yet */
  int error;     /* the SQLite result code of a block that could not be read */
} st_rowinfos;

/* See which blocks another process has written since.  A SQLite result code. */
int st_rowinfos_refresh(st_rowinfos *rows, sqlite3 *db);
/* The row of that id, or NULL: there is none, or `error` tells why it could not be read. */
const st_rowinfo *st_rowinfos_get(st_rowinfos *rows, int64_t id);
/* A place for the row of that id, to be filled in; NULL: out of memory, or `error`. */
st_rowinfo *st_rowinfos_put(st_rowinfos *rows, int64_t id);
/* Write the blocks that were changed.  A SQLite result code. */
int st_rowinfos_save(st_rowinfos *rows);
/* Forget all: it is read anew. */
void st_rowinfos_free(st_rowinfos *rows);

#endif
