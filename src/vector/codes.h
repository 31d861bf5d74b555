/* codes.h - the codes of many vectors, in a file that all processes map into memory.
**
** Derived: everything in it can be made again, so nothing in it is trusted.  A file that is damaged, cut short, of
** another format, byte order, dimension or model is taken away, and an empty one begun; the caller brings it up to
** date, from st_codes_state.through on.  A file is never made shorter, only replaced, so that what a process
** has mapped stays there.
**
** Whoever writes holds the file's lock.  Rows are appended, and count once the state that says so is written: of two
** places for it the older one is overwritten, so that a writer may be killed anywhere.  Every row has a checksum,
** which each process looks at once, before it first uses the row. */
#ifndef ST_CODES_H
#define ST_CODES_H

#include "vector/code.h"

#define ST_CODES_BLOCK 4096 /* rows whose codes lie one after another */

typedef struct st_codes st_codes;

typedef enum st_codes_result {
  ST_CODES_OK,
  ST_CODES_DAMAGED, /* found out now: st_codes_renew(), and bring it up to date */
  ST_CODES_FAILED,  /* the system refused something: errno */
  ST_CODES_NOMEM,
} st_codes_result;

/* What the codes are of. */
typedef struct st_codes_kind {
  size_t dimension;
  uint64_t model;     /* a hash of who made the vectors */
  uint64_t documents; /* a mark of what the document numbers mean */
} st_codes_kind;

/* How far the file goes. */
typedef struct st_codes_state {
  uint64_t count;  /* rows */
  uint64_t dead;   /* of them, those whose vector is gone */
  int64_t through; /* the last embedding's number that is in, or was passed over */
  int64_t erased;  /* up to where what was deleted is known: the caller's own counting */
} st_codes_state;

/* What a row has beside its codes. */
typedef struct st_code_row {
  int64_t number;   /* of the embedding; grows from row to row */
  int64_t document;
  uint64_t mark;    /* alive or dead, nothing else */
  uint32_t check;   /* of the above but the mark, of the code and its share */
  uint32_t nothing; /* 0 */
} st_code_row;

/* A fine code, with its share and a checksum. */
typedef struct st_code_fine {
  float share;
  uint32_t check;
  uint8_t levels[];
} st_code_fine;

/* Rows that lie together, at most ST_CODES_BLOCK. */
typedef struct st_codes_block {
  size_t count;
  const uint64_t *codes; /* one after another */
  const float *shares;
  const st_code_row *rows;
} st_codes_block;

/* Open the file, or begin one.  Release with st_codes_close(). */
st_codes_result st_codes_open(const char *path, const st_codes_kind *kind, st_codes **out);
void st_codes_close(st_codes *codes);

/* See what others have done since: the file may have grown, or been replaced.  What earlier calls told is then gone. */
st_codes_result st_codes_refresh(st_codes *codes);
/* Take the file away and begin an empty one. */
st_codes_result st_codes_renew(st_codes *codes);

const st_codes_kind *st_codes_kind_of(const st_codes *codes);
const st_codes_state *st_codes_state_of(const st_codes *codes);

/* A block, checked; which counts from 0. */
st_codes_result st_codes_read(st_codes *codes, size_t which, st_codes_block *out);
/* The fine code of a row, checked every time: few are ever asked for. */
st_codes_result st_codes_fine(st_codes *codes, uint64_t row, const st_code_fine **out);
/* It will be asked for soon. */
void st_codes_expect(const st_codes *codes, uint64_t row);
bool st_code_row_alive(const st_code_row *row);

/* ---- writing ---- */

/* Wait for the lock, and see what others have done. */
st_codes_result st_codes_lock(st_codes *codes);
void st_codes_unlock(st_codes *codes);

/* With the lock: append a vector, which has a direction.  Nobody sees it before st_codes_publish(). */
st_codes_result st_codes_add(st_codes *codes, int64_t number, int64_t document, const float *vector);
/* With the lock: mark the row with this number as dead, if there is one. */
st_codes_result st_codes_kill(st_codes *codes, int64_t number);
/* With the lock: what was added counts from now on. */
st_codes_result st_codes_publish(st_codes *codes, int64_t through, int64_t erased);
/* With the lock: write the file anew, without the dead rows. */
st_codes_result st_codes_compact(st_codes *codes);

#endif
