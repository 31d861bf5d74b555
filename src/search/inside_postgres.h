/* inside_postgres.h - looking inside of words (inside.h) where the index is tables of the store (postings.sql).
**
** Rows that may have them (inside_rows.h) are read, as they are on SQLite.  They come from some parts of the index after others, in the order of
** time, from more and more of them at once, until enough are found: so what very many messages have is found in the first.  By rank the last parts
** come first, and the rows of those that have enough are ranked. */
#ifndef ST_SEARCH_INSIDE_POSTGRES_H
#define ST_SEARCH_INSIDE_POSTGRES_H

#include "search/entries.h"
#include "search/indexer_postgres.h"

/* few: the rows that the filter lets through, unless they are many; filter: that of the entries, and roles. */
void st_inside_postgres_find(const st_entries *entries, const st_postgres_parts *parts, const st_query *query, const st_ids *few,
                             const st_filter *filter, st_order order, int k, st_found *found);

#endif
