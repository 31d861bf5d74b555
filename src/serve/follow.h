/* follow.h - server-sent events: what is new in a store, as it comes. */
#ifndef SERVE_FOLLOW_H
#define SERVE_FOLLOW_H

#include "exchange.h"

typedef struct sv_followers sv_followers;

sv_followers *sv_followers_open(sv_server *server); /* NULL: no memory, or no thread */
/* End all of them, and the thread.  Closing does that too. */
void sv_followers_end(sv_followers *followers);
void sv_followers_close(sv_followers *followers);
int64_t sv_followers_count(const sv_followers *followers);

/* Something was written to that store: look now. */
void sv_followers_wake(sv_server *server, const char *store);

/* Which store's: sets call.method.  False: answered. */
bool sv_follow_prepare(sv_exchange *exchange);
/* GET /v1/follow?store=conversation[&session=...]; on a worker. */
void sv_follow_answer(sv_exchange *exchange, sv_worker *worker);

#endif
