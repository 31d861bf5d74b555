/* stream.h - a reply of many rows as lines of JSON, read from the store as fast as the client takes
** them: whatever its size, it needs the memory of a few rows. */
#ifndef SERVE_STREAM_H
#define SERVE_STREAM_H

#include "exchange.h"

typedef struct sv_streams sv_streams;

sv_streams *sv_streams_open(sv_server *server); /* NULL: no memory */
void sv_streams_close(sv_streams *streams);
int64_t sv_streams_count(const sv_streams *streams);

/* Answer with the rows of exchange->call; on a worker. */
void sv_stream_answer(sv_exchange *exchange);

#endif
