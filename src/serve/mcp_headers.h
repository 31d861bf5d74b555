/* mcp_headers.h - 2026-07-28 repeats parts of a message in the headers of its request; they must agree. */
#ifndef SERVE_MCP_HEADERS_H
#define SERVE_MCP_HEADERS_H

#include "exchange.h"

/* Do the headers say what the body says?  False: answered. */
bool sv_mcp_headers_check(sv_exchange *exchange);

#endif
