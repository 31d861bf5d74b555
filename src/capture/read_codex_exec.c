/* read_codex_exec.c - what `codex exec --json` prints, kept in a file.
**
** The same thread is also in a rollout file (read_codex.c), which says more: this is for those who have only the output.
** It is a harness of its own, so that the two are never mixed. */
#include <string.h>

#include "capture/telling.h"

static bool claims(const char *path, const char *head, size_t length) {
  static const char first[] = "{\"type\":\"thread.started\"";
  (void)path;
  return length >= sizeof first - 1 && memcmp(head, first, sizeof first - 1) == 0;
}

static bool begin(st_source *source) {
  source->session = st_base_name(source->path); /* until the first line names the thread */
  return true;
}

/* The state is the thread's id as JSON. */
static void remember(st_tell *tell) {
  st_str *state = tell->source->state;
  st_text kept = {state->text, state->length};
  if (!st_is_json(kept)) return;
  st_text copy = {st_arena_copy(tell->source->arena, kept.bytes, kept.length), kept.length};
  if (!copy.bytes) tell->stop = true;
  else tell->session = st_either(st_tell_text(tell, copy), tell->session);
}

static void read_start(st_tell *tell, st_text record) {
  st_str *state = tell->source->state;
  st_text id = st_tell_member(tell, record, "thread_id");
  if (st_empty(id)) {
    st_tell_bad(tell, "a thread without an id");
    return;
  }
  st_str_clear(state);
  st_json_add_string(state, id.bytes, id.length);
  if (state->failed) tell->stop = true;
  st_tell_session(tell, &(st_told_session){.id = id, .started_at = tell->source->modified});
}

static st_told_message said_by(st_tell *tell, const char *role) {
  return (st_told_message){.key = st_tell_number(tell), .role = st_text_of(role), .timestamp = tell->source->modified};
}

/* A call and its answer are one item. */
static void tell_call(st_tell *tell, st_text item, st_text name, st_text arguments, st_text output) {
  st_text id = st_tell_member(tell, item, "id");
  st_str calls = {0};
  st_told_message call = said_by(tell, "assistant"), answer = said_by(tell, "tool");
  st_calls_add(&calls, id, name, arguments);
  call.tool_calls = st_calls_built(tell, &calls);
  st_tell_message(tell, &call);
  answer.key = st_tell_format(tell, "%.*s.output", (int)call.key.length, call.key.bytes);
  answer.tool_call_id = id;
  answer.tool_name = name;
  st_tell_content(tell, output, &answer);
  if (!st_empty(answer.content)) st_tell_message(tell, &answer);
}

static void read_item(st_tell *tell, st_text item, st_text record) {
  st_text type = {0}, text = {0}, command = {0}, output = {0}, tool = {0}, arguments = {0}, result = {0};
  st_pull_pick(item, (st_pull_want[]){{"type", &type}, {"text", &text}, {"command", &command}, {"aggregated_output", &output},
    {"tool", &tool}, {"arguments", &arguments}, {"result", &result}}, 7);
  if (!type.bytes) type = st_pull_get(item, "item_type"); /* of the first builds */
  st_told_message message = said_by(tell, "assistant");
  if (st_pull_is(type, "agent_message") || st_pull_is(type, "assistant_message")) {
    message.content = st_tell_text(tell, text);
    st_tell_message(tell, &message);
  } else if (st_pull_is(type, "reasoning")) {
    message.reasoning = st_tell_text(tell, text);
    st_tell_message(tell, &message);
  } else if (st_pull_is(type, "command_execution")) {
    tell_call(tell, item, st_text_of("shell"), st_tell_text(tell, command), output);
  } else if (st_pull_is(type, "mcp_tool_call")) {
    tell_call(tell, item, st_tell_text(tell, tool), st_tell_arguments(tell, arguments), result);
  } else {
    st_tell_event(tell, message.key, message.timestamp, record);
  }
}

static void read_usage(st_tell *tell, st_text usage) {
  int64_t input = st_pull_int(st_pull_get(usage, "input_tokens"), 0);
  int64_t cached = st_pull_int(st_pull_get(usage, "cached_input_tokens"), 0);
  st_told_usage told = {.key = st_tell_number(tell), .cache_read = cached, .input = input > cached && cached >= 0 ? input - cached : 0};
  told.output = st_pull_int(st_pull_get(usage, "output_tokens"), 0);
  st_tell_usage(tell, &told);
}

static bool record(st_source *source, const char *json, size_t length) {
  st_tell tell = {.source = source, .session = source->session};
  st_text value = {json, length}, type = {0}, item = {0}, usage = {0};
  remember(&tell);
  st_pull_pick(value, (st_pull_want[]){{"type", &type}, {"item", &item}, {"usage", &usage}}, 3);
  if (!st_pull_is_object(value)) st_tell_bad(&tell, "not an object");
  else if (st_pull_is(type, "thread.started")) read_start(&tell, value);
  else if (st_pull_is(type, "item.completed")) read_item(&tell, item, value);
  else if (st_pull_is(type, "turn.completed")) read_usage(&tell, usage);
  else if (st_pull_is(type, "turn.started") || st_pull_is(type, "item.started") || st_pull_is(type, "item.updated"))
    st_tell_aside(&tell);
  else st_tell_event(&tell, st_tell_number(&tell), source->modified, value);
  return !tell.stop;
}

static const char *const roots[] = {NULL}; /* wherever somebody put it */

const st_reader st_reader_codex_exec = {
  .harness = "codex-exec",
  .program = "Codex CLI (exec)",
  .roots = roots,
  .claims = claims,
  .begin = begin,
  .record = record,
  .resume = "codex exec resume {id}",
};
