/* common_kept.h - what is kept of a word that very many rows have (common.h), as the index file has it. */
#ifndef ST_COMMON_KEPT_H
#define ST_COMMON_KEPT_H

#include "search/common.h"

/* Its rows up to one, as they were when a row was last noted to be written anew. */
typedef struct st_kept_word {
  int64_t rowid, upto, rewritten;
  double rows;
  st_slice packed, places; /* in the arena; NULL: it has none, or they were not asked for */
} st_kept_word;

/* Rows that were written anew since, ascending. */
typedef struct st_stale {
  int64_t *ids;
  size_t count;
} st_stale;

/* All answer a SQLite result code. */

/* Nothing, where the word is not kept. */
int st_kept_read(st_index *index, st_arena *arena, const char *name, bool with_places, st_kept_word *word);
int st_kept_stale(st_index *index, st_arena *arena, int64_t upto, int64_t rewritten, st_stale *stale);

/* What FTS5 knows of those rows of a term that what is kept does not tell: the stale ones, and those from behind it to the last.  For the
** beginning of a word FTS5 reads all rows, whichever are asked for. */
int st_kept_rest(st_index *index, const st_term *term, int64_t upto, const st_stale *stale, int64_t last, st_loose *loose);

/* The greatest number a document of the index has. */
int64_t st_common_last_row(st_index *index, int *code);

/* The first number that a statement yields, which has a parameter or none (NULL); 0 if it yields nothing, or *code tells of a
** failure already. */
int64_t st_common_ask(st_index *index, const char *sql, const st_value *parameter, int *code);

#endif
