/* reading.h - finding by reading: rows that may match (messages, facts) are read and matched one by one, so
** that a query means the same wherever they came from, and ranked by BM25.
**
** Newest or oldest first, reading ends with the last one wanted.  By rank all are read; or, where there are
** very many, only the first so many of them, and more until there are enough: in blocks, each of which is ranked by itself and comes before
** those that are read after it, so that however many are wanted, the first ones are the same.  So of very many candidates only the
** first need be known: a source finds them when they are asked for. */
#ifndef ST_READING_H
#define ST_READING_H

#include "search/find.h"
#include "search/match.h"

/* What is read of a row: by which method, which takes a list of numbers and, of messages, roles, and in which of its results. */
typedef struct st_texts {
  int method;
  size_t id;
  size_t time; /* ST_TEXTS_NO_TIME: there is none */
  int ncolumns;
  struct {
    size_t result;
    bool json; /* the strings in it are what is searched */
  } columns[3];
} st_texts;
#define ST_TEXTS_NO_TIME SIZE_MAX

/* A row that may match. */
typedef struct st_candidate {
  int64_t id;
  double time;
  int grade; /* st_hit.grade */
} st_candidate;

/* Where candidates come from, in whatever order. */
typedef struct st_source {
  void (*more)(struct st_source *source); /* adds some, or none */
  bool ended;                             /* all are added */
  double beyond; /* what is not added yet is not newer (not older, where the oldest come first) than this */
} st_source;

typedef struct st_matching st_matching;
typedef int st_reading_order(const void *a, const void *b); /* as qsort() wants it */

typedef struct st_reading {
  st_call *call;
  const st_query *query;
  st_order order;
  const st_texts *texts; /* st_reading_begin() sets those of messages */
  const st_value *roles; /* only messages of these are read; NULL: of all */
  st_matcher *matcher;
  st_arena arena, scratch; /* scratch: of one row */
  st_candidate *rows;
  size_t count, room;
  st_source *source; /* NULL: all are added */
  size_t taken;      /* have been read */
  st_reading_order *before; /* the order in which they are read, of which the first stands first; NULL: as they stand */
  size_t enough; /* need not be read on from there, once k have been found */
  size_t block;  /* rows of a block; 0: there are none */
  int grade;     /* of the block that is read */
  st_matching **found;
  size_t nfound, found_room, weighed; /* weighed: those of the first block */
  int nterms; /* to be found */
  bool plain; /* the matcher needs no quick look before (match_plain.h) */
  double total_rows, average; /* rows, and tokens of one; 0: not known */
  double tokens;              /* of the rows that were taken */
  double frequency[ST_QUERY_TERMS_MAX]; /* by number of the term: rows that have it, at least */
} st_reading;

void st_reading_begin(st_reading *r, st_call *call, const st_query *query, st_order order);
void st_reading_end(st_reading *r);

void st_reading_add(st_reading *r, int64_t id, double time);

/* The candidates, all of which were added, are read in the order of time, if that is asked for; by rank they stay as they are.  The second:
** by rank, if there are more than a block, the newest come first, block by block. */
void st_reading_sort(st_reading *r);
void st_reading_sort_most(st_reading *r, size_t block);
/* The same as the second, but there is a source of more of them. */
void st_reading_sort_source(st_reading *r, size_t block, st_source *source);
int st_reading_by_id(const void *a, const void *b); /* for qsort() and bsearch() */

/* Read and match until k are found, then rank them. */
void st_reading_match(st_reading *r, size_t k);
/* Instead of candidates: every row there is, one after another, by whoever has read it.  Then the ranking is
** exact.  True: it matches. */
bool st_reading_take(st_reading *r, st_candidate row, const st_column *columns, int ncolumns);
/* Give the row that was taken last, and matched, a grade.  Negative: it is not found after all, though it counts for
** the ranks of the others. */
void st_reading_grade(st_reading *r, int grade);
void st_reading_rank(st_reading *r, int k, st_found *found);

#endif
