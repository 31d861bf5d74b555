/* long.h - calls that make their own transactions and may take long: each on a thread and a handle of
** its own, so that nobody waits behind it.  It is stopped when nobody wants its reply any more. */
#ifndef SERVE_LONG_H
#define SERVE_LONG_H

#include "call.h"

typedef struct sv_server sv_server;
typedef struct sv_longs sv_longs;

sv_longs *sv_longs_open(sv_server *server); /* NULL: no memory */
/* Take the call: done later, or at once with BUSY if too many are under way. */
void sv_long_submit(sv_longs *longs, sv_call *call);
/* Stop what is under way and wait for its end. */
void sv_longs_close(sv_longs *longs);

#endif
