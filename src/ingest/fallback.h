/* fallback.h - what could not be handed to the server is kept in a file, a line each, until it is replayed.
**
** The files are fallback/YYYY-MM-DD.jsonl in the home, a day each by UTC; only their owner can read them. */
#ifndef INGEST_FALLBACK_H
#define INGEST_FALLBACK_H

#include <stdbool.h>

#include "stele.h"

#define ST_FALLBACK_WHY 300

/* Keep an envelope, without its secrets: by the rules of `place`, or by the built-in ones alone if those are wrong.  True: it
** is on the disk.  False: why tells what is in the way. */
bool st_fallback_append(const stele_options *place, const char *envelope, char why[ST_FALLBACK_WHY]);

/* Is there something that waits to be replayed? */
bool st_fallback_waits(const char *home);

#endif
