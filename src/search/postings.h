/* postings.h - which rows have a term, and how often: packed, most of them in one byte, and read in order.
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

#include "base/str.h"

#define ST_NO_ROW INT64_MAX

typedef struct st_posting {
  int64_t id;
  uint32_t times; /* at least 1 */
} st_posting;

/* A list of loose ones that grows. */
typedef struct st_loose {
  st_posting *all; /* st_free */
  size_t count, room;
} st_loose;

/* False: out of memory. */
bool st_loose_add(st_loose *loose, st_posting posting);
void st_loose_free(st_loose *loose);

/* ---- Writing ---- */

typedef struct st_packing {
  st_str bytes;
  int64_t last;
  int64_t count;
} st_packing;

void st_packing_init(st_packing *packing);
/* Each of a greater id than the one before. */
void st_packing_add(st_packing *packing, st_posting posting);

/* ---- Reading ---- */

typedef struct st_postings {
  st_posting now; /* the one at hand; its id is ST_NO_ROW behind the last */
  const unsigned char *next, *end; /* what is packed and not read yet */
  st_posting packed;               /* the packed one that was read last */
  const int64_t *stale, *stale_end;
  const st_posting *loose, *loose_end;
  bool broken; /* what is packed is none */
} st_postings;

/* Begin to read; all of it stays where it is.  `stale` and `loose` are sorted; every loose id that is not stale is
** greater than the packed ones. */
void st_postings_start(st_postings *p, const void *packed, size_t length, const int64_t *stale, size_t nstale, const st_loose *loose);

/* The first one at hand or behind it whose row is `id` or a later one; its row. */
int64_t st_postings_seek(st_postings *p, int64_t id);

#endif
