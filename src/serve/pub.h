/* pub.h - GET /pub/{token}/{file}: what sessions give out.  The files are DIR/<session>/pub/<file>, with
** `--set pub=DIR`; the token is the session's (server.pub_link), and no other is needed. */
#ifndef SERVE_PUB_H
#define SERVE_PUB_H

#include "exchange.h"

typedef struct sv_pub sv_pub;

/* NULL: told.  Only called if there is something to give out; makes the key if there is none. */
sv_pub *sv_pub_open(sv_server *server);
void sv_pub_close(sv_pub *pub);

void sv_pub_answer(sv_exchange *exchange, sv_worker *worker);

#endif
