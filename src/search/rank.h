/* rank.h - the best k rows of an FTS5 match, by exact BM25 or by time, at a cost linear in the matches.
**
** ORDER BY rank reads the length of every row and counts every phrase anew, row by row.  Here the
** lengths are in memory, each phrase is counted once, and only k rows are kept. */
#ifndef ST_RANK_H
#define ST_RANK_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "search/rowinfo.h"

typedef struct st_hit {
  int64_t id;
  double score; /* greater is better */
  double time;  /* known only where hits are ordered by it */
  int grade;    /* of two by rank, the one of a greater grade comes first, whatever their scores; mostly 0 */
} st_hit;

typedef enum st_order { ST_ORDER_RANK, ST_ORDER_NEWEST, ST_ORDER_OLDEST } st_order;

typedef struct st_rank {
  st_order order;
  st_rowinfos *rows;
  bool (*allows)(const void *filter, st_rowinfos *rows, int64_t id); /* NULL: every row */
  const void *filter;
  int64_t end;         /* nor those from this id on; 0: there is no such end */
  double since, until; /* it allows none outside of these times, where find_common.c is to use that */
  double total_rows, total_tokens;
  int nterms;
  int phrase[64];     /* the FTS5 phrase of each positive term; -1: it is not looked for */
  double df[64];      /* rows that have it; negative: not counted yet */
  double weight[64];  /* st_rank_weigh() makes it from that, */
  double norm, norm_of_token; /* what a row's length takes from its score: st_rank_norm() */
  bool filters_only[64]; /* not counted: see rank.c */
  int error;          /* a SQLite result code */
  st_hit *hits;       /* a heap, worst first; room for k */
  int k, count;
  int64_t matches;    /* rows that matched and were allowed; where there are more than k, those that had to be looked at */
} st_rank;

/* Teach a connection the function stele_rank(table, pointer). */
int st_rank_register(sqlite3 *db);

/* Once every df is known, before the first score. */
void st_rank_weigh(st_rank *rank);
/* The part of it that comes from the totals, for who has weights already. */
void st_rank_norm(st_rank *rank);

/* The BM25 score of a row with these counts of each term. */
double st_rank_score(const st_rank *rank, const double *tf, double length);

/* What one term, of that place among those that count, adds to it. */
double st_rank_part(const st_rank *rank, int term, double times, double length);

/* Take a row with these counts of each term: it is offered, if it is there and allowed. */
void st_rank_take(st_rank *rank, int64_t id, const double *tf);

/* With one term, whose score falls with the length: a row can be among the best only if how often it has the term, times
** this, is at least what its length takes. */
double st_rank_slope(const st_rank *rank);
static inline bool st_rank_may_have(const st_rank *rank, double slope, uint32_t tf, uint32_t length) {
  return tf * slope >= rank->norm + rank->norm_of_token * length;
}

/* May rows of these times be allowed, and among the best? */
bool st_rank_wants(const st_rank *rank, const st_span *span);

/* Offer a row that came from elsewhere (not indexed yet). */
void st_rank_offer(st_rank *rank, st_hit hit);

/* Sort the hits, best first. */
void st_rank_finish(st_rank *rank);

#define ST_RANK_POINTER "stele_rank"

#endif
