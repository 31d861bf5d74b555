/* mcp_core.h - a request of the Model Context Protocol from the inside, for the files that answer one. */
#ifndef SERVE_MCP_CORE_H
#define SERVE_MCP_CORE_H

#include "../door/json.h"
#include "mcp.h"
#include "mcp_way.h"
#include "text.h"

#define MCP_MODERN "2026-07-28"
#define MCP_LEGACY "2025-11-25" /* the newest that begins with `initialize` */

enum {
  MCP_PARSE = -32700,
  MCP_INVALID_REQUEST = -32600,
  MCP_NO_METHOD = -32601,
  MCP_BAD_PARAMS = -32602,
  MCP_INTERNAL = -32603,
  MCP_NO_RESOURCE = -32002, /* before 2026-07-28 */
  MCP_NO_CAPABILITY = -32021,
  MCP_BAD_VERSION = -32022,
};

struct mcp_request {
  const mcp_caller *caller;
  char *text;              /* what came, ours */
  json id, params, meta;   /* meta: params._meta */
  char *method;            /* its name; NULL: it has none */
  bool modern;             /* of 2026-07-28; else of a revision before it */
  bool unmet;              /* what every request must carry is missing */
  const char *result_type; /* of 2026-07-28: complete, or input_required */
  sv_text result;          /* members of the result, each with a comma before it */
  sv_text result_meta;     /* the same of its _meta */
  int code;                /* of an error; 0: there is none */
  sv_text message, data;   /* of an error */
  sv_text reply;
  mcp_way_run run; /* calls under way */
  sv_text said;    /* their arguments, when they are not in the text */
  int64_t told;    /* the progress told last; -1: none */
};

/* Something that only some servers have, such as the fixtures of a test: an entry of a list, and what
** answers to its name.  A list of them ends with a NULL list. */
struct mcp_extra {
  const char *list;            /* "tools", "prompts", "resources" or "resourceTemplates" */
  const char *name;            /* of a resource: its address; of a template: how that begins */
  const char *entry;           /* in the list, as JSON; NULL: it is not listed */
  void (*run)(mcp_request *r); /* answers tools/call, prompts/get or resources/read; NULL: another does */
};

/* Answer with an error. */
void mcp_fail(mcp_request *r, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Answer 2026-07-28 with how long the result may be kept, and whether others may get it too. */
void mcp_cacheable(mcp_request *r, int64_t ttl_ms, bool everybody);

/* The string parameter of that name, in new memory; NULL: it is missing, which is answered. */
char *mcp_need_text(mcp_request *r, json in, const char *name);

/* May the caller use the method? */
bool mcp_may(const mcp_request *r, const stele_method *method);

/* The extra of that list and name, or NULL. */
const mcp_extra *mcp_extra_find(const mcp_request *r, const char *list, const char *name);

/* The requests, each in a file of its own. */
void mcp_tools_list(mcp_request *r);
void mcp_tools_call(mcp_request *r);
void mcp_resources_list(mcp_request *r);
void mcp_resources_templates(mcp_request *r);
void mcp_resources_read(mcp_request *r);
void mcp_prompts_list(mcp_request *r);
void mcp_prompts_get(mcp_request *r);
void mcp_complete(mcp_request *r);

#endif
