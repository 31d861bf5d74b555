/* mcp_cut.h - a JSON value cut to a budget: lists end early and texts are shortened, and what is left is
** JSON of the same shape. */
#ifndef SERVE_MCP_CUT_H
#define SERVE_MCP_CUT_H

#include "../door/json.h"
#include "text.h"

typedef struct mcp_cut {
  const char *list;   /* the member of the whole that is watched */
  size_t budget;      /* bytes; 0: any */
  size_t kept, total; /* of its elements */
  json last;          /* the last one that was kept */
  size_t lists;       /* that were cut */
  size_t texts;
} mcp_cut;

/* Append the value.  At least one element of each list is kept, and something of every text: where
** that is too much, the budget is exceeded. */
void mcp_cut_put(sv_text *out, json value, mcp_cut *cut);

#endif
