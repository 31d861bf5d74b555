/* fixtures.c - the tools, prompts and resources that the official conformance suite calls.  They are here
** and in no program that is installed. */
#include "mcp/fixtures.h"

#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/mcp_core.h"

#define META "io.modelcontextprotocol/"
#define PNG "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
#define WAV "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="
#define TEXT(words) "{\"type\":\"text\",\"text\":\"" words "\"}"
#define IMAGE "{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"}"
#define RESOURCE(uri, type, words) \
  "{\"type\":\"resource\",\"resource\":{\"uri\":\"" uri "\",\"mimeType\":\"" type "\",\"text\":\"" words "\"}}"
#define USER(content) "{\"role\":\"user\",\"content\":" content "}"

/* ---- What is always the same ---- */

static const struct {
  const char *name, *members;
} fixed_results[] = {
    {"json_schema_2020_12_tool", ",\"content\":[" TEXT("done") "]"},
    {"test_simple_text", ",\"content\":[" TEXT("This is a simple text response for testing.") "]"},
    {"test_image_content", ",\"content\":[" IMAGE "]"},
    {"test_audio_content", ",\"content\":[{\"type\":\"audio\",\"data\":\"" WAV "\",\"mimeType\":\"audio/wav\"}]"},
    {"test_embedded_resource",
     ",\"content\":[" RESOURCE("test://embedded-resource", "text/plain", "This is an embedded resource content.") "]"},
    {"test_multiple_content_types",
     ",\"content\":[" TEXT("Multiple content types test:") "," IMAGE "," RESOURCE(
         "test://mixed-content-resource", "application/json", "{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}") "]"},
    {"test_error_handling",
     ",\"content\":[" TEXT("This tool intentionally returns an error for testing") "],\"isError\":true"},
    {"test_simple_prompt", ",\"messages\":[" USER(TEXT("This is a simple prompt for testing.")) "]"},
    {"test_prompt_with_image", ",\"messages\":[" USER(IMAGE) "," USER(TEXT("Please analyze the image above.")) "]"},
    {"test://static-text", ",\"contents\":[{\"uri\":\"test://static-text\",\"mimeType\":\"text/plain\","
                           "\"text\":\"This is the content of the static text resource.\"}]"},
    {"test://static-binary",
     ",\"contents\":[{\"uri\":\"test://static-binary\",\"mimeType\":\"image/png\",\"blob\":\"" PNG "\"}]"},
};

static void fixed(mcp_request *r) {
  json name = json_member(r->params, "name"), uri = json_member(r->params, "uri");
  for (size_t i = 0; i < sizeof fixed_results / sizeof *fixed_results; i++)
    if (json_is(name.text ? name : uri, fixed_results[i].name)) sv_addz(&r->result, fixed_results[i].members);
  if (uri.text) mcp_cacheable(r, 1000, true);
}

static void say(mcp_request *r, const char *words) {
  sv_addz(&r->result, ",\"content\":[{\"type\":\"text\",\"text\":");
  sv_add_quoted(&r->result, words);
  sv_addz(&r->result, "}]");
}

/* ---- While it works ---- */

static void nap(void) {
  usleep(50000);
}

static void log_line(mcp_request *r, const char *words) {
  sv_text text = {0};
  if (r->modern && !json_member(r->meta, META "logLevel").text) return;
  sv_addz(&text, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":");
  sv_add_quoted(&text, words);
  sv_addz(&text, "}}");
  if (!text.failed && r->caller->notify) r->caller->notify(r->caller->user, text.bytes, text.length);
  sv_text_free(&text);
}

static void with_logging(mcp_request *r) {
  log_line(r, "Tool execution started");
  nap();
  log_line(r, "Tool processing data");
  nap();
  log_line(r, "Tool execution completed");
  say(r, "done, with messages");
}

