/* join.h - occurrences made of others: of any of several words, and of a phrase. */
#ifndef ST_SEARCH_JOIN_H
#define ST_SEARCH_JOIN_H

#include "base/arena.h"
#include "search/occurrences.h"

/* The rows that have some of the words; a row has as many as of all together, and, if they are `placed`, their places.  False: out
** of memory. */
bool st_join_any(st_arena *arena, st_occurrences *words, size_t count, bool placed, st_occurrences_writer *out);

/* The next row from `number` on that has all of some words; ST_NO_NUMBER: there is none. */
int64_t st_join_seek(st_occurrences *words, size_t count, int64_t number);

/* The rows in which some words, with their places, follow each other, beginning at a place before `end`.  False: out of memory. */
bool st_join_phrase(st_arena *arena, st_occurrences *words, size_t count, uint32_t end, st_occurrences_writer *out);

#endif
