/* fixtures.h - what the official conformance suite calls. */
#ifndef MCP_FIXTURES_H
#define MCP_FIXTURES_H

#include "serve/mcp_core.h"

extern const mcp_extra mcp_fixtures[]; /* ends with a NULL list */

#endif
