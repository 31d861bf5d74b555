/* numbering.h - the numbers that stand for names in an index: of sessions, roles and projects, and of the
** documents themselves where the store does not number them.
**
** A document keeps its number as long as it is there; a number that was given once is never another's. */
#ifndef ST_NUMBERING_H
#define ST_NUMBERING_H

#include "search/index.h"

/* The numbers of names; 0: nothing that is indexed has it.  A SQLite result code. */
int st_index_numbers(st_index *index, const char *table, const st_slice *names, size_t count, uint32_t *out);

/* Number all that is in the parcel.  What is gone loses its number, which the parcel tells for the last time; 0: it never
** had one.  A SQLite result code. */
int st_index_number_all(st_index *index, st_parcel *parcel);

/* What the store calls a document that the index numbered: *kind and *id, in the arena; *kind is 0 if there is none of
** that number.  A SQLite result code. */
int st_index_document(st_index *index, st_arena *arena, int64_t number, uint16_t *kind, const char **id);

/* And the other way round; 0: there is none. */
int64_t st_index_number_of(st_index *index, uint16_t kind, const char *id, size_t length, int *code);

#endif
