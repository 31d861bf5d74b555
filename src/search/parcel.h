/* parcel.h - documents on their way from a store into its index: what can be found of it, of whatever kind.
**
** A parcel is copied to memory and the read on the store has ended before the index is written: a long
** read would keep the store's log from being reset. */
#ifndef ST_PARCEL_H
#define ST_PARCEL_H

#include "engine/call.h"

#define ST_PARCEL_ROWS 5000
#define ST_PARCEL_BYTES (16u << 20)

/* How far an index goes. */
typedef struct st_marks {
  int64_t upto;        /* the last document that is in it, where the store numbers them */
  int64_t change_upto; /* the last noted change that is in it */
  int64_t stamp;       /* of that change, by which it is known again; 0: none */
  int64_t sources;     /* how many sources have been read through, where the index numbers the documents */
  int64_t turn;        /* parcels that were written: another indexer was faster if it differs */
} st_marks;

typedef struct st_slice {
  const char *bytes; /* NULL: there is none */
  size_t length;
} st_slice;

/* One document. */
typedef struct st_entry st_entry;
struct st_entry {
  st_entry *next;
  uint16_t kind;  /* its source: the first is 1 */
  int64_t number; /* in the index; 0: it is to be given one */
  st_slice id;    /* in the store; none where that is its number */
  int64_t change; /* number of the noted change; 0: it was found by reading on */
  bool gone;      /* deleted */
  bool inside;    /* it is looked for inside of words too */
  double time;
  st_slice session, role, project;
  st_slice text, title, extra; /* as they are stored */
  uint32_t session_number, role_number, project_number;
};

typedef struct st_parcel {
  st_arena arena;
  st_entry *first, *last;
  int64_t count;
  size_t bytes;
  st_marks to;       /* where the index is when this is in it */
  const char *after; /* the last document of the source that is being read through; NULL: it is at its beginning */
} st_parcel;

/* Forget what is in it; it begins at these marks. */
void st_parcel_start(st_parcel *parcel, const st_marks *from);
/* A document at its end, all of it zero; NULL: the call has failed. */
st_entry *st_parcel_add(st_call *call, st_parcel *parcel);
/* A text of a row, in the memory of the parcel. */
st_slice st_parcel_copy(st_call *call, st_parcel *parcel, const st_value *value);

#endif
