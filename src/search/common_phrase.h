/* common_phrase.h - the rows of a phrase, of whose words the postings and places are kept (common.h).
**
** What is kept is joined row by row, and the places are read from the file as they are needed: of the commonest words they are many
** megabytes.  Rows that one of the words does not tell, as they are written since, are asked of FTS5 word by word and joined
** likewise: asked for a phrase, it would look from the first row on.
**
** All answer a SQLite result code, and are called within one transaction. */
#ifndef ST_COMMON_PHRASE_H
#define ST_COMMON_PHRASE_H

#include "search/common_kept.h"
#include "search/join.h"

typedef struct st_common_phrase {
  st_index *index;
  st_arena *arena;
  const st_term *term;
  st_join join;
  struct st_kept_places *places; /* of each word */
  int opened;
  double rows; /* that have it, at most */
  st_stale stale;
  size_t passed; /* of the stale */
  st_loose rest; /* rows that what is kept does not tell */
} st_common_phrase;

/* Is of all its words kept what it takes, and not long out of date?  Where much would have to be asked word by word, FTS5 is faster. */
int st_common_phrase_look(st_index *index, const st_term *term, bool *suited);

/* Such a one; whoever looked before the transaction began looks again, as another process may have written meanwhile. */
int st_common_phrase_open(st_index *index, st_arena *arena, const st_term *term, st_common_phrase *phrase);

/* The next row from one on that has all words, as far as what is kept tells; ST_NO_ROW: there is none.  Then st_join_most() and
** st_join_times() of `join` tell more. */
int64_t st_common_phrase_seek(st_common_phrase *phrase, int64_t from);

/* Could all be read that was? */
int st_common_phrase_check(const st_common_phrase *phrase);

void st_common_phrase_close(st_common_phrase *phrase);

#endif
