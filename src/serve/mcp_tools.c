/* mcp_tools.c - tools/list.  A tool is a row of the default profile (mcp_profile.h), or, when every method is a
** tool, a method of the registry. */
#include <string.h>

#include "mcp_page.h"
#include "mcp_schema.h"
#include "mcp_tool.h"

#define LIST_TTL_MS 3600000

/* What a result says of what was left out, and remarks of the library. */
#define MORE_SCHEMA                                                                                            \
  "\"more\":{\"type\":\"object\",\"properties\":{\"why\":{\"type\":\"string\"},\"next\":{\"type\":\"object\"," \
  "\"description\":\"arguments to add for what comes behind\"}},\"required\":[\"why\"]},"                      \
  "\"notes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"

/* ---- Annotations: from the access words and the names of methods ---- */

static bool name_has(const stele_method *method, const char *const *words) {
  const char *name = strchr(method->name, '.') + 1;
  for (; *words; words++) {
    const char *at = strstr(name, *words);
    size_t length = strlen(*words);
    if (at && (at == name || at[-1] == '_') && (at[length] == '_' || at[length] == '\0')) return true;
  }
  return false;
}

static bool reads(const stele_method *method) {
  return strcmp(method->access, "read") == 0;
}

static bool destroys(const stele_method *method) {
  static const char *const words[] = {"delete",   "clear",     "replace", "prune",  "rewind", "retention", "size",
                                      "failsafe", "overwrite", "rename",  "revoke", "vacuum", NULL};
  return strcmp(method->access, "admin") == 0 || (!reads(method) && name_has(method, words));
}

static bool repeats(const stele_method *method) {
  static const char *const words[] = {"ensure", "set", "delete", "clear", "end", "reopen", "revoke", NULL};
  return reads(method) || name_has(method, words);
}

typedef struct nature {
  bool reads, destroys, repeats;
} nature;

static void add_nature(nature *n, const stele_method *method) {
  n->reads = n->reads && reads(method);
  n->destroys = n->destroys || destroys(method);
  n->repeats = n->repeats && repeats(method);
}

static void put_annotations(sv_text *out, const char *title, nature n) {
  sv_addz(out, ",\"annotations\":{\"title\":");
  sv_add_quoted(out, title);
  sv_addf(out, ",\"readOnlyHint\":%s,\"destructiveHint\":%s,\"idempotentHint\":%s,\"openWorldHint\":false}",
          n.reads ? "true" : "false", n.destroys ? "true" : "false", n.repeats ? "true" : "false");
}

/* ---- Tools of the default profile ---- */

/* The field behind an argument, in whatever way has it. */
static const stele_field *tool_field(const mcp_tool *tool, const char *name, const mcp_argument **argument) {
  const stele_field *field = NULL;
  for (size_t i = 0; i < MCP_WAYS && !mcp_way_is_end(&tool->ways[i]) && !field; i++)
    field = mcp_way_field(&tool->ways[i], name, argument);
  return field;
}

/* Every way takes it, and none can do without. */
static bool is_required(const mcp_tool *tool, const char *name) {
  for (size_t i = 0; i < MCP_WAYS && !mcp_way_is_end(&tool->ways[i]); i++) {
    const mcp_argument *argument = NULL;
    const stele_field *field = mcp_way_field(&tool->ways[i], name, &argument);
    if (!field || mcp_may_be_absent(field) || argument->fallback) return false;
  }
  return true;
}

static void comma(sv_text *out) {
  if (out->length && out->bytes[out->length - 1] != '{' && out->bytes[out->length - 1] != '[') sv_addz(out, ",");
}

static void put_property(sv_text *out, const mcp_tool *tool, const char *name) {
  const mcp_argument *argument = NULL;
  const stele_field *field = tool_field(tool, name, &argument);
  comma(out);
  sv_addf(out, "\"%s\":", name);
  mcp_schema_param(out, field, argument->fallback);
}

static void put_required(sv_text *out, const mcp_tool *tool, const char *name) {
  if (!is_required(tool, name)) return;
  comma(out);
  sv_addf(out, "\"%s\"", name);
}

static void put_choice(sv_text *out, const mcp_tool *tool) {
  sv_addf(out, "\"%s\":{\"type\":\"string\",\"enum\":[", tool->choice);
  for (size_t i = 0; i < MCP_WAYS && !mcp_way_is_end(&tool->ways[i]); i++)
    sv_addf(out, "%s\"%s\"", i ? "," : "", tool->ways[i].when);
  sv_addz(out, "],\"description\":");
  sv_add_quoted(out, tool->choice_doc);
  sv_addz(out, "}");
}

static void put_input(sv_text *out, const mcp_tool *tool) {
  sv_addz(out, ",\"inputSchema\":{\"type\":\"object\",\"properties\":{");
  if (tool->choice) put_choice(out, tool);
  mcp_tool_each_argument(tool, put_property, out);
  sv_addz(out, "},\"required\":[");
  if (tool->choice) sv_addf(out, "\"%s\"", tool->choice);
  mcp_tool_each_argument(tool, put_required, out);
  sv_addz(out, "],\"additionalProperties\":false}");
}

