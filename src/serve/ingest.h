/* ingest.h - the socket at which hooks and hosts hand over events: capture.sock in the home (docs/shell.md).
**
** One thread serves all who send.  What came while it wrote is written next, in one transaction; each event is acknowledged after
** the commit.  Nothing is queued beyond that: while it writes, it does not read, and who waits too long keeps the event itself. */
#ifndef SERVE_INGEST_H
#define SERVE_INGEST_H

#include <stdbool.h>

#include "text.h"

typedef struct sv_server sv_server;
typedef struct sv_ingest sv_ingest;

/* False: no memory, or no thread.  *out is NULL also if there is no place for a socket, or another server has it, which is told. */
bool sv_ingest_open(sv_server *server, sv_ingest **out);
/* Answer what has been read, then end the thread and remove the socket. */
void sv_ingest_close(sv_ingest *ingest);

/* Figures for Prometheus. */
void sv_ingest_metrics(const sv_ingest *ingest, sv_text *out);

#endif
