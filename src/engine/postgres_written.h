/* postgres_written.h - how far this process has written to a database, as a place in the server's write-ahead log.
**
** For all handles of the process, without memory of its own: addresses share a few marks, so that what was written to one may
** count for another.  A reader is then sent to the primary more often than needed, and never to a replica that is behind. */
#ifndef ST_POSTGRES_WRITTEN_H
#define ST_POSTGRES_WRITTEN_H

#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic uint64_t st_postgres_written; /* 0: nothing was written */

#define ST_POSTGRES_UNKNOWN UINT64_MAX /* it wrote, and nobody knows how far: no replica has it */

/* The mark of an address, as libpq gets it. */
st_postgres_written *st_postgres_written_at(const char *location);

/* A mark only goes forward. */
void st_postgres_written_raise(st_postgres_written *mark, uint64_t place);

#endif