/* Rows are told without what is null, so no column is required. */
static void put_row_schema(sv_text *out, const mcp_step *step, const stele_method *method) {
  bool first = true;
  sv_addz(out, "{\"type\":\"object\",\"properties\":{");
  for (size_t i = 0; i < method->nresults; i++) {
    if (!mcp_step_tells(step, method->results[i].name)) continue;
    sv_addf(out, "%s\"%s\":", first ? "" : ",", method->results[i].name);
    mcp_schema_result(out, &method->results[i], false);
    first = false;
  }
  sv_addz(out, "},\"additionalProperties\":false}");
}

/* A key that several ways tell has the same rows in each. */
static bool is_told_before(const mcp_tool *tool, const mcp_step *upto) {
  for (size_t i = 0; i < MCP_WAYS * MCP_STEPS; i++) {
    const mcp_step *step = &tool->ways[i / MCP_STEPS].steps[i % MCP_STEPS];
    if (step == upto) return false;
    if (step->method && step->key && strcmp(step->key, upto->key) == 0) return true;
  }
  return false;
}

static void put_output(sv_text *out, const mcp_tool *tool) {
  sv_addz(out, ",\"outputSchema\":{\"type\":\"object\",\"properties\":{");
  for (size_t i = 0; i < MCP_WAYS * MCP_STEPS; i++) {
    const mcp_step *step = &tool->ways[i / MCP_STEPS].steps[i % MCP_STEPS];
    if (!step->method || !step->key || is_told_before(tool, step)) continue;
    const stele_method *method = stele_method_find(step->method);
    bool many = strcmp(method->shape, "many") == 0;
    sv_addf(out, "\"%s\":%s", step->key, many ? "{\"type\":\"array\",\"items\":" : "");
    put_row_schema(out, step, method);
    sv_addz(out, many ? "}," : ",");
  }
  sv_addz(out, MORE_SCHEMA "},\"additionalProperties\":false}");
}

static void put_tool(mcp_request *r, const mcp_tool *tool) {
  sv_text *out = &r->result;
  nature n = {true, false, true};
  const stele_method *method;
  for (size_t i = 0; i < MCP_WAYS; i++)
    for (size_t step = 0; (method = mcp_step_method(&tool->ways[i], step)) != NULL; step++) add_nature(&n, method);
  sv_addf(out, "{\"name\":\"%s\"", tool->name);
  sv_add_member(out, "title", tool->title);
  sv_add_member(out, "description", tool->description);
  put_input(out, tool);
  put_output(out, tool);
  put_annotations(out, tool->title, n);
  sv_addz(out, "}");
}

/* ---- Every method as a tool ---- */

/* The reply as it is: an object or null, or a list of objects. */
static void put_method_output(sv_text *out, const stele_method *method) {
  bool many = strcmp(method->shape, "many") == 0, maybe = strcmp(method->shape, "one") == 0;
  sv_addf(out, ",\"outputSchema\":{\"type\":\"object\",\"properties\":{\"%s\":%s{%s,\"properties\":{",
          many ? "results" : "result", many ? "{\"type\":\"array\",\"items\":" : "",
          maybe ? "\"anyOf\":[{\"type\":\"object\"},{\"type\":\"null\"}]" : "\"type\":\"object\"");
  for (size_t i = 0; i < method->nresults; i++) {
    sv_addf(out, "%s\"%s\":", i ? "," : "", method->results[i].name);
    mcp_schema_result(out, &method->results[i], true);
  }
  sv_addz(out, "},\"required\":[");
  for (size_t i = 0; i < method->nresults; i++) sv_addf(out, "%s\"%s\"", i ? "," : "", method->results[i].name);
  sv_addf(out, "]}%s," MORE_SCHEMA "},\"required\":[\"%s\"],\"additionalProperties\":false}", many ? "}" : "",
          many ? "results" : "result");
}

static void put_method(mcp_request *r, const stele_method *method) {
  sv_text *out = &r->result;
  nature n = {true, false, true};
  add_nature(&n, method);
  sv_addf(out, "{\"name\":\"%s\"", method->name);
  sv_add_member(out, "title", method->name);
  sv_add_member(out, "description", method->doc);
  sv_addz(out, ",\"inputSchema\":");
  mcp_schema_params(out, method);
  put_method_output(out, method);
  put_annotations(out, method->name, n);
  sv_addz(out, "}");
}

void mcp_tools_list(mcp_request *r) {
  mcp_page page;
  const stele_method *method;
  if (!mcp_page_begin(&page, r, "tools")) return;
  if (r->caller->all) {
    for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++)
      if (mcp_may(r, method) && mcp_page_takes(&page, method->name)) put_method(r, method);
  } else {
    for (const mcp_tool *tool = mcp_default_tools; tool->name; tool++)
      if (mcp_tool_allowed(r, tool) && mcp_page_takes(&page, tool->name)) put_tool(r, tool);
  }
  mcp_page_extras(&page);
  mcp_page_end(&page);
  mcp_cacheable(r, LIST_TTL_MS, !r->caller->may); /* what is listed depends on who asks */
}
