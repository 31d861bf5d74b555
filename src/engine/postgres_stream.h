/* postgres_stream.h - rows of a query as the server sends them, one by one, in constant memory.
**
** Until the last row is there the link can do nothing else.  So whoever needs it takes the rest of the rows
** in first (st_postgres_settle(), which every use of the link begins with): a stream that is left alone costs
** one row, one that is interrupted the rows it had not told yet. */
#ifndef ST_POSTGRES_STREAM_H
#define ST_POSTGRES_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/postgres_library.h"

typedef struct st_postgres st_postgres;

typedef struct st_postgres_stream {
  st_postgres *pg;
  bool open;        /* the link is still ours */
  bool lost;        /* there was no memory to keep its rows */
  PGresult **kept;  /* rows taken in before they were asked for, and the end or failure behind them */
  size_t next, count, room;
} st_postgres_stream;

/* Send a prepared statement.  Answers the first result: a row, an empty result (there are none), a failure,
** or NULL (it could not be sent); the caller's, with PQclear(). */
PGresult *st_postgres_stream_begin(st_postgres_stream *stream, st_postgres *pg, const char *name, int count,
                                   const char *const *values, const int *lengths, const int *formats, bool binary);

/* The next row, or the empty result behind the last, or a failure; NULL: out of memory. */
PGresult *st_postgres_stream_next(st_postgres_stream *stream);

/* No more rows are wanted. */
void st_postgres_stream_end(st_postgres_stream *stream);

#endif
