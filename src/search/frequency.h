/* frequency.h - how many messages have a term, remembered: counting a common one takes longer than
** finding the best messages for it. */
#ifndef ST_FREQUENCY_H
#define ST_FREQUENCY_H

#include <sqlite3.h>

#include "search/query.h"

typedef struct st_frequencies {
  struct st_frequency *first[1024]; /* by hash of the term */
} st_frequencies;

/* The number of rows that have the term, as of an index of total rows; negative: not known, or of an
** index that has changed by more than a hundredth since. */
double st_frequency_get(st_frequencies *known, sqlite3 *db, const st_term *term, double total);

/* Remember it, in the index file too if it is worth it.  Failing to do so costs only time. */
void st_frequency_put(st_frequencies *known, sqlite3 *db, const st_term *term, double rows, double total);

void st_frequencies_free(st_frequencies *known);

#endif
