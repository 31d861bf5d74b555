/* gather.h - the rows that have a term, and how often, as FTS5 knows it. */
#ifndef ST_GATHER_H
#define ST_GATHER_H

#include "search/index.h"
#include "search/postings.h"

/* Teach a connection the function stele_gather(table, pointer). */
int st_gather_register(sqlite3 *db);

/* Add those of rows behind `above`, in their order, and their places, if these are wanted.  A SQLite result code. */
int st_gather_above(st_index *index, const st_term *term, int64_t above, st_loose *out);

/* The same of one row. */
int st_gather_row(st_index *index, const st_term *term, int64_t id, st_loose *out);

#endif
