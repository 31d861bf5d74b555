/* occurrences.h - where a word occurs: in which rows, how often in each, how long these are, and at which places.
**
** PostgreSQL keeps them as two runs of bytes for each word (postings.sql): the rows in order of their numbers, most of them
** in two or three bytes, and the places of each row in the same order, which only phrases need.  Runs of later rows
** are put behind those of earlier ones as they are.
** SQLite keeps both of words that very many rows have (common.h), the rows bare: without their lengths, which it knows.
**
** The commonest words of an index stand in so many places that reading these takes long.  So a third run of bytes tells
** of each place of any word which of the ST_COMMON_MAX commonest stand beside it: a phrase with one of them is found by its other
** words (beside.h). */
#ifndef ST_OCCURRENCES_H
#define ST_OCCURRENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define ST_NO_NUMBER INT64_MAX

/* The columns of a row have their places apart: the first from 0 on, the second from here on, the third from twice this on. */
#define ST_PLACES_OF_COLUMN (UINT32_C(1) << 30)

/* So many words have a code, from 1 on. */
#define ST_COMMON_MAX 15

/* Of a place: the code of the word before in the lower four bits, of the one behind in the upper four; 0: it has none. */
static inline unsigned st_beside_before(unsigned char beside) { return beside & ST_COMMON_MAX; }
static inline unsigned st_beside_behind(unsigned char beside) { return beside >> 4; }
static inline unsigned char st_beside_byte(unsigned before, unsigned behind) { return (unsigned char)(before | behind << 4); }

typedef struct st_occurrence {
  int64_t number; /* of the row */
  uint32_t times; /* at least 1 */
  uint32_t length; /* of the row, in tokens; of more than 40, about so many */
} st_occurrence;

/* As long as that, as it is told of a row of so many tokens. */
uint32_t st_occurrences_length(uint32_t tokens);

/* ---- Writing ---- */

typedef struct st_occurrences_writer {
  st_str rows, places, beside;
  int64_t last;
  int64_t count; /* of rows */
  uint64_t times; /* in all of them */
  uint32_t last_times;
  bool bare;
} st_occurrences_writer;

void st_occurrences_begin(st_occurrences_writer *writer);
void st_occurrences_begin_bare(st_occurrences_writer *writer);
/* Rows of growing numbers.  places: as many as it says times, growing; NULL: they are not kept. */
void st_occurrences_add(st_occurrences_writer *writer, st_occurrence row, const uint32_t *places);
/* What stands beside each place of the row that was added last. */
void st_occurrences_add_beside(st_occurrences_writer *writer, const unsigned char *beside);
bool st_occurrences_failed(const st_occurrences_writer *writer); /* out of memory */
void st_occurrences_end(st_occurrences_writer *writer);

/* ---- Reading ---- */

typedef struct st_bytes {
  const unsigned char *at, *end;
} st_bytes;

/* What most rows begin with: a byte, or one more for how often. */
#define ST_TIMES_BITS 3
#define ST_TIMES_MAX 7
#define ST_STEP_FOLLOWS 31

typedef struct st_quick_row {
  unsigned step, times; /* 0 times: it begins otherwise */
  const unsigned char *behind;
} st_quick_row;

static inline st_quick_row st_quick_read(const unsigned char *at) {
  unsigned step = at[0] >> ST_TIMES_BITS, times = at[0] & ST_TIMES_MAX, follows = times == 0; /* as often as not: no branch */
  times |= -follows & at[1];
  return (st_quick_row){step, step - 1 < ST_STEP_FOLLOWS - 1 && times < 128 ? times : 0, at + 1 + follows};
}

/* Places that are not in memory yet: they are read as they are needed. */
typedef struct st_more st_more;
struct st_more {
  bool (*read)(st_more *more, unsigned char *to, size_t length); /* the next ones; false: it cannot */
  size_t left;                                                   /* bytes */
  unsigned char *window;                                         /* where they are put */
  size_t room;                                                   /* of it, far more than a number has */
};

typedef struct st_occurrences {
  st_occurrence now; /* the one at hand; its number is ST_NO_NUMBER behind the last */
  st_bytes rows, places, beside;
  st_more *more;   /* places behind those; NULL: there are none */
  uint64_t passed; /* places of all rows before the one at hand */
  uint64_t behind; /* places of rows before the one at hand that were not read */
  uint32_t unread; /* those of the one at hand */
  bool bare;
  bool broken;     /* the bytes are none of occurrences */
} st_occurrences;

/* Begin to read, at the first row.  The bytes stay where they are. */
void st_occurrences_start(st_occurrences *o, const void *rows, size_t length, const void *places, size_t places_length);

/* The same of bare ones. */
void st_occurrences_start_bare(st_occurrences *o, const void *rows, size_t length, const void *places, size_t places_length);

/* Its places come from there; after st_occurrences_start...(). */
void st_occurrences_with_more(st_occurrences *o, st_more *more);

/* What stands beside its places is read as well; after st_occurrences_start(). */
void st_occurrences_with_beside(st_occurrences *o, const void *beside, size_t length);

void st_occurrences_next(st_occurrences *o);
/* The first one at hand or behind it of that number or a greater one; its number. */
int64_t st_occurrences_seek(st_occurrences *o, int64_t number);

/* Can the bytes have as many places as the row at hand says?  If not they are broken, and it was the last row. */
bool st_occurrences_have_places(st_occurrences *o);

/* The places in the row at hand, once for each row: room for `now.times` of them. */
void st_occurrences_places(st_occurrences *o, uint32_t *places);

/* What stands beside each of them.  NULL: there are not so many bytes; they are broken, and it was the last row. */
const unsigned char *st_occurrences_beside(st_occurrences *o);

/* ---- Reading rows alone ---- */

/* Rows with their lengths and without places, many at once: for who looks at all of them. */
#define ST_WALK_ROWS 256
#define ST_LENGTH_CODES 256

typedef struct st_walk {
  st_occurrences of; /* the row at hand is the next one */
  size_t count;
  int64_t numbers[ST_WALK_ROWS];
  uint32_t times[ST_WALK_ROWS];
  unsigned char codes[ST_WALK_ROWS]; /* of their lengths */
} st_walk;

/* Begin with the row at hand. */
void st_walk_start(st_walk *walk, const st_occurrences *o);
/* Read some.  False: there are none. */
bool st_walk_next(st_walk *walk);

uint32_t st_length_of_code(unsigned char code);

#endif
