/* postings.h - which rows have a term, and how often: bare occurrences (occurrences.h), most of them one byte, and read in order.
**
** FTS5 keeps the places of every word with its rows.  To rank by a word that hundreds of thousands of rows have, all of
** that has to be stepped over; here only what ranking needs is read.
**
** Postings are packed ones and loose ones.  The packed were true once; of rows that were written anew since (`stale`),
** and of later ones, the loose tell. */
#ifndef ST_POSTINGS_H
#define ST_POSTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "search/occurrences.h"
#include "search/spots.h"

#define ST_NO_ROW ST_NO_NUMBER

typedef struct st_posting {
  int64_t id;
  uint32_t times; /* at least 1 */
} st_posting;

/* A list of loose ones that grows. */
typedef struct st_loose {
  st_posting *all; /* st_free */
  size_t count, room;
  st_spots *places; /* of all of them, one behind the other; NULL: nobody wants to know */
} st_loose;

/* False: out of memory. */
bool st_loose_add(st_loose *loose, st_posting posting);
void st_loose_free(st_loose *loose);

/* ---- Reading ---- */

typedef struct st_postings {
  st_posting now; /* the one at hand; its id is ST_NO_ROW behind the last */
  st_occurrences packed; /* the packed one that is next, and what is not read yet; places are not followed */
  int64_t plain_until; /* below this id nothing is stale or loose any more: the packed ones are all there are */
  const int64_t *stale, *stale_end;
  const st_posting *loose, *loose_end;
  const unsigned char *packed_first; /* where all three began */
  const int64_t *stale_first;
  const st_posting *loose_first;
  bool broken; /* what is packed is none */
} st_postings;

/* Begin to read; all of it stays where it is.  `stale` and `loose` are sorted; every loose id that is not stale is
** greater than the packed ones. */
void st_postings_start(st_postings *p, const void *packed, size_t length, const int64_t *stale, size_t nstale, const st_loose *loose);

/* Go to the next one, whatever it is. */
void st_postings_step(st_postings *p);

/* The same; of most it takes no more than this. */
static inline void st_postings_next(st_postings *p) {
  st_occurrences *packed = &p->packed;
  st_quick_row row = {0};
  if (packed->rows.end - packed->rows.at > 1) row = st_quick_read(packed->rows.at);
  if (!row.times || row.step >= p->plain_until - packed->now.number) {
    st_postings_step(p);
    return;
  }
  packed->rows.at = row.behind;
  p->now = (st_posting){packed->now.number, packed->now.times};
  packed->now.number += row.step;
  packed->now.times = row.times;
}

/* The first one at hand or behind it whose row is `id` or a later one; its row. */
static inline int64_t st_postings_seek(st_postings *p, int64_t id) {
  while (p->now.id < id) st_postings_next(p);
  return p->now.id;
}

/* ---- Reading from anywhere ---- */

/* Where in what is packed reading can begin. */
typedef struct st_stop {
  const unsigned char *next;
  int64_t before; /* the id of the packed one before it */
} st_stop;

/* The places of the first postings from the ids 0, width, 2 * width... on, `count` of them. */
void st_postings_stops(st_postings *p, int64_t width, st_stop *stops, size_t count);
/* Begin anew at one of them, with the first posting that is of `from`, its id, or above. */
void st_postings_go(st_postings *p, const st_stop *stop, int64_t from);

#endif
