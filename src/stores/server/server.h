/* server.h - native methods of the server store; the registry refers to them. */
#ifndef ST_SERVER_H
#define ST_SERVER_H

#include "engine/call.h"

void st_server_create_token(st_call *call);

#endif
