/* server.h - native methods of the server store; the registry refers to them. */
#ifndef ST_SERVER_H
#define ST_SERVER_H

#include "engine/call.h"

void st_server_create_token(st_call *call);
void st_server_pub_link(st_call *call);
void st_server_find_pub(st_call *call);

/* Up to 256 random bytes of the system.  False: it gives none. */
bool st_server_random(unsigned char *out, size_t size);

#endif
