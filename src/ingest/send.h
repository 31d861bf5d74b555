/* send.h - events on their way to the server: acknowledged when they are stored, else kept in the fallback files.
**
** What is kept is replayed later (docs/shell.md), and what was stored after all is known by its envelope. */
#ifndef INGEST_SEND_H
#define INGEST_SEND_H

#include <stddef.h>

#include "fallback.h"
#include "stele.h"

#define ST_INGEST_TIMEOUT_MS 5000 /* for all of it, unless the caller says otherwise */

typedef struct st_sent {
  size_t stored; /* acknowledged by the server */
  size_t kept;   /* in the fallback files */
  size_t lost;   /* neither: why tells the reason */
  char why[ST_FALLBACK_WHY]; /* the last reason why one was not stored; "" if all were */
} st_sent;

/* Send envelopes (JSON objects, docs/shell.md).  `place` names the home, and the rules of redaction for what must be kept. */
st_sent st_ingest_send_all(const stele_options *place, const char *const *envelopes, size_t count, int timeout_ms);

/* The same of one. */
st_sent st_ingest_send(const stele_options *place, const char *envelope, int timeout_ms);

/* Ask the server of a home: a request {"type":..,"data":..} for its reply, in new memory.  NULL: why tells the reason. */
char *st_ingest_ask(const char *home, const char *request, int timeout_ms, char why[ST_FALLBACK_WHY]);

#endif
