/* needles.h - texts that must not be anywhere any more, and looking for them in the bytes of files. */
#ifndef ST_NEEDLES_H
#define ST_NEEDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ST_NEEDLES_MAX 100000 /* more are not kept: those that are stand for them */
#define ST_NEEDLE_PIECE 32    /* bytes of a row's text that stand for it */

typedef struct st_needle {
  char *bytes;
  size_t length;
  bool met; /* it was found */
} st_needle;

typedef struct st_needles {
  st_needle *all;
  size_t count, room;
  uint32_t *table; /* by the hash of the first `width` bytes: number of a needle, from 1; 0: none */
  size_t slots;
  size_t width; /* of the shortest */
  bool ready;
} st_needles;

/* False: no memory. */
bool st_needles_add(st_needles *needles, const char *bytes, size_t length);
void st_needles_free(st_needles *needles);

/* How often one of them stands in some bytes: they are marked as met.  False: no memory. */
bool st_needles_count(st_needles *needles, const char *bytes, size_t length, int64_t *found);

/* The same of a file: *bytes is how many were searched.  0, ENOMEM, or why it cannot be read (errno). */
int st_needles_search(st_needles *needles, const char *path, int64_t *bytes, int64_t *found);

/* Put fill in the place of every one that stands in a file; nothing in it moves, so that who appends to it goes on.  0 or errno. */
int st_needles_blank(st_needles *needles, const char *path, char fill, int64_t *found);

#endif
