/* measure.h - one measure for what several stores have found.
**
** Each store ranks by its own statistics: a word that is rare among a million messages may be common among ten notes,
** and PostgreSQL counts in another way than SQLite.  So what the stores found to be their best is read and scored anew,
** by BM25 with the statistics of all of it together. */
#ifndef ST_MEASURE_H
#define ST_MEASURE_H

#include "recall/found.h"
#include "search/query.h"

/* Give each row its words_score.  They are read for it. */
void st_measure(st_asked_stores *asked, const st_query *query, st_recalled_list *list);

#endif
