/* error.h - the one failure a call can have.  The first one wins; its text is in fixed buffers, so
** that running out of memory can be told too. */
#ifndef ST_ERROR_H
#define ST_ERROR_H

#include "stele.h"

typedef struct st_error {
  stele_status status;
  char method[96];
  char field[96];
  char message[600];
  char hint[300];
} st_error;

#endif
