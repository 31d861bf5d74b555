/* mcp_headers.c - see mcp_headers.h. */
#include "mcp_headers.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"

#define CODE_MISMATCH (-32020)
#define ENCODED "=?base64?"

/* A value that a header cannot hold is sent as =?base64?...?=.  In new memory; NULL: broken, or no memory. */
static char *decode(const char *value) {
  size_t length = strlen(value), mark = sizeof ENCODED - 1;
  if (strncmp(value, ENCODED, mark) != 0 || length < mark + 2 || strcmp(value + length - 2, "?=") != 0)
    return strdup(value);
  size_t size = length - mark - 2, padding = 0;
  char *out = malloc(size + 1);
  if (!out) return NULL;
  int got = EVP_DecodeBlock((unsigned char *)out, (const unsigned char *)value + mark, (int)size);
  while (padding < 2 && padding < size && value[mark + size - 1 - padding] == '=') padding++;
  if (got < (int)padding) {
    free(out);
    return NULL;
  }
  out[(size_t)got - padding] = '\0';
  return out;
}

/* The value of a header, without the spaces around it, in new memory. */
static char *value_of(const char *header, bool encoded) {
  const char *start = header + strspn(header, " \t");
  size_t length = strlen(start);
  while (length && strchr(" \t", start[length - 1])) length--;
  char *value = strndup(start, length), *plain = value && encoded ? decode(value) : NULL;
  if (!encoded) return value;
  free(value);
  return plain;
}

static bool agrees(const char *header, json body, bool encoded) {
  char *said = header ? value_of(header, encoded) : NULL, *meant = json_text(body);
  bool same = said && meant && json_kind(body) == '"' && strcmp(said, meant) == 0;
  free(meant);
  free(said);
  return same;
}

static bool refuse(sv_exchange *exchange, json id, const char *header) {
  sv_text text = {0};
  sv_addz(&text, "{\"jsonrpc\":\"2.0\",\"id\":");
  sv_add(&text, id.text, id.length);
  sv_addf(&text,
          ",\"error\":{\"code\":%d,\"message\":\"the header %s is missing or does not say what the body says\"}}",
          CODE_MISMATCH, header);
  sv_answer_text(exchange, 400, "application/json", &text);
  return false;
}

/* The member of params that Mcp-Name repeats; NULL: it is not asked for. */
static const char *named_by(json method) {
  if (json_is(method, "resources/read")) return "uri";
  return json_is(method, "tools/call") || json_is(method, "prompts/get") ? "name" : NULL;
}

bool sv_mcp_headers_check(sv_exchange *exchange) {
  json message = exchange->body.length ? json_read(exchange->body.bytes, exchange->body.length) : (json){NULL, 0};
  json id = json_member(message, "id"), method = json_member(message, "method"),
       params = json_member(message, "params");
  json version = json_member(json_member(params, "_meta"), "io.modelcontextprotocol/protocolVersion");
  const char *name = named_by(method);
  if (json_kind(version) != '"' || !id.text) return true; /* of an older revision, or broken, which is told elsewhere */
  if (!agrees(sv_header(exchange, "MCP-Protocol-Version"), version, false))
    return refuse(exchange, id, "MCP-Protocol-Version");
  if (!agrees(sv_header(exchange, "Mcp-Method"), method, false)) return refuse(exchange, id, "Mcp-Method");
  json named = name ? json_member(params, name) : (json){NULL, 0};
  if (named.text && !agrees(sv_header(exchange, "Mcp-Name"), named, true)) return refuse(exchange, id, "Mcp-Name");
  return true;
}
