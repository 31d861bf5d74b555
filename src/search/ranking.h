/* ranking.h - the documents that answer a question best, and why.
**
** By words: the best documents for any of the question's words are found, then read and scored by the words they really
** have (BM25, a word in any form being one; a title counts less than a text).  A document gains from those next to it in
** its session, for an answer seldom repeats the question, and a little from what else its session has of the question.
** Who speaks: where a word of the question is the name of a speaker it says whose turns are meant, not what they are
** about; in a question of I or you, those of the user or the assistant.  When: a month or a year that is named favours the
** documents of that time, and a little those of the month after.
** By meaning: what the caller found near to it, under the same preferences.  Both lists become one (fuse.h).
**
** The documents are those of the call's store (documents.h), on both engines. */
#ifndef ST_SEARCH_RANKING_H
#define ST_SEARCH_RANKING_H

#include "search/documents.h"
#include "search/question.h"

/* Something that was found by meaning. */
typedef struct st_likely {
  const char *kind, *id;
  double similarity; /* more than 0 */
} st_likely;

typedef struct st_ranked {
  st_document document;
  double words;     /* BM25 of its own words; 0: it has none */
  double near;      /* what its neighbours and its session add to that */
  double meaning;   /* the similarity; 0: not found by meaning */
  double favour;    /* what these were multiplied with, for who said it and when; 1: nothing */
  double by_words, by_meaning; /* what the two lists are sorted by: all of the above */
  int words_rank, meaning_rank; /* its place in either list, from 1; 0: not in it */
  double score;     /* of both lists; greater is better */
  uint32_t matched; /* a bit for each group of the question that it has */
} st_ranked;

typedef struct st_ranking {
  st_ranked *hits; /* best first, in the call's memory */
  int count;
} st_ranking;

#define ST_RANKING_DEPTH 300 /* documents of either list that are looked at */

/* Find up to k documents.  The question's query needs no search before. */
void st_ranking_find(st_call *call, const st_question *question, const st_document_filter *filter, const st_likely *likely,
                     int nlikely, int k, st_ranking *ranking);

/* Make one list of documents that were ranked apart, of several stores: ranks, scores and order are theirs among all.
** False: out of memory. */
bool st_ranked_fuse(st_ranked *hits, int count);

#endif
