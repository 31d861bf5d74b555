/* rows.h - rows of tables that belong to other programs, by the names of their columns.
**
** A statement is made of constants: the columns that the reader knows, a table, and what follows it.  A column
** that the table does not have, because the file is older or newer, is empty; others are not read. */
#ifndef ST_ROWS_H
#define ST_ROWS_H

#include "capture/telling.h"

typedef struct st_dbrows {
  st_tell *tell;
  sqlite3_stmt *statement; /* NULL: there are no rows */
} st_dbrows;

/* Does a table have these columns (NULL-terminated)?  Asks the catalogue only. */
bool st_has_columns(sqlite3 *db, const char *table, const char *const *columns);
bool st_has_column(sqlite3 *db, const char *table, const char *column);

/* Everything until st_dbrows_end is one moment of a file that others write to.  False: it cannot be read, which has
** been told. */
bool st_dbrows_begin(st_tell *tell, sqlite3 *db);
void st_dbrows_end(sqlite3 *db);

/* Rows of `table`; `rest` is what follows it in the statement ("WHERE id > ?1 ORDER BY id").  What goes wrong is told,
** and there are no rows.  Ended with st_dbrows_close. */
st_dbrows st_dbrows_of(st_tell *tell, sqlite3 *db, const char *table, const char *const *columns, const char *rest);
void st_dbrows_bind_int(st_dbrows *rows, int parameter, int64_t value);
void st_dbrows_bind_text(st_dbrows *rows, int parameter, st_text value);
bool st_dbrows_next(st_dbrows *rows);
void st_dbrows_again(st_dbrows *rows); /* from the first row, after binding anew */
void st_dbrows_close(st_dbrows *rows);

/* A column by its place in the list.  Texts live until the next row; what is NULL, or not UTF-8, is mended. */
st_text st_row_text(st_dbrows *rows, int column);
int64_t st_row_int(st_dbrows *rows, int column);
double st_row_real(st_dbrows *rows, int column);
/* Seconds since the epoch, of a number of seconds or milliseconds, or of ISO or SQL text. */
double st_row_time(st_dbrows *rows, int column);

/* A number that the state keeps from run to run, so that only what came since is read; 0 at first. */
int64_t st_dbrows_kept(st_tell *tell, const char *name);
void st_dbrows_keep(st_tell *tell, const char *name, int64_t value);

/* Read a file of sessions and of messages that are only added: all sessions, then the messages after the last that
** was told, of which the number is kept. */
bool st_dbrows_read(st_source *source, sqlite3 *db, void (*sessions)(st_tell *tell, sqlite3 *db),
                    int64_t (*messages)(st_tell *tell, sqlite3 *db, int64_t after));

#endif
