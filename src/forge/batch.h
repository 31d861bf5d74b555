/* batch.h - calls that are made together: all of them in one transaction, or none. */
#ifndef FORGE_BATCH_H
#define FORGE_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "stele.h"

typedef struct batch {
  struct {
    const char *method;
    char *args;
  } *calls;
  size_t count;
  bool failed; /* no memory, or arguments that could not be made */
} batch;

/* The arguments are the batch's from now on; NULL: they could not be made. */
void batch_add(batch *b, const char *method, char *args);
/* False: nothing was written, and `problem` says why. */
bool batch_write(const batch *b, stele_db *db, char *problem, size_t room);
void batch_free(batch *b);

#endif
