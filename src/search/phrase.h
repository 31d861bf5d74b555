/* phrase.h - the best messages with a phrase, on PostgreSQL, where its words are common.
**
** Where words are that most messages have takes megabytes to tell.  But which messages have all the words, how often and
** how long these are, says how well each can rank at most: those that could be the best are read, in this order, until no other
** can be better. */
#ifndef ST_SEARCH_PHRASE_H
#define ST_SEARCH_PHRASE_H

#include "search/entries.h"
#include "search/rank.h"

/* Is the query such a phrase, and nothing else? */
bool st_phrase_suits(const st_query *query);

/* Offer the best messages to `out`, by their numbers, of rows that are among the few.  False: too many would have to be read, or it
** is not worth while; nothing was offered. */
bool st_phrase_find(const st_entries *entries, const st_query *query, const st_ids *few, st_rank *out);

#endif
