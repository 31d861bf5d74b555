/* mcp.c - a message from its envelope to its answer.  See mcp.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp_core.h"

#define META "io.modelcontextprotocol/"
#define SERVER_INFO "{\"name\":\"stele\",\"title\":\"Stele\",\"version\":\"" STELE_VERSION "\"}"
#define CAPABILITIES "\"capabilities\":{\"completions\":{},\"prompts\":{},\"resources\":{},\"tools\":{}"
#define LIST_TTL_MS 3600000 /* tools and prompts change only with the program */

static const char instructions[] =
    "Stele keeps what agents and people did: conversations, commands, pages, workflows and what was learned from them, "
    "notes, facts, plans and tasks, failures of processes, and memory files. Look before you leap: `search` finds any of it, "
    "`timeline` shows what happened around a find, `get` reads it, or a session, whole. `memory` holds notes that outlive a conversation: view /memories first. Results are "
    "cut to a budget; `more.next` holds the arguments for the rest.";

/* Newest first.  All but the first begin with `initialize`. */
static const char *const versions[] = {MCP_MODERN, MCP_LEGACY, "2025-06-18", "2025-03-26", "2024-11-05", NULL};

static bool is_legacy(const char *version) {
  for (const char *const *at = versions + 1; *at; at++)
    if (strcmp(*at, version) == 0) return true;
  return false;
}

static void add_versions(sv_text *out) {
  for (const char *const *at = versions; *at; at++) sv_addf(out, "%s\"%s\"", at == versions ? "[" : ",", *at);
  sv_addz(out, "]");
}

/* ---- For those who answer ---- */

void mcp_fail(mcp_request *r, int code, const char *format, ...) {
  char message[600];
  va_list args;
  if (r->code) return; /* the first failure is told */
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  r->code = code;
  sv_add_quoted(&r->message, message);
}

void mcp_cacheable(mcp_request *r, int64_t ttl_ms, bool everybody) {
  if (r->modern)
    sv_addf(&r->result, ",\"ttlMs\":%lld,\"cacheScope\":\"%s\"", (long long)ttl_ms, everybody ? "public" : "private");
}

char *mcp_need_text(mcp_request *r, json in, const char *name) {
  json value = json_member(in, name);
  char *text = json_kind(value) == '"' ? json_text(value) : NULL;
  if (!text) mcp_fail(r, MCP_BAD_PARAMS, "%s needs the text %s", r->method, name);
  return text;
}

bool mcp_may(const mcp_request *r, const stele_method *method) {
  if (method->flags & STELE_METHOD_SECRET) return false; /* what a model reads is kept, and sent on */
  return !r->caller->may || r->caller->may(r->caller->user, method);
}

const mcp_extra *mcp_extra_find(const mcp_request *r, const char *list, const char *name) {
  bool beginning = strcmp(list, "resourceTemplates") == 0;
  for (const mcp_extra *at = r->caller->extras; at && at->list; at++)
    if (strcmp(at->list, list) == 0 &&
        (beginning ? strncmp(name, at->name, strlen(at->name)) : strcmp(name, at->name)) == 0)
      return at;
  return NULL;
}

/* ---- Requests that only speak of the server ---- */

static void discover(mcp_request *r) {
  sv_addz(&r->result, ",\"supportedVersions\":");
  add_versions(&r->result);
  sv_addz(&r->result, "," CAPABILITIES "}");
  sv_add_member(&r->result, "instructions", instructions);
  mcp_cacheable(r, LIST_TTL_MS, true);
}

/* The client's version if it is known, else the newest of those that begin so. */
static void initialize(mcp_request *r) {
  char *wanted = mcp_need_text(r, r->params, "protocolVersion");
  if (!wanted) return;
  const char *agreed = is_legacy(wanted) ? wanted : MCP_LEGACY;
  if (r->caller->peer) snprintf(r->caller->peer->version, sizeof r->caller->peer->version, "%s", agreed);
  sv_add_member(&r->result, "protocolVersion", agreed);
  sv_addz(&r->result, "," CAPABILITIES ",\"logging\":{}},\"serverInfo\":" SERVER_INFO);
  sv_add_member(&r->result, "instructions", instructions);
  free(wanted);
}

static void ping(mcp_request *r) {
  (void)r;
}

/* Accepted from those who ask.  What there is to say is said in results, and on stderr. */
static void set_level(mcp_request *r) {
  static const char *const levels[] = {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};
  json level = json_member(r->params, "level");
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    if (json_is(level, levels[i])) return;
  mcp_fail(r, MCP_BAD_PARAMS, "level must be debug, info, notice, warning, error, critical, alert or emergency");
}

