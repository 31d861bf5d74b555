/* pages.h - the pages of a SQLite file, read without SQLite: also of one that SQLite refuses.
**
** The file is only ever read.  Pages that the log (-wal) holds, up to its last whole transaction, are read from there.  If the header is
** gone, the size of the pages is found out by looking which one makes pages of the most bytes. */
#ifndef ST_PAGES_H
#define ST_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/durable.h"

/* Numbers as the format has them: the high byte first. */
static inline uint32_t st_two_bytes(const unsigned char *at) { return (uint32_t)at[0] << 8 | at[1]; }
static inline uint32_t st_four_bytes(const unsigned char *at) { return st_two_bytes(at) << 16 | st_two_bytes(at + 2); }

typedef struct st_pages {
  int fd; /* the caller's */
  int log;
  uint32_t size;     /* of a page */
  uint32_t usable;   /* of that */
  uint32_t count;    /* of pages */
  bool header;       /* the file's header is whole */
  bool pointer_map;  /* pages say what they belong to: auto_vacuum */
  int64_t *in_log;   /* by page: where it is in the log; 0: it is not */
  uint32_t free_list; /* its first page, if the header is whole */
  uint32_t logged;    /* how many pages the log has */
} st_pages;

/* The log is read if its path is not NULL.  STELE_CORRUPT: there is nothing in it that looks like a page. */
stele_status st_pages_open(int fd, const char *log, st_pages *out, char problem[ST_PROBLEM_MAX]);
void st_pages_close(st_pages *pages);

/* Read a page, numbered from 1.  False: it is not there, or cannot be read. */
bool st_pages_read(const st_pages *pages, uint32_t number, unsigned char *out);

/* What the pointer map says a page's parent is; 0: nothing, or it is not a page of a tree. */
uint32_t st_pages_parent(const st_pages *pages, uint32_t number);

/* ---- Trees ---- */

enum { ST_INDEX_INNER = 2, ST_TABLE_INNER = 5, ST_INDEX_LEAF = 10, ST_TABLE_LEAF = 13 };

/* A page of a tree; its bytes are the caller's. */
typedef struct st_tree_page {
  const unsigned char *bytes;
  uint32_t number;
  int kind;
  uint32_t cells;
  uint32_t right; /* of an inner page: its last child */
} st_tree_page;

typedef struct st_cell {
  uint32_t child; /* of an inner page */
  int64_t rowid;  /* of a table's */
  uint64_t size;  /* of its record, of which the first bytes are local */
  const unsigned char *local;
  uint32_t local_size;
  uint32_t overflow; /* where the others are; 0: there are none */
} st_cell;

/* False: it is no page of a tree. */
bool st_tree_page_read(const st_pages *pages, uint32_t number, const unsigned char *bytes, st_tree_page *out);
/* False: there is no whole cell. */
bool st_tree_cell(const st_pages *pages, const st_tree_page *page, uint32_t index, st_cell *out);

/* Write the whole record of a cell, of cell->size bytes, to out.  took(user, page) is told each page that belongs to it, and says whether it may.
** False: it is not whole. */
bool st_tree_record(const st_pages *pages, const st_cell *cell, unsigned char *out, bool (*took)(void *user, uint32_t page), void *user);

/* ---- Records ---- */

typedef struct st_field {
  enum { ST_FIELD_NULL, ST_FIELD_INT, ST_FIELD_REAL, ST_FIELD_TEXT, ST_FIELD_BLOB } type;
  int64_t integer;
  double real;
  const unsigned char *bytes;
  uint64_t length;
} st_field;

/* How many fields it has; -1: it is none, or has more.  Texts that no program wrote (not UTF-8, or with a page of zeros in them) make it none. */
int st_record_read(const unsigned char *record, uint64_t size, st_field *out, int most);

#endif
