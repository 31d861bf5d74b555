/* mcp_profile.h - the tools of the default profile: few, and shaped by what one wants to do.  A tool is a row of
** a table: what it is for, and the ways to do it (mcp_way.h).  Schemas and annotations come from the methods. */
#ifndef SERVE_MCP_PROFILE_H
#define SERVE_MCP_PROFILE_H

#include "mcp_way.h"

#define MCP_WAYS 6

typedef struct mcp_tool {
  const char *name, *title, *description;
  const char *choice; /* the argument that chooses the way by its value; NULL: what was said chooses it */
  const char *choice_doc;
  mcp_way ways[MCP_WAYS]; /* the first that applies is taken, of those that the caller may take */
} mcp_tool;

extern const mcp_tool mcp_default_tools[]; /* ends with a NULL name */

/* Something that can be read by its address. */
typedef struct mcp_resource {
  const char *uri;      /* stele://session/{id}: what stands in braces is the argument */
  const char *argument; /* NULL: the address is the resource */
  bool number;          /* the argument is a number, not a text */
  const char *name, *title, *description;
  mcp_way way;
} mcp_resource;

extern const mcp_resource mcp_resource_list[]; /* ends with a NULL uri */

/* A text for a model, with {argument} in it. */
typedef struct mcp_prompt {
  const char *name, *title, *description;
  struct {
    const char *name, *doc;
    bool required;
  } arguments[3];
  const char *text;
} mcp_prompt;

extern const mcp_prompt mcp_prompt_list[]; /* ends with a NULL name */

/* Where the values of an argument come from, whatever it is an argument of. */
typedef struct mcp_values {
  const char *argument;
  const char *key;    /* of the way's reply */
  const char *column; /* that is told as a value */
  const char *also;   /* a second one that may match, or NULL */
  mcp_way way;
} mcp_values;

extern const mcp_values mcp_values_list[]; /* ends with a NULL argument */

#endif