static void with_progress(mcp_request *r) {
  for (int done = 0; done <= 100; done += 50) {
    if (done) nap();
    mcp_progress(r, "working", done, 100);
  }
  say(r, "done, with progress");
}

/* ---- What is filled in ---- */

static void put_argument(mcp_request *r, const char *name) {
  char *value = json_text(json_member(json_member(r->params, "arguments"), name));
  sv_addz(&r->said, value ? value : "");
  free(value);
}

static void prompt_with_arguments(mcp_request *r) {
  sv_addz(&r->said, "Prompt with arguments: arg1='");
  put_argument(r, "arg1");
  sv_addz(&r->said, "', arg2='");
  put_argument(r, "arg2");
  sv_addz(&r->said, "'");
  sv_addz(&r->result, ",\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
  sv_add_quoted(&r->result, r->said.bytes);
  sv_addz(&r->result, "}}]");
}

static void prompt_with_resource(mcp_request *r) {
  put_argument(r, "resourceUri");
  sv_addz(&r->result, ",\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":");
  sv_add_quoted(&r->result, r->said.bytes);
  sv_addz(&r->result, ",\"mimeType\":\"text/plain\",\"text\":\"Embedded resource content for testing.\"}}}," USER(
                          TEXT("Please process the embedded resource above.")) "]");
}

static void read_template(mcp_request *r) {
  char *uri = json_text(json_member(r->params, "uri")), text[200];
  int length = (int)strcspn(uri + sizeof "test://template/" - 1, "/");
  const char *id = uri + sizeof "test://template/" - 1;
  snprintf(text, sizeof text, "{\"id\":\"%.*s\",\"templateTest\":true,\"data\":\"Data for ID: %.*s\"}", length, id,
           length, id);
  sv_addz(&r->result, ",\"contents\":[{\"uri\":");
  sv_add_quoted(&r->result, uri);
  sv_addz(&r->result, ",\"mimeType\":\"application/json\",\"text\":");
  sv_add_quoted(&r->result, text);
  sv_addz(&r->result, "}]");
  mcp_cacheable(r, 1000, true);
  free(uri);
}

/* ---- What asks the client back (2026-07-28) ---- */

static bool client_can(const mcp_request *r, const char *what) {
  return json_kind(json_member(json_member(r->meta, META "clientCapabilities"), what)) == '{';
}

static void missing_capability(mcp_request *r) {
  if (client_can(r, "sampling")) {
    say(r, "the client can sample");
    return;
  }
  mcp_fail(r, MCP_NO_CAPABILITY, "this tool needs the client's sampling");
  sv_addz(&r->data, "{\"requiredCapabilities\":{\"sampling\":{}}}");
}

#define FORM(message, name, type)                                                                                      \
  "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":\"" message "\",\"requestedSchema\":{" \
  "\"type\":\"object\",\"properties\":{\"" name "\":{\"type\":\"" type "\"}},\"required\":[\"" name "\"]}}}"
#define SAMPLE(words) \
  "{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[" USER(TEXT(words)) "],\"maxTokens\":100}}"
#define ROOTS "{\"method\":\"roots/list\",\"params\":{}}"

/* What a tool asks in each round: the keys that must be answered, and the requests. */
typedef struct round {
  const char *name; /* of the tool or prompt */
  int number;
  const char *keys[3];
  const char *requests;
  bool state;
} round_of;

static const round_of rounds[] = {
    {"test_input_required_result_elicitation",
     1,
     {"user_name"},
     "\"user_name\":" FORM("What is your name?", "name", "string"),
     false},
    {"test_streaming_elicitation",
     1,
     {"user_name"},
     "\"user_name\":" FORM("What is your name?", "name", "string"),
     false},
    {"test_input_required_result_sampling",
     1,
     {"capital_question"},
     "\"capital_question\":" SAMPLE("What is the capital of France?"),
     false},
    {"test_input_required_result_list_roots", 1, {"client_roots"}, "\"client_roots\":" ROOTS, false},
    {"test_input_required_result_request_state",
     1,
     {"confirm"},
     "\"confirm\":" FORM("Please confirm", "ok", "boolean"),
     true},
    {"test_input_required_result_tampered_state",
     1,
     {"confirm"},
     "\"confirm\":" FORM("Please confirm", "ok", "boolean"),
     true},
    {"test_input_required_result_multiple_inputs",
     1,
     {"user_name", "greeting", "client_roots"},
     "\"user_name\":" FORM("What is your name?", "name",
                           "string") ",\"greeting\":" SAMPLE("Generate a greeting") ",\"client_roots\":" ROOTS,
     true},
    {"test_input_required_result_multi_round",
     1,
     {"step1"},
     "\"step1\":" FORM("Step 1: What is your name?", "name", "string"),
     true},
    {"test_input_required_result_multi_round",
     2,
     {"step2"},
     "\"step2\":" FORM("Step 2: What is your favorite color?", "color", "string"),
     true},
    {"test_input_required_result_prompt",
     1,
     {"user_context"},
     "\"user_context\":" FORM("What context should the prompt use?", "context", "string"),
     false},
};

static const round_of *round_find(json name, int number) {
  for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++)
    if (json_is(name, rounds[i].name) && rounds[i].number == number) return &rounds[i];
  return NULL;
}

/* The state says which round was asked last, signed. */
static void put_state(char out[80], int number) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  char word[8];
  unsigned length = 0;
  snprintf(word, sizeof word, "%d", number);
  HMAC(EVP_sha256(), "a key of the tests", 18, (const unsigned char *)word, strlen(word), digest, &length);
  int at = snprintf(out, 80, "%s.", word);
  for (unsigned i = 0; i < 16; i++) at += snprintf(out + at, 80 - (size_t)at, "%02x", digest[i]);
}

