/* mcp_complete.c - completion/complete: what the rest of an argument may be. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mcp_core.h"
#include "mcp_profile.h"

#define VALUES_MAX 100 /* the protocol's limit */

static const mcp_values *values_find(const char *argument) {
  for (const mcp_values *at = mcp_values_list; at->argument; at++)
    if (strcmp(at->argument, argument) == 0) return at;
  return NULL;
}

/* By its beginning; a title by any part of it. */
static bool matches(json row, const mcp_values *values, const char *begun) {
  char *value = json_text(json_member(row, values->column));
  char *also = values->also ? json_text(json_member(row, values->also)) : NULL;
  bool good = value && (strncasecmp(value, begun, strlen(begun)) == 0 || (also && strcasestr(also, begun)) ||
                        (!values->also && strcasestr(value, begun)));
  free(also);
  free(value);
  return good;
}

static void put_values(mcp_request *r, json rows, const mcp_values *values, const char *begun) {
  json row = {NULL, 0};
  size_t total = 0;
  sv_addz(&r->result, ",\"completion\":{\"values\":[");
  while (json_next(rows, &row)) {
    json value = json_member(row, values->column);
    if (!value.text || !matches(row, values, begun) || total++ >= VALUES_MAX) continue;
    sv_addz(&r->result, total > 1 ? "," : "");
    sv_add(&r->result, value.text, value.length);
  }
  sv_addf(&r->result, "],\"total\":%zu,\"hasMore\":%s}", total, total > VALUES_MAX ? "true" : "false");
}

static void finish(mcp_request *r, const stele_failure *failure) {
  json argument = json_member(r->params, "argument");
  char *name = json_text(json_member(argument, "name")), *begun = json_text(json_member(argument, "value"));
  const mcp_values *values = name ? values_find(name) : NULL;
  sv_text whole = {0};
  sv_addf(&whole, "{%s}", r->run.body.length ? r->run.body.bytes + 1 : "");
  if (failure)
    mcp_fail(r, MCP_INTERNAL, "%s", failure->message);
  else if (!values || !begun || whole.failed)
    mcp_fail(r, MCP_INTERNAL, "out of memory");
  else
    put_values(r, json_member(json_read(whole.bytes, whole.length), values->key), values, begun);
  sv_text_free(&whole);
  free(begun);
  free(name);
}

static bool known_prompt(const mcp_request *r, const char *name) {
  const mcp_prompt *prompt = mcp_prompt_list;
  while (prompt->name && strcmp(prompt->name, name) != 0) prompt++;
  return prompt->name || mcp_extra_find(r, "prompts", name);
}

static bool known_template(const mcp_request *r, const char *uri) {
  const mcp_resource *resource = mcp_resource_list;
  while (resource->uri && strcmp(resource->uri, uri) != 0) resource++;
  return resource->uri || mcp_extra_find(r, "resources", uri) || mcp_extra_find(r, "resourceTemplates", uri);
}

/* Is it an argument of something that is there? */
static bool check_reference(mcp_request *r) {
  json reference = json_member(r->params, "ref"), type = json_member(reference, "type");
  bool prompt = json_is(type, "ref/prompt");
  if (!prompt && !json_is(type, "ref/resource")) {
    mcp_fail(r, MCP_BAD_PARAMS, "ref must be of type ref/prompt or ref/resource");
    return false;
  }
  char *name = mcp_need_text(r, reference, prompt ? "name" : "uri");
  if (name && !(prompt ? known_prompt(r, name) : known_template(r, name)))
    mcp_fail(r, MCP_BAD_PARAMS, "there is no %s %.200s", prompt ? "prompt" : "resource template", name);
  free(name);
  return !r->code;
}

void mcp_complete(mcp_request *r) {
  json argument = json_member(r->params, "argument");
  if (!check_reference(r)) return;
  char *name = mcp_need_text(r, argument, "name"), *value = name ? mcp_need_text(r, argument, "value") : NULL;
  const mcp_values *values = value ? values_find(name) : NULL;
  free(value);
  free(name);
  if (r->code) return;
  if (values && mcp_may(r, mcp_step_method(&values->way, 0)))
    mcp_way_begin(r, &values->way, (json){NULL, 0}, finish);
  else
    sv_addz(&r->result, ",\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}");
}
