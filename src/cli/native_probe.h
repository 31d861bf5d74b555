/* native_probe.h - a visit of nobody's, on the way of those that a browser tells of. */
#ifndef CLI_NATIVE_PROBE_H
#define CLI_NATIVE_PROBE_H

#include "../ingest/fallback.h"
#include "command.h"

/* The visit as a browser would tell it, in new memory. */
char *native_probe_message(cli *c, const char *tag);

/* Its envelope, in new memory; NULL: why tells the reason. */
char *native_probe_envelope(cli *c, const char *message, char why[ST_FALLBACK_WHY]);

/* Start a host as a browser does, and tell it.  True: the server has stored it; else why tells the reason. */
bool native_probe_send(cli *c, const char *message, int64_t until, char why[ST_FALLBACK_WHY]);

#endif