/* 0: none was sent; -1: it is not ours. */
static int read_state(json state) {
  if (!state.text) return 0;
  for (int number = 1; number <= 2; number++) {
    char expected[80];
    put_state(expected, number);
    if (json_is(state, expected)) return number;
  }
  return -1;
}

static void ask(mcp_request *r, const round_of *round) {
  char state[80];
  r->result_type = "input_required";
  sv_addf(&r->result, ",\"inputRequests\":{%s}", round->requests);
  put_state(state, round->number);
  if (round->state) sv_add_member(&r->result, "requestState", state);
}

static bool answered(json responses, const round_of *round) {
  for (int i = 0; i < 3 && round->keys[i]; i++)
    if (json_kind(json_member(responses, round->keys[i])) != '{') return false;
  return true;
}

static void in_rounds(mcp_request *r) {
  json name = json_member(r->params, "name"), responses = json_member(r->params, "inputResponses");
  int state = read_state(json_member(r->params, "requestState"));
  const round_of *asked = round_find(name, state > 0 ? state : 1);
  if (state < 0 || !asked) {
    mcp_fail(r, MCP_BAD_PARAMS, "requestState was not made here");
    return;
  }
  bool good = answered(responses, asked) && (!asked->state || state > 0);
  const round_of *next = good ? round_find(name, asked->number + 1) : asked;
  if (next)
    ask(r, next);
  else if (json_is(name, "test_input_required_result_prompt"))
    sv_addz(&r->result, ",\"messages\":[" USER(TEXT("The context is known now.")) "]");
  else
    say(r, "complete, state-ok");
}

/* Only what the client can do is asked of it. */
static void by_capabilities(mcp_request *r) {
  const char *comma = "";
  if (json_member(r->params, "inputResponses").text) {
    say(r, "complete");
    return;
  }
  r->result_type = "input_required";
  sv_addz(&r->result, ",\"inputRequests\":{");
  if (client_can(r, "sampling")) {
    sv_addz(&r->result, "\"sample\":" SAMPLE("Say something"));
    comma = ",";
  }
  if (client_can(r, "elicitation")) sv_addf(&r->result, "%s\"form\":%s", comma, FORM("Your name?", "name", "string"));
  sv_addz(&r->result, "}");
}

