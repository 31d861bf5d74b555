/* mcp_tool.c - see mcp_tool.h. */
#include "mcp_tool.h"

#include <string.h>

bool mcp_way_is_end(const mcp_way *way) {
  return !way->steps[0].method;
}

void mcp_tool_each_argument(const mcp_tool *tool, void (*each)(sv_text *out, const mcp_tool *tool, const char *name),
                            sv_text *out) {
  const char *seen[32];
  size_t count = 0;
  for (size_t i = 0; i < MCP_WAYS * MCP_STEPS * MCP_ARGUMENTS; i++) {
    const mcp_step *step = &tool->ways[i / (MCP_STEPS * MCP_ARGUMENTS)].steps[i / MCP_ARGUMENTS % MCP_STEPS];
    const char *name = step->method ? step->arguments[i % MCP_ARGUMENTS].name : NULL;
    bool known = !name || count == sizeof seen / sizeof *seen;
    for (size_t j = 0; j < count && !known; j++) known = strcmp(seen[j], name) == 0;
    if (known) continue;
    seen[count++] = name;
    each(out, tool, name);
  }
}

bool mcp_tool_allowed(const mcp_request *r, const mcp_tool *tool) {
  for (size_t i = 0; i < MCP_WAYS && !mcp_way_is_end(&tool->ways[i]); i++)
    if (mcp_may(r, mcp_step_method(&tool->ways[i], 0))) return true;
  return false;
}
