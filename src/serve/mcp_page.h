/* mcp_page.h - lists that are told page by page.  A cursor names the last entry that was told, so that it
** stays right when entries are added. */
#ifndef SERVE_MCP_PAGE_H
#define SERVE_MCP_PAGE_H

#include "mcp_core.h"

#define MCP_PAGE 50 /* entries of one page */
#define MCP_NAME 200

typedef struct mcp_page {
  mcp_request *r;
  const char *list;     /* "tools" */
  char after[MCP_NAME]; /* the entry before the first; "": none */
  char last[MCP_NAME];  /* the entry told last */
  bool found;           /* what comes now is behind `after` */
  bool more;
  size_t count;
} mcp_page;

/* Begin the list.  False: the cursor is none of ours, which is answered. */
bool mcp_page_begin(mcp_page *page, mcp_request *r, const char *list);
/* Is the entry of that name to be told now?  Then its text is added to r->result. */
bool mcp_page_takes(mcp_page *page, const char *name);
/* The extras of this list. */
void mcp_page_extras(mcp_page *page);
void mcp_page_end(mcp_page *page);

#endif