/* ---- The list ---- */

/* Nothing of a schema may get lost on its way to the client. */
#define JSON_SCHEMA_TOOL                                                                                               \
  "{\"name\":\"json_schema_2020_12_tool\",\"description\":\"A fixture of the conformance suite.\",\"inputSchema\":{"   \
  "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"$defs\":{\"address\":{"        \
  "\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{\"street\":{\"type\":\"string\"},\"city\":{"       \
  "\"type\":\"string\"}}}},\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$defs/address\"}," \
  "\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},\"phone\":{\"type\":\"string\"},"          \
  "\"email\":{\"type\":\"string\"}},\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"  \
  "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":[\"contactMethod\"]},"              \
  "\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}}"

#define TOOL(name, run)                                                                                      \
  {                                                                                                          \
    "tools", name,                                                                                           \
        "{\"name\":\"" name                                                                                  \
        "\",\"description\":\"A fixture of the conformance suite.\",\"inputSchema\":{\"type\":\"object\"}}", \
        run                                                                                                  \
  }
#define PROMPT(name, arguments, run)                                                                               \
  {                                                                                                                \
    "prompts", name,                                                                                               \
        "{\"name\":\"" name "\",\"description\":\"A fixture of the conformance suite.\",\"arguments\":[" arguments \
        "]}",                                                                                                      \
        run                                                                                                        \
  }
#define ARGUMENT(name) "{\"name\":\"" name "\",\"description\":\"a text\",\"required\":true}"
#define STATIC(uri, type) \
  { "resources", uri, "{\"uri\":\"" uri "\",\"name\":\"" uri "\",\"mimeType\":\"" type "\"}", fixed }

const mcp_extra mcp_fixtures[] = {
    TOOL("test_simple_text", fixed),
    TOOL("test_image_content", fixed),
    TOOL("test_audio_content", fixed),
    TOOL("test_embedded_resource", fixed),
    TOOL("test_multiple_content_types", fixed),
    TOOL("test_error_handling", fixed),
    TOOL("test_tool_with_logging", with_logging),
    TOOL("test_logging_tool", with_logging),
    TOOL("test_tool_with_progress", with_progress),
    {"tools", "json_schema_2020_12_tool", JSON_SCHEMA_TOOL, fixed},
    TOOL("test_missing_capability", missing_capability),
    TOOL("test_streaming_elicitation", in_rounds),
    TOOL("test_input_required_result_elicitation", in_rounds),
    TOOL("test_input_required_result_sampling", in_rounds),
    TOOL("test_input_required_result_list_roots", in_rounds),
    TOOL("test_input_required_result_request_state", in_rounds),
    TOOL("test_input_required_result_tampered_state", in_rounds),
    TOOL("test_input_required_result_multiple_inputs", in_rounds),
    TOOL("test_input_required_result_multi_round", in_rounds),
    TOOL("test_input_required_result_capabilities", by_capabilities),
    PROMPT("test_simple_prompt", "", fixed),
    PROMPT("test_prompt_with_arguments", ARGUMENT("arg1") "," ARGUMENT("arg2"), prompt_with_arguments),
    PROMPT("test_prompt_with_embedded_resource", ARGUMENT("resourceUri"), prompt_with_resource),
    PROMPT("test_prompt_with_image", "", fixed),
    PROMPT("test_input_required_result_prompt", "", in_rounds),
    STATIC("test://static-text", "text/plain"),
    STATIC("test://static-binary", "image/png"),
    {"resourceTemplates", "test://template/",
     "{\"uriTemplate\":\"test://template/{id}/data\",\"name\":\"template\",\"mimeType\":\"application/json\"}",
     read_template},
    {NULL, NULL, NULL, NULL},
};
