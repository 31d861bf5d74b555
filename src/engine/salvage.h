/* salvage.h - what can be read of a damaged file goes into a new one.
**
** The damaged file is read page by page (pages.h), never through SQLite, and never written.  A tree is followed from its root; where a page
** of it is damaged, the rows behind it are in a gap, of which the numbers are known: from one row to another.  Leaves that no tree led to,
** and whose rows fit a table and one of its gaps, are taken for what was behind the damage. */
#ifndef ST_SALVAGE_H
#define ST_SALVAGE_H

#include <sqlite3.h>

#include "engine/call.h"
#include "engine/pages.h"

#define ST_COLUMNS_MAX 200

/* One line of the schema. */
typedef struct st_definition {
  const char *type, *name, *table, *sql; /* sql may be NULL */
  uint32_t root;                         /* 0: unknown, or it has none */
} st_definition;

typedef struct st_gap {
  int64_t after, upto; /* rows numbered above the one, up to the other */
  uint32_t page;       /* what is damaged; 0: the root is not known */
} st_gap;

/* A table of the new file, and what became of its rows. */
typedef struct st_salvaged {
  const char *name;
  uint32_t root;
  bool without_rowid;
  int columns;
  const char *names[ST_COLUMNS_MAX]; /* in the order of the records */
  bool required[ST_COLUMNS_MAX];     /* may not be null */
  char affinity[ST_COLUMNS_MAX];     /* of SQLite's: 'i'nteger, 't'ext, 'r'eal, 'b'lob or 'n'umeric */
  int alias;                         /* the column that is the row's number, or -1 */
  sqlite3_stmt *insert;              /* for so many fields: */
  int fields;
  int64_t rows, refused; /* those the new file did not take: they break its rules */
  int64_t pages;         /* damaged */
  int64_t lost;          /* rows that an index names and that were not found; -1: no index tells */
  st_gap *gaps;
  size_t ngaps;
  int score; /* of the leaf that is being judged */
} st_salvaged;

typedef struct st_salvage {
  st_call *call;
  st_pages pages;
  unsigned char *seen; /* by page: it belongs to something */
  sqlite3 *db;         /* the new file */
  st_definition *schema;
  size_t nschema;
  st_salvaged *tables;
  size_t ntables;
  int64_t unplaced; /* leaves with rows that fit no table, or more than one */
  bool looking;     /* what is read is not taken yet */
  sqlite3_stmt *missing;
  unsigned char *record; /* of the present row */
  uint64_t room;
} st_salvage;

/* salvage_walk.c: all rows of a tree, each given to row(); what is damaged becomes gaps of the table.  A row that is not taken is one that the tree cannot have. */
typedef bool st_salvage_row(st_salvage *s, st_salvaged *table, int64_t rowid, const st_field *fields, int count);
void st_salvage_tree(st_salvage *s, st_salvaged *table, st_salvage_row *row);
/* The same of an index, or of a table without row numbers: its records, in their order. */
void st_salvage_index(st_salvage *s, st_salvaged *table, uint32_t root, st_salvage_row *row);
void st_salvage_gap(st_salvage *s, st_salvaged *table, st_gap gap);
/* The pages that are free belong to nothing else. */
void st_salvage_free_pages(st_salvage *s);
/* Every leaf that nothing led to.  leaf() is given it; those of its rows that end elsewhere may have lost their ends. */
void st_salvage_orphans(st_salvage *s, void (*leaf)(st_salvage *s, const st_tree_page *page));
/* The rows of one leaf, and what became of them. */
typedef struct st_leaf_rows {
  int taken, unread, misfits;
} st_leaf_rows;
st_leaf_rows st_salvage_leaf(st_salvage *s, const st_tree_page *page, st_salvaged *table, st_salvage_row *row);

/* salvage_schema.c: what the file says its tables are, and where it says nothing, what a new store's are. */
void st_salvage_schema(st_salvage *s, const st_opened *store);

/* salvage_table.c: the new file. */
void st_salvage_create(st_salvage *s, const st_opened *store);
void st_salvage_rows(st_salvage *s);
void st_salvage_finish(st_salvage *s);
bool st_salvage_sql(st_salvage *s, const char *sql);

#endif