enum { MODERN = 1, LEGACY = 2, BOTH = 3 };

static const struct {
  const char *name;
  unsigned eras;
  void (*run)(mcp_request *r);
} requests[] = {
    {"server/discover", MODERN, discover},
    {"initialize", LEGACY, initialize},
    {"ping", LEGACY, ping},
    {"logging/setLevel", LEGACY, set_level},
    {"tools/list", BOTH, mcp_tools_list},
    {"tools/call", BOTH, mcp_tools_call},
    {"resources/list", BOTH, mcp_resources_list},
    {"resources/templates/list", BOTH, mcp_resources_templates},
    {"resources/read", BOTH, mcp_resources_read},
    {"prompts/list", BOTH, mcp_prompts_list},
    {"prompts/get", BOTH, mcp_prompts_get},
    {"completion/complete", BOTH, mcp_complete},
};

static void run(mcp_request *r) {
  unsigned era = r->modern ? MODERN : LEGACY;
  for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
    if (strcmp(requests[i].name, r->method) != 0 || !(requests[i].eras & era)) continue;
    requests[i].run(r);
    return;
  }
  mcp_fail(r, MCP_NO_METHOD, "there is no method %.200s", r->method);
}

/* ---- The envelope ---- */

static bool is_id(json id) {
  return json_kind(id) == '"' || json_kind(id) == '-' || (json_kind(id) >= '0' && json_kind(id) <= '9');
}

/* Of a request of 2026-07-28: does it carry what it must? */
static bool check_meta(mcp_request *r) {
  json version = json_member(r->meta, META "protocolVersion");
  json capabilities = json_member(r->meta, META "clientCapabilities");
  if (json_kind(version) == '"' && !json_is(version, MCP_MODERN)) {
    mcp_fail(r, MCP_BAD_VERSION, "this version of the protocol is not served");
    sv_addz(&r->data, "{\"supported\":");
    add_versions(&r->data);
    sv_addz(&r->data, ",\"requested\":");
    sv_add(&r->data, version.text, version.length);
    sv_addz(&r->data, "}");
    return false;
  }
  if (json_kind(version) == '"' && json_kind(capabilities) == '{') return true;
  r->unmet = true;
  mcp_fail(r, MCP_BAD_PARAMS, "%s needs _meta with " META "%s", r->method,
           json_kind(version) == '"' ? "clientCapabilities" : "protocolVersion");
  return false;
}

/* A request says its era itself; over HTTP a header may have said it too. */
static bool is_modern(const mcp_request *r) {
  const char *header = r->caller->version;
  return json_member(r->meta, META "protocolVersion").text || strcmp(r->method, "server/discover") == 0 ||
         (header && !is_legacy(header));
}

static void read_message(mcp_request *r, size_t length) {
  json message = json_read(r->text, length);
  if (!message.text) {
    mcp_fail(r, MCP_PARSE, "this is not one JSON value in UTF-8, nested at most 200 deep");
    return;
  }
  json id = json_member(message, "id"), method = json_member(message, "method");
  r->params = json_member(message, "params");
  if (is_id(id)) r->id = id;
  if (json_kind(method) == '"' && json_is(json_member(message, "jsonrpc"), "2.0") && (is_id(id) || !id.text)) {
    r->method = json_text(method);
    if (!r->method) mcp_fail(r, MCP_INTERNAL, "out of memory");
  } else if (method.text || !(json_member(message, "result").text || json_member(message, "error").text)) {
    mcp_fail(r, MCP_INVALID_REQUEST,
             json_kind(message) == '['
                 ? "send one message at a time: this revision has no batches"
                 : "this is no JSON-RPC 2.0 request: it needs jsonrpc, method, and a text or number as id");
  } /* else it answers a request that nobody made */
  r->meta = json_member(r->params, "_meta");
}

static void write_error(mcp_request *r) {
  sv_addf(&r->reply, ",\"error\":{\"code\":%d,\"message\":", r->code);
  sv_add(&r->reply, r->message.bytes, r->message.length);
  if (r->data.length) {
    sv_addz(&r->reply, ",\"data\":");
    sv_add(&r->reply, r->data.bytes, r->data.length);
  }
  sv_addz(&r->reply, "}}");
}

