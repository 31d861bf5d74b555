/* http.h - the listening sockets and libmicrohttpd behind them. */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include <stdbool.h>

typedef struct sv_server sv_server;
typedef struct sv_http sv_http;

/* Bind and begin to serve.  NULL: told. */
sv_http *sv_http_open(sv_server *server);
/* Take no more connections. */
void sv_http_quiesce(sv_http *http);
/* End: nothing may be suspended any more. */
void sv_http_close(sv_http *http);

#endif
