/* inside.h - parts of words, in stores that have no index of them: what is newest is read. */
#ifndef ST_RECALL_INSIDE_H
#define ST_RECALL_INSIDE_H

#include "recall/asked.h"
#include "search/query.h"

#define ST_INSIDE_READ 2000 /* rows of a store that are read, the newest */

/* As st_documents_find(), for a query whose words are looked for inside of words (search/inside.h); newest first, or
** oldest first. */
void st_recall_inside_find(st_asked_store *store, const st_query *query, st_order order, int k, st_documents_found *found);

#endif
