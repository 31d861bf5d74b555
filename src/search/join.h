/* join.h - occurrences made of others: of any of several words, and of a phrase. */
#ifndef ST_SEARCH_JOIN_H
#define ST_SEARCH_JOIN_H

#include "base/arena.h"
#include "search/occurrences.h"

/* The rows that have some of the words; a row has as many as of all together, and, if they are `placed`, their places.  False: out
** of memory. */
bool st_join_any(st_arena *arena, st_occurrences *words, size_t count, bool placed, st_occurrences_writer *out);

/* A word of a phrase. */
typedef struct st_join_word {
  st_occurrences of;
  uint32_t offset;         /* from the beginning of the phrase */
  unsigned before, behind; /* the codes that must stand beside it (beside.h); 0: anything */
} st_join_word;

/* The next row from `number` on that has all of some words; ST_NO_NUMBER: there is none. */
int64_t st_join_seek(st_join_word *words, size_t count, int64_t number);

/* The rows in which some words stand as in the phrase.  A single word needs no places: what stands beside it is enough.  False: out of
** memory. */
bool st_join_phrase(st_arena *arena, st_join_word *words, size_t count, st_occurrences_writer *out);

#endif
