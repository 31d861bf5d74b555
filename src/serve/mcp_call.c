/* mcp_call.c - tools/call: from a tool and its arguments to a way of methods, and what came of it as a result. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp_schema.h"
#include "mcp_tool.h"

/* What can be done about it, when the library has no better advice. */
static const char *advice(stele_status status) {
  switch (status) {
    case STELE_INVALID: return "correct the argument and call again";
    case STELE_NOTFOUND: return "look for the right id with `sessions` or `search`, then call again";
    case STELE_CONFLICT:
    case STELE_BUSY:
    case STELE_UNAVAILABLE: return "wait a moment and call again";
    case STELE_INDOUBT: return "look whether it was done before you call again";
    case STELE_DENIED:
    case STELE_READONLY:
    case STELE_HELD: return "do without it, or ask the user for access";
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

static bool applies(const mcp_tool *tool, const mcp_way *way, json said) {
  if (!way->when) return true;
  return tool->choice ? json_is(json_member(said, tool->choice), way->when) : json_member(said, way->when).text != NULL;
}

/* Of the ways that apply, the first that the caller may take; if none is, the first, so that the refusal is told. */
static const mcp_way *choose(const mcp_request *r, const mcp_tool *tool, json said) {
  const mcp_way *first = NULL;
  for (const mcp_way *way = tool->ways; way < tool->ways + MCP_WAYS && !mcp_way_is_end(way); way++) {
    if (!applies(tool, way, said)) continue;
    if (mcp_may(r, mcp_step_method(way, 0))) return way;
    if (!first) first = way;
  }
  return first;
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
      mcp_tool_each_argument(tool, put_name, &names);
      refuse(r, tool->name, word ? word : "", "%s%s%s has no argument %.100s; the tool takes %s", tool->name,
             tool->choice ? " " : "", tool->choice ? way->when : "", word ? word : "",
             names.bytes ? names.bytes : "none");
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
  const mcp_way *way = choose(r, tool, said);
  if (!way) {
    sv_text values = {0};
    for (size_t i = 0; i < MCP_WAYS && !mcp_way_is_end(&tool->ways[i]); i++)
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
  else if (tool && mcp_tool_allowed(r, tool))
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
