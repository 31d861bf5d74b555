/* join.h - occurrences made of others: of any of several words, and of a phrase. */
#ifndef ST_SEARCH_JOIN_H
#define ST_SEARCH_JOIN_H

#include "search/occurrences.h"
#include "search/spots.h"

/* The rows that have some of the words; a row has as many as of all together, and, if they are `placed`, their places.  False: out
** of memory. */
bool st_join_any(st_arena *arena, st_occurrences *words, size_t count, bool placed, st_occurrences_writer *out);

/* A word of a phrase. */
typedef struct st_join_word {
  st_occurrences of;
  uint32_t offset;         /* from the beginning of the phrase */
  unsigned before, behind; /* the codes that must stand beside it (beside.h); 0: anything */
} st_join_word;

/* Words that stand as in a phrase.  A single one needs no places: what stands beside it is enough. */
typedef struct st_join {
  st_join_word *words;
  size_t count;
  st_spots first, next; /* where its first word may be; where its next one is */
} st_join;

void st_join_start(st_join *join, st_arena *arena, st_join_word *words, size_t count);

/* The next row from `number` on that has all of the words; ST_NO_NUMBER: there is none. */
int64_t st_join_seek(st_join *join, int64_t number);

/* How often that row has the phrase at most; how often it has it, once for each row.  False: out of memory. */
uint32_t st_join_most(const st_join *join);
bool st_join_times(st_join *join, uint32_t *times);

/* The rows in which words stand as in the phrase.  False: out of memory. */
bool st_join_phrase(st_join *join, st_occurrences_writer *out);

#endif
