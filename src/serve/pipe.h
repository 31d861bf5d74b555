/* pipe.h - bytes on their way from a thread that makes them to a connection that takes them at its own
** pace.  The connection is suspended while there is nothing to take. */
#ifndef SERVE_PIPE_H
#define SERVE_PIPE_H

#include "exchange.h"

typedef struct sv_pipe sv_pipe;

/* Called on the connection's thread: half of the room is free again, or (gone) nobody takes any more. */
typedef void sv_pipe_event(void *user, bool gone);

/* Owned by the maker of the bytes and, once there is a response, by that too.  NULL: no memory. */
sv_pipe *sv_pipe_new(sv_exchange *exchange, size_t room, sv_pipe_event *event, void *user);
struct MHD_Response *sv_pipe_response(sv_pipe *pipe); /* once; NULL: no memory */

/* False: nobody takes any more, or there is no memory. */
bool sv_pipe_put(sv_pipe *pipe, const char *bytes, size_t length);
bool sv_pipe_full(sv_pipe *pipe); /* never, once nobody takes any more: putting tells */
/* No more comes; broken: what was sent is not all there is. */
void sv_pipe_end(sv_pipe *pipe, bool broken);
/* The maker has done with it, and gets no event any more after this. */
void sv_pipe_release(sv_pipe *pipe);

#endif
