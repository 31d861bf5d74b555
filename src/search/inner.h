/* inner.h - the words that are looked into: those in the texts of users and assistants, in which parts are found (inside.h).
**
** An index has many messages and few words.  So a part is first looked for in the words; what has none of them need not be
** read.  They are kept in the index twice: sorted, to tell which of a message are new, and one behind the other in blocks,
** through which a search goes as fast as memory is read.  A word stays when its last message has gone. */
#ifndef ST_INNER_H
#define ST_INNER_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/arena.h"
#include "search/parcel.h"

#define ST_INNER_TABLES                                              \
  "CREATE TABLE stele_inner (word TEXT PRIMARY KEY) WITHOUT ROWID;" \
  "CREATE TABLE stele_inner_blocks (block INTEGER PRIMARY KEY, words BLOB NOT NULL);"

/* The words of what is being indexed, each once.  All zero: nobody wants to know them. */
typedef struct st_inner {
  st_arena arena;
  st_slice *table; /* by hash; NULL: free */
  size_t room, count;
  st_slice *words; /* the same ones as they came; those before `written` are in the index */
  size_t written;
  bool listens, nomem;
} st_inner;

/* Begin to listen, and end it: all are forgotten. */
void st_inner_begin(st_inner *inner);
void st_inner_end(st_inner *inner);
/* A word has come. */
void st_inner_see(st_inner *inner, const char *word, size_t length);
/* Write those that are new into the index, within its transaction.  A SQLite result code. */
int st_inner_write(st_inner *inner, sqlite3 *db);

/* The words that have a part, into `words`, which has room for `most`.  How many there are, or most + 1 if there are more;
** their texts are in the arena.  *code is a SQLite result code. */
size_t st_inner_find(sqlite3 *db, st_arena *arena, const char *part, size_t length, st_slice *words, size_t most, int *code);

#endif
