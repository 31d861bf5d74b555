/* mcp_tools.c - tools/list and tools/call.  A tool is a row of the default profile (mcp_profile.h), or, when every
** method is a tool, a method of the registry. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp_core.h"
#include "mcp_page.h"
#include "mcp_profile.h"
#include "mcp_schema.h"

#define LIST_TTL_MS 3600000

/* What a result says of what was left out, and remarks of the library. */
#define MORE_SCHEMA                                                                                               \
  "\"more\":{\"type\":\"object\",\"properties\":{\"why\":{\"type\":\"string\"},\"next\":{\"type\":\"object\","     \
  "\"description\":\"arguments to add for what comes behind\"}},\"required\":[\"why\"]},"                          \
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
  static const char *const words[] = {"delete", "clear",     "replace",  "prune",   "rewind", "retention",
                                      "size",   "failsafe", "overwrite", "rename", "revoke", "vacuum", NULL};
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

static bool way_ends(const mcp_way *way) {
  return !way->steps[0].method;
}

/* The field behind an argument, in whatever way has it. */
static const stele_field *tool_field(const mcp_tool *tool, const char *name, const mcp_argument **argument) {
  const stele_field *field = NULL;
  for (size_t i = 0; i < MCP_WAYS && !way_ends(&tool->ways[i]) && !field; i++)
    field = mcp_way_field(&tool->ways[i], name, argument);
  return field;
}

/* Every way takes it, and none can do without. */
static bool is_required(const mcp_tool *tool, const char *name) {
  for (size_t i = 0; i < MCP_WAYS && !way_ends(&tool->ways[i]); i++) {
    const mcp_argument *argument = NULL;
    const stele_field *field = mcp_way_field(&tool->ways[i], name, &argument);
    if (!field || mcp_may_be_absent(field) || argument->fallback) return false;
  }
  return true;
}

/* Call `each` for every name that the ways take, once. */
static void each_argument(const mcp_tool *tool, void (*each)(sv_text *out, const mcp_tool *tool, const char *name),
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
  for (size_t i = 0; i < MCP_WAYS && !way_ends(&tool->ways[i]); i++)
    sv_addf(out, "%s\"%s\"", i ? "," : "", tool->ways[i].when);
  sv_addz(out, "],\"description\":");
  sv_add_quoted(out, tool->choice_doc);
  sv_addz(out, "}");
}

static void put_input(sv_text *out, const mcp_tool *tool) {
  sv_addz(out, ",\"inputSchema\":{\"type\":\"object\",\"properties\":{");
  if (tool->choice) put_choice(out, tool);
  each_argument(tool, put_property, out);
  sv_addz(out, "},\"required\":[");
  if (tool->choice) sv_addf(out, "\"%s\"", tool->choice);
  each_argument(tool, put_required, out);
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

static bool tool_allowed(const mcp_request *r, const mcp_tool *tool) {
  for (size_t i = 0; i < MCP_WAYS && !way_ends(&tool->ways[i]); i++)
    if (mcp_may(r, mcp_step_method(&tool->ways[i], 0))) return true;
  return false;
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
      if (tool_allowed(r, tool) && mcp_page_takes(&page, tool->name)) put_tool(r, tool);
  }
  mcp_page_extras(&page);
  mcp_page_end(&page);
  mcp_cacheable(r, LIST_TTL_MS, !r->caller->may); /* what is listed depends on who asks */
}

/* ---- Calling ---- */

/* What can be done about it, when the library has no better advice. */
static const char *advice(stele_status status) {
  switch (status) {
    case STELE_INVALID: return "correct the argument and call again";
    case STELE_NOTFOUND: return "look for the right id with `sessions` or `search`, then call again";
    case STELE_CONFLICT:
    case STELE_BUSY:
    case STELE_UNAVAILABLE: return "wait a moment and call again";
    case STELE_DENIED:
    case STELE_READONLY: return "do without it, or ask the user for access";
    case STELE_FORMAT:
    case STELE_CORRUPT:
    case STELE_IO:
    case STELE_FULL: return "call `status`, and tell the user what it says";
    default: return "tell the user";
  }
}

static void put_failure(sv_text *out, const stele_failure *failure) {
  sv_addf(out, ",\"stele/error\":{\"code\":\"%s\"", stele_status_name(failure->status));
  sv_add_member(out, "method", failure->method);
  sv_add_member(out, "field", failure->field);
  sv_add_member(out, "message", failure->message);
  sv_add_member(out, "hint", failure->hint);
  sv_addz(out, "}");
}

/* A failure is a result that a model can read, and go on from. */
static void tell_failure(mcp_request *r, const stele_failure *failure) {
  sv_text text = {0};
  sv_addf(&text, "%s\nNext: %s", failure->message, *failure->hint ? failure->hint : advice(failure->status));
  sv_addz(&r->result, ",\"content\":[{\"type\":\"text\",\"text\":");
  sv_add_quoted(&r->result, text.failed ? failure->message : text.bytes);
  sv_addz(&r->result, "}],\"isError\":true");
  put_failure(&r->result_meta, failure);
  sv_text_free(&text);
}

