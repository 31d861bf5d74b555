/* batch.c - see batch.h. */
#include "batch.h"

#include <stdio.h>
#include <stdlib.h>

#define TRIES 5 /* against conflicts with other writers */

void batch_add(batch *b, const char *method, char *args) {
  void *calls = args && !b->failed ? realloc(b->calls, (b->count + 1) * sizeof *b->calls) : NULL;
  if (!calls) {
    b->failed = true;
    free(args);
    return;
  }
  b->calls = calls;
  b->calls[b->count].method = method;
  b->calls[b->count++].args = args;
}

static stele_status write_once(const batch *b, stele_db *db, char *problem, size_t room) {
  stele_status status = stele_begin(db, "capture");
  bool begun = status == STELE_OK;
  for (size_t i = 0; i < b->count && status == STELE_OK; i++)
    status = stele_call(db, b->calls[i].method, b->calls[i].args, NULL);
  if (status == STELE_OK) status = stele_commit(db);
  if (status == STELE_OK) return status;
  snprintf(problem, room, "%s", stele_error(db)->message); /* which the next call forgets */
  if (begun) stele_rollback(db);
  return status;
}

bool batch_write(const batch *b, stele_db *db, char *problem, size_t room) {
  stele_status status = STELE_CONFLICT;
  if (b->failed) {
    snprintf(problem, room, "out of memory");
    return false;
  }
  for (int tries = 0; status == STELE_CONFLICT && tries < TRIES; tries++) status = write_once(b, db, problem, room);
  return status == STELE_OK;
}

void batch_free(batch *b) {
  for (size_t i = 0; i < b->count; i++) free(b->calls[i].args);
  free(b->calls);
  *b = (batch){0};
}
