/* handshake.h - a server does not start beside programs that expect another version of a store. */
#ifndef SERVE_HANDSHAKE_H
#define SERVE_HANDSHAKE_H

#include <stdbool.h>

#include "server.h"

#define SV_NUMBERS_MAX 200

/* Before any store is opened for writing: ask stele.handshake.  numbers tells what this server works with, for serve.pid.
** False: the server must not start, which is logged. */
bool sv_handshake(const sv_server *server, char numbers[SV_NUMBERS_MAX]);

#endif
