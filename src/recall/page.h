/* page.h - a page of what a search finds: the part of recall.search that others build on. */
#ifndef ST_RECALL_PAGE_H
#define ST_RECALL_PAGE_H

#include "recall/found.h"
#include "search/query.h"

typedef struct st_recall_page {
  st_asked_stores asked;
  st_recalled *rows; /* best first, and read; one whose document is gone has id.type ST_NULL */
  int count;
  const st_query *shown; /* whose matches are shown */
} st_recall_page;

/* Find a page.  The call has the arguments of recall.search, whatever its method is called in what is said of them. */
void st_recall_find_page(st_call *call, st_recall_page *out);

/* Reply with its rows.  The call has the results of recall.search too. */
void st_recall_tell_page(st_recall_page *page);

#endif
