/* trigrams.h - which indexed messages may have the words of a query inside of theirs (inside.h): all that do,
** and some more.
**
** What few messages have is listed.  The words that have a part (inner.h) tell that beforehand, and where they are few, too,
** stele_text has the messages; so does it for what stands for itself.  What is in very many messages is not listed: the newest
** of them (or the oldest) are looked up in stele_trigram, which has the runs of three characters of the words of users and
** assistants, as they are wanted. */
#ifndef ST_TRIGRAMS_H
#define ST_TRIGRAMS_H

#include "search/allowed.h"
#include "search/candidates.h"
#include "search/index.h"
#include "search/reading.h"

typedef struct st_trigrams {
  st_ids ids;
  const char *runs; /* not NULL: they are those that stele_trigram finds by this expression, and not listed */
} st_trigrams;

st_trigrams st_trigrams_find(st_call *call, st_arena *arena, st_index *index, const st_query *query);

/* ---- trigrams_source.c ---- */

/* Them as candidates for reading, those that a filter allows. */
typedef struct st_trigrams_source {
  st_source source;
  st_reading *reading;
  st_index *index;
  const st_allowed *allowed;
  int64_t end; /* from this one on none is wanted */
  st_ids ids;
  int64_t next;       /* how many of them were taken */
  sqlite3_stmt *runs; /* it finds those that are not listed */
  double *beyond; /* the latest time of each span and those before it; the earliest and those behind it, where the oldest come first */
  int64_t span;   /* of the last one that was found */
} st_trigrams_source;

void st_trigrams_open(st_trigrams_source *from, st_reading *reading, st_index *index, const st_allowed *allowed, int64_t end,
                      const st_trigrams *found);
void st_trigrams_close(st_trigrams_source *from);

#endif
