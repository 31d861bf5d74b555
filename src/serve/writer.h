/* writer.h - one writer per store.  Calls that come while it commits wait, and share the next commit:
** each is all or nothing by itself, and none is answered before the commit.  */
#ifndef SERVE_WRITER_H
#define SERVE_WRITER_H

#include "call.h"

typedef struct sv_server sv_server;
typedef struct sv_writers sv_writers;

/* A writer for every store of the registry.  Stores that are there already are opened, which may
** migrate them; NULL: told in *failure, and nothing else was begun. */
sv_writers *sv_writers_open(sv_server *server, sv_failure *failure);

/* Take the call: it is done later, on the writer's thread, or at once with BUSY if too many wait. */
void sv_writer_submit(sv_writers *writers, sv_call *call);

/* Has the store been made and opened? */
bool sv_writer_present(const sv_writers *writers, const char *store);

/* Do what was submitted, then end the threads and close the stores. */
void sv_writers_close(sv_writers *writers);

#endif
