/* mcp_http.h - the Model Context Protocol at POST /mcp.
**
** An answer is one JSON message, or, once there is progress to tell, a stream of events that ends with it.
** A client that goes away has cancelled its request.  There are no sessions: what 2025-11-25 needs of one
** is nothing here. */
#ifndef SERVE_MCP_HTTP_H
#define SERVE_MCP_HTTP_H

#include "exchange.h"
#include "mcp.h"

void sv_mcp_answer(sv_exchange *exchange, sv_worker *worker);

/* Further tools and so on that this program has, or NULL. */
extern const mcp_extra *sv_mcp_extras;

#endif
