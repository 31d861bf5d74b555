/* mcp_tool.h - what listing and calling the tools of the default profile have in common. */
#ifndef SERVE_MCP_TOOL_H
#define SERVE_MCP_TOOL_H

#include "mcp_core.h"
#include "mcp_profile.h"

bool mcp_way_is_end(const mcp_way *way);

/* Call `each` for every name of an argument that the ways take, once. */
void mcp_tool_each_argument(const mcp_tool *tool, void (*each)(sv_text *out, const mcp_tool *tool, const char *name),
                            sv_text *out);

/* May the caller take some way of it? */
bool mcp_tool_allowed(const mcp_request *r, const mcp_tool *tool);

#endif
