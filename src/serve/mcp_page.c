/* mcp_page.c - see mcp_page.h. */
#include "mcp_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cursor is the list's name and an entry's, in hexadecimal digits: clients must not read it. */
static void put_cursor(sv_text *out, const char *list, const char *name) {
  sv_addz(out, ",\"nextCursor\":\"");
  for (const char *at = list; *at; at++) sv_addf(out, "%02x", (unsigned char)*at);
  sv_addz(out, "3a");
  for (const char *at = name; *at; at++) sv_addf(out, "%02x", (unsigned char)*at);
  sv_addz(out, "\"");
}

static bool read_cursor(mcp_page *page, const char *cursor) {
  char text[2 * MCP_NAME];
  size_t length = strlen(cursor), list = strlen(page->list);
  if (length % 2 || length / 2 >= sizeof text || strspn(cursor, "0123456789abcdef") != length) return false;
  for (size_t i = 0; i < length / 2; i++) {
    char digits[3] = {cursor[2 * i], cursor[2 * i + 1], '\0'};
    text[i] = (char)strtoul(digits, NULL, 16);
  }
  text[length / 2] = '\0';
  if (strlen(text) != length / 2 || length / 2 < list + 2 || strncmp(text, page->list, list) != 0 || text[list] != ':')
    return false;
  snprintf(page->after, sizeof page->after, "%s", text + list + 1);
  return true;
}

static void bad_cursor(mcp_page *page) {
  mcp_fail(page->r, MCP_BAD_PARAMS, "%s: this cursor is not one of this list; begin without one", page->r->method);
}

bool mcp_page_begin(mcp_page *page, mcp_request *r, const char *list) {
  *page = (mcp_page){.r = r, .list = list};
  json cursor = json_member(r->params, "cursor");
  char *text = json_kind(cursor) == '"' ? json_text(cursor) : NULL;
  bool good = !cursor.text || (text && read_cursor(page, text));
  free(text);
  if (!good) bad_cursor(page);
  page->found = !page->after[0];
  if (good) sv_addf(&r->result, ",\"%s\":[", list);
  return good;
}

bool mcp_page_takes(mcp_page *page, const char *name) {
  if (!page->found) {
    page->found = strcmp(page->after, name) == 0;
    return false;
  }
  if (page->count == MCP_PAGE) {
    page->more = true;
    return false;
  }
  if (page->count++) sv_addz(&page->r->result, ",");
  snprintf(page->last, sizeof page->last, "%s", name);
  return true;
}

void mcp_page_extras(mcp_page *page) {
  for (const mcp_extra *at = page->r->caller->extras; at && at->list; at++)
    if (at->entry && strcmp(at->list, page->list) == 0 && mcp_page_takes(page, at->name))
      sv_addz(&page->r->result, at->entry);
}

void mcp_page_end(mcp_page *page) {
  sv_addz(&page->r->result, "]");
  if (!page->found) bad_cursor(page);
  if (page->more) put_cursor(&page->r->result, page->list, page->last);
}
