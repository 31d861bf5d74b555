/* mcp_stdio.h - the Model Context Protocol over standard input and output, as the command line starts it. */
#ifndef SERVE_MCP_STDIO_H
#define SERVE_MCP_STDIO_H

#include <stdbool.h>
#include <stddef.h>

#include "stele.h"

typedef struct mcp_stdio_options {
  const stele_options *place; /* how the home is opened; its callbacks are not used */
  bool all;                   /* every method is a tool */
  size_t tokens;              /* that one result may have, about; 0: any */
  bool quiet;                 /* the library's messages are not written to stderr */
} mcp_stdio_options;

/* Answer the messages on standard input, one per line, until it ends.  Returns the exit status. */
int mcp_stdio_run(const mcp_stdio_options *options);

#endif
