/* pub_key.h - the server's key: 32 random bytes in the home, for its owner only. */
#ifndef ST_SERVER_PUB_KEY_H
#define ST_SERVER_PUB_KEY_H

#include "engine/call.h"

#define ST_PUB_KEY 32

/* Read it.  False: there is none, or the call has failed. */
bool st_pub_key_read(st_call *call, unsigned char key[ST_PUB_KEY]);
/* Read it, or make it if there is none.  False: the call has failed. */
bool st_pub_key_need(st_call *call, unsigned char key[ST_PUB_KEY]);

#endif
