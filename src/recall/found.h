/* found.h - what was found in any store: where it is, why, and, once it is read, what it says. */
#ifndef ST_FOUND_H
#define ST_FOUND_H

#include "recall/asked.h"
#include "search/match.h"

typedef struct st_recalled {
  int store; /* its place among those asked */
  const char *kind, *id;
  double time;         /* seconds, 0: none; not known before it is read, unless hits are in the order of time */
  int words_rank;      /* from 1; 0: not found by its words */
  double words_score;  /* of its own words; 0: it has none, but others beside it have */
  double near;         /* what those beside it, and its session, add to that */
  int meaning_rank;    /* from 1; 0: not found by its meaning */
  double similarity;
  double by_words, by_meaning; /* what the two lists are sorted by; 0: it is not in it */
  double favour;  /* for who said it and when, where a question tells; 1: nothing */
  double recency; /* 1: its age does not matter */
  double score;   /* greater is better */
  st_document document; /* id.type ST_ABSENT: not read yet; ST_NULL: it is gone */
} st_recalled;

typedef struct st_recalled_list {
  st_recalled *rows;
  int count;
} st_recalled_list;

/* Room for so many more at the end of the list, which then has them: to be filled.  NULL: the call has failed. */
st_recalled *st_recalled_more(st_call *call, st_recalled_list *list, int count);

/* Both lists become one, best first (search/fuse.h): ranks and scores are set. */
void st_recalled_fuse(st_call *call, st_recalled_list *list);

/* Are they the same thing? */
bool st_recalled_same(const st_recalled *one, const st_recalled *other);

/* Read some of them, as far as they are not read yet, each kind of each store at one stroke. */
void st_recalled_read(st_asked_stores *asked, st_recalled *rows, int count);

/* Of one that was read. */
const st_findable *st_recalled_kind(const st_asked_stores *asked, const st_recalled *row);

#endif
