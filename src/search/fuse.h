/* fuse.h - what searches by words and by meaning have found becomes one list. */
#ifndef ST_FUSE_H
#define ST_FUSE_H

#include <stdbool.h>
#include <stddef.h>

/* Reciprocal rank fusion: the score of a row by its ranks in two lists, from 1; 0: it is not in that list.  The lists
** need no common measure. */
double st_fuse(int rank, int other_rank);

/* A list of rows by some measure: words, meaning. */
typedef struct st_arm {
  double weight;
  const double *scores; /* of each row; 0 or less: it is not in the list */
  int *ranks;           /* to be filled, from 1; equal scores share one; 0: not in the list */
} st_arm;

/* Reciprocal rank fusion of any number of lists.  What a list gives to a row is weight / (60 + rank), times the row's
** score as a share of the best one: so a list that knows one answer well is not outvoted by one that is sure of none.
** False: out of memory. */
bool st_fuse_arms(const st_arm *arms, int narms, int count, double *fused);

/* A row to choose from. */
typedef struct st_choice {
  double relevance;    /* at most 1 */
  const float *vector; /* NULL: it is like no other */
  double nearest;      /* these two are st_choose()'s own */
  bool chosen;
} st_choice;

/* Choose up to k rows, each for its relevance and for not being like those before it (maximal marginal relevance, 0.7
** to 0.3): their places among `from`, in that order.  Of equal ones the first is taken.  How many. */
int st_choose(st_choice *from, int count, size_t dimension, int k, int *places);

#endif