static void write_result(mcp_request *r) {
  sv_text *meta = &r->result_meta, *result = &r->result;
  if (r->modern) {
    sv_add_member(result, "resultType", r->result_type);
    sv_addz(meta, ",\"" META "serverInfo\":" SERVER_INFO);
  }
  if (meta->length) {
    sv_addz(result, ",\"_meta\":{");
    sv_add(result, meta->bytes + 1, meta->length - 1);
    sv_addz(result, "}");
  }
  sv_addz(&r->reply, ",\"result\":{");
  if (result->length) sv_add(&r->reply, result->bytes + 1, result->length - 1);
  sv_addz(&r->reply, "}}");
  r->reply.failed |= result->failed || meta->failed;
}

/* An error whose request cannot be told has no id. */
static void write_reply(mcp_request *r) {
  if (!r->code && (!r->id.text || !r->method)) return; /* a notification, or an answer to nothing */
  sv_addz(&r->reply, "{\"jsonrpc\":\"2.0\"");
  if (r->id.text) {
    sv_addz(&r->reply, ",\"id\":");
    sv_add(&r->reply, r->id.text, r->id.length);
  }
  if (r->code)
    write_error(r);
  else
    write_result(r);
}

mcp_request *mcp_begin(const mcp_caller *caller, const char *text, size_t length) {
  mcp_request *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  *r = (mcp_request){.caller = caller, .text = malloc(length + 1), .result_type = "complete", .told = -1};
  if (!r->text) {
    free(r);
    return NULL;
  }
  memcpy(r->text, text, length);
  r->text[length] = '\0';
  read_message(r, length);
  if (r->method && r->id.text) {
    r->modern = is_modern(r);
    if (r->params.text && json_kind(r->params) != '{')
      mcp_fail(r, MCP_BAD_PARAMS, "%.200s: params must be an object", r->method);
    else if (!r->modern || check_meta(r))
      run(r);
  }
  if (!r->run.wanted) write_reply(r);
  return r;
}

bool mcp_wants(const mcp_request *r, mcp_call *call) {
  if (!r->run.wanted) return false;
  *call = (mcp_call){r->run.wanted, r->run.args.bytes};
  return true;
}

void mcp_give(mcp_request *r, const mcp_outcome *outcome) {
  mcp_way_give(r, outcome);
  if (!r->run.wanted) write_reply(r);
}

const char *mcp_reply(mcp_request *r, size_t *length) {
  static const char no_memory[] = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"out of memory\"}}";
  *length = r->reply.failed ? sizeof no_memory - 1 : r->reply.length;
  if (r->reply.failed) return no_memory;
  return r->reply.length ? r->reply.bytes : NULL;
}

int mcp_http_status(const mcp_request *r) {
  if (!r->code) return r->reply.length ? 200 : 202;
  if (r->code == MCP_NO_METHOD && r->modern) return 404;
  bool bad = r->unmet || r->code == MCP_PARSE || r->code == MCP_INVALID_REQUEST || r->code == MCP_BAD_VERSION ||
             r->code == MCP_NO_CAPABILITY;
  return bad ? 400 : 200;
}

void mcp_end(mcp_request *r) {
  if (!r) return;
  sv_text *const texts[] = {&r->result,   &r->result_meta, &r->message,   &r->data, &r->reply,
                            &r->run.args, &r->run.body,    &r->run.notes, &r->said};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) sv_text_free(texts[i]);
  free(r->method);
  free(r->text);
  free(r);
}

/* The progress of one request must grow; work in several parts begins anew with each. */
void mcp_progress(mcp_request *r, const char *what, int64_t done, int64_t total) {
  json token = json_member(r->meta, "progressToken");
  sv_text message = {0};
  if (!is_id(token) || !r->caller->notify || done <= r->told) return;
  r->told = done;
  sv_addz(&message, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":");
  sv_add(&message, token.text, token.length);
  sv_addf(&message, ",\"progress\":%lld", (long long)done);
  if (total > 0) sv_addf(&message, ",\"total\":%lld", (long long)total);
  sv_add_member(&message, "message", what);
  sv_addz(&message, "}}");
  if (!message.failed) r->caller->notify(r->caller->user, message.bytes, message.length);
  sv_text_free(&message);
}

/* ---- Short ways ---- */

char *mcp_cancels(const char *text, size_t length) {
  json message = json_read(text, length);
  if (!json_is(json_member(message, "method"), "notifications/cancelled")) return NULL;
  json id = json_member(json_member(message, "params"), "requestId");
  return is_id(id) ? strndup(id.text, id.length) : NULL;
}

char *mcp_id_of(const char *text, size_t length) {
  json id = json_member(json_read(text, length), "id");
  return is_id(id) ? strndup(id.text, id.length) : NULL;
}
