/* tsvector.h - the tokens of a text as a PostgreSQL tsvector, so that PostgreSQL matches what FTS5 does.  Of documents of all
** kinds but messages, which have an index of their own (postings.sql).
**
** PostgreSQL counts positions to 16,383 only, keeps 256 of them for a word, and takes 1 MB of words.  What
** comes behind the last position is written without one: it is found as a word, but not in a phrase.  What
** was lost is told, so that the few rows that lost something can be asked in another way. */
#ifndef ST_TSVECTOR_H
#define ST_TSVECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define ST_TSVECTOR_POSITION_MAX 16383 /* positions above it are one and the same to PostgreSQL */
#define ST_TSVECTOR_WORD_MAX 256       /* positions that PostgreSQL keeps of one word */
#define ST_TSVECTOR_MAX (1000 * 1000)  /* most bytes that are written; PostgreSQL's limit is 1 MiB */

#define ST_TSVECTOR_SLOTS 4096

/* About 50 KB: for an arena rather than the stack. */
typedef struct st_tsvector {
  st_str *out;
  int position;      /* of the last token */
  bool phrases_lost; /* perhaps: a phrase of the text may not match (st_query_tsquery_loose() finds it) */
  bool words_lost;   /* some words of the text are not in it: only st_match() on the row can tell */
  char weight;
  size_t start;                      /* where it begins in out */
  uint64_t word[ST_TSVECTOR_SLOTS];  /* the hash of the word last seen in this slot */
  uint16_t times[ST_TSVECTOR_SLOTS]; /* how often words of this slot were seen */
} st_tsvector;

/* Begin a tsvector at the end of out. */
void st_tsvector_init(st_tsvector *vector, st_str *out);

/* Append the tokens of one column, with a weight of 'A' to 'D'.  Phrases do not cross to the next one. */
void st_tsvector_add(st_tsvector *vector, const char *text, size_t length, char weight);

#endif