static void finish(mcp_request *r, const stele_failure *failure) {
  sv_text body = {0};
  if (failure) {
    tell_failure(r, failure);
    return;
  }
  mcp_way_tell(r, &body);
  if (body.failed) {
    mcp_fail(r, MCP_INTERNAL, "out of memory");
  } else {
    sv_addz(&r->result, ",\"content\":[{\"type\":\"text\",\"text\":");
    sv_add_quoted(&r->result, body.bytes);
    sv_addf(&r->result, "}],\"isError\":false,\"structuredContent\":");
    sv_add(&r->result, body.bytes, body.length);
  }
  sv_text_free(&body);
}

static void __attribute__((format(printf, 4, 5)))
refuse(mcp_request *r, const char *tool, const char *field, const char *format, ...) {
  char message[500];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  tell_failure(r, &(stele_failure){STELE_INVALID, tool, field, message, ""});
}

static const mcp_way *choose(const mcp_tool *tool, json said) {
  json choice = tool->choice ? json_member(said, tool->choice) : said;
  for (const mcp_way *way = tool->ways; way < tool->ways + MCP_WAYS && !way_ends(way); way++)
    if (!way->when || (tool->choice ? json_is(choice, way->when) : json_member(said, way->when).text != NULL)) return way;
  return NULL;
}

static void put_name(sv_text *out, const mcp_tool *tool, const char *name) {
  (void)tool;
  sv_addf(out, "%s%s", out->length ? ", " : "", name);
}

/* Every argument is one of the chosen way, and what that needs is there. */
static bool check_arguments(mcp_request *r, const mcp_tool *tool, const mcp_way *way, json said) {
  json name = {NULL, 0}, value;
  while (json_next_member(said, &name, &value)) {
    char *word = json_text(name);
    bool known = word && ((tool->choice && strcmp(word, tool->choice) == 0) || mcp_way_field(way, word, NULL));
    if (!known) {
      sv_text names = {0};
      each_argument(tool, put_name, &names);
      refuse(r, tool->name, word ? word : "", "%s%s%s has no argument %.100s; the tool takes %s", tool->name,
             tool->choice ? " " : "", tool->choice ? way->when : "", word ? word : "", names.bytes ? names.bytes : "none");
      sv_text_free(&names);
    }
    free(word);
    if (!known) return false;
  }
  return true;
}

/* The library names its methods and their parameters; a model knows the tool and its arguments. */
static bool has_needed(mcp_request *r, const mcp_tool *tool, const mcp_way *way, json said) {
  for (size_t i = 0; i < MCP_STEPS * MCP_ARGUMENTS; i++) {
    const mcp_step *step = &way->steps[i / MCP_ARGUMENTS];
    const mcp_argument *argument = &step->arguments[i % MCP_ARGUMENTS];
    if (!step->method || !argument->name || argument->fallback || json_member(said, argument->name).text) continue;
    if (mcp_may_be_absent(mcp_way_field(way, argument->name, NULL))) continue;
    refuse(r, tool->name, argument->name, "%s%s%s needs %s", tool->name, tool->choice ? " " : "",
           tool->choice ? way->when : "", argument->name);
    return false;
  }
  return true;
}

static void call_tool(mcp_request *r, const mcp_tool *tool, json said) {
  const mcp_way *way = choose(tool, said);
  if (!way) {
    sv_text values = {0};
    for (size_t i = 0; i < MCP_WAYS && !way_ends(&tool->ways[i]); i++)
      sv_addf(&values, "%s%s", i ? ", " : "", tool->ways[i].when);
    refuse(r, tool->name, tool->choice, "%s needs %s: %s", tool->name, tool->choice, values.bytes ? values.bytes : "");
    sv_text_free(&values);
    return;
  }
  if (check_arguments(r, tool, way, said) && has_needed(r, tool, way, said)) mcp_way_begin(r, way, said, finish);
}

static const mcp_tool *tool_find(const char *name) {
  for (const mcp_tool *tool = mcp_default_tools; tool->name; tool++)
    if (strcmp(tool->name, name) == 0) return tool;
  return NULL;
}

static void call_named(mcp_request *r, const char *name, json said) {
  const mcp_extra *extra = mcp_extra_find(r, "tools", name);
  const stele_method *method = r->caller->all ? stele_method_find(name) : NULL;
  const mcp_tool *tool = r->caller->all ? NULL : tool_find(name);
  if (extra)
    extra->run(r);
  else if (method && mcp_may(r, method))
    mcp_way_begin_method(r, method, said, finish);
  else if (tool && tool_allowed(r, tool))
    call_tool(r, tool, said);
  else
    mcp_fail(r, MCP_BAD_PARAMS, "there is no tool %.200s", name);
}

void mcp_tools_call(mcp_request *r) {
  json said = json_member(r->params, "arguments");
  char *name = mcp_need_text(r, r->params, "name");
  if (name && said.text && json_kind(said) != '{')
    mcp_fail(r, MCP_BAD_PARAMS, "arguments must be an object");
  else if (name)
    call_named(r, name, said);
  free(name);
}
