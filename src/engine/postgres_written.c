/* postgres_written.c - see postgres_written.h. */
#include "engine/postgres_written.h"

#include <string.h>

#include "base/hash.h"

#define MARKS 64

st_postgres_written *st_postgres_written_at(const char *location) {
  static st_postgres_written marks[MARKS];
  return &marks[st_hash64(0, location, strlen(location)) % MARKS];
}

void st_postgres_written_raise(st_postgres_written *mark, uint64_t place) {
  uint64_t before = atomic_load(mark);
  while (before < place && !atomic_compare_exchange_weak(mark, &before, place)) continue;
}
