/* part.h - a part of an index: the words of some rows, and where they are in them (occurrences.h). */
#ifndef ST_SEARCH_PART_H
#define ST_SEARCH_PART_H

#include "search/match.h"
#include "search/occurrences.h"

typedef struct st_part st_part;

/* NULL: out of memory. */
st_part *st_part_new(void);

/* Give words a code, from 1 on, before any row is added: what stands beside each place is told from now on. */
void st_part_code(st_part *part, const char *const words[], size_t count);
void st_part_free(st_part *part);

/* Add a row of a greater number than those before.  Its columns are apart: a phrase stands in one of them.  False: out of memory. */
bool st_part_add(st_part *part, int64_t number, const st_column *columns, int count);

/* Note something of the row that is added next, as if it were a word: a text that is none.  False: out of memory. */
bool st_part_mark(st_part *part, const char *text, size_t length);

int64_t st_part_rows(const st_part *part);
int64_t st_part_tokens(const st_part *part);

/* A word of the part. */
typedef struct st_part_word {
  const char *text;
  size_t length;
  st_occurrences_writer found;
} st_part_word;

/* All of them, in the order of their bytes, after which nothing is added any more; how many. */
const st_part_word *st_part_words(st_part *part, size_t *count);

#endif
