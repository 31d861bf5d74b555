/* read_codex.c - transcripts of Codex CLI: rollout files of three generations, and the names of threads.
**
** The first generation has bare items and nothing else.  Later ones wrap every line ({timestamp, type, payload})
** and say most things twice: as an item of the model's history (response_item) and as an event for the
** screen (event_msg; since 2026 as item_completed).  Which of the two comes first, and which is missing, depends
** on version and mode.  So what one family said is remembered until the other repeats it: a text is told by whoever
** says it first, and once (codex.h). */
#include "capture/codex.h"

#include <string.h>

#include "capture/segmenter.h"
#include "capture/telling.h"

/* ------------------------------------------------------------------------------- file and session */

#define ID_LENGTH 36 /* of a UUID */

static bool is_index(const char *path) {
  return st_text_is(st_base_name(path), "session_index.jsonl");
}

static bool looks_like_id(const char *at) {
  for (int i = 0; i < ID_LENGTH; i++) {
    bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash != (at[i] == '-')) return false;
    if (!dash && !strchr("0123456789abcdefABCDEF", at[i])) return false; /* also ends at the NUL */
    if (at[i] == '\0') return false;
  }
  return true;
}

/* The part of "rollout-<time>-<thread>[_<rollout>].jsonl[.zst]" that names the session.  A reverted thread goes
** on in a file with a second name: what was said there is told as a session of its own. */
static st_text name_in(const char *path) {
  st_text name = st_base_name(path);
  if (!st_starts(name, "rollout-")) return (st_text){0};
  for (const char *at = name.bytes + 8; *at; at++) {
    if (!looks_like_id(at)) continue;
    size_t length = ID_LENGTH;
    if (at[length] == '_' && looks_like_id(at + length + 1)) length += 1 + ID_LENGTH;
    return (st_text){at, length};
  }
  return (st_text){0};
}

static st_text stem_of(const char *path) {
  st_text name = st_base_name(path);
  if (st_ends(name, ".zst")) name.length -= 4;
  if (st_ends(name, ".jsonl")) name.length -= 6;
  return name;
}

static bool has(const char *head, size_t length, const char *word) {
  return head && memmem(head, length, word, strlen(word)) != NULL;
}

static bool claims(const char *path, const char *head, size_t length) {
  st_text name = st_base_name(path);
  if (is_index(path)) return length == 0 || has(head, length, "\"thread_name\"");
  if (!st_ends(name, ".jsonl") && !st_ends(name, ".jsonl.zst")) return false;
  if (st_starts(name, "rollout-")) return true;
  if (has(head, length, "\"type\":\"session_meta\"")) return true;
  return length && *head == '{' && has(head, length, "\"instructions\"") && has(head, length, "\"timestamp\"") &&
         !has(head, length, "\"sessionId\"");
}

static bool begin(st_source *source) {
  if (is_index(source->path)) return true;
  source->session = st_either(name_in(source->path), stem_of(source->path));
  return true;
}

/* {"id","thread_name","updated_at"}: the last one of a thread counts, and comes last. */
static void read_index(st_tell *tell, st_text record) {
  st_told_session named = {.id = st_tell_member(tell, record, "id")};
  named.title = st_tell_member(tell, record, "thread_name");
  if (st_empty(named.id)) st_tell_bad(tell, "a thread without an id");
  else st_tell_session(tell, &named);
}

/* ------------------------------------------------------------------------------------- meta */

/* "source" is a word, or {"subagent": "review"}, or {"subagent":{"thread_spawn":{"parent_thread_id",…}}}. */
static st_text spawned(st_text source) {
  st_text agent = st_pull_get(source, "subagent");
  for (st_pull walk = st_pull_into(agent); st_pull_next(&walk);)
    if (st_pull_get(walk.value, "parent_thread_id").bytes) return walk.value;
  return (st_text){0};
}

static void lineage(st_tell *tell, st_text meta, st_told_session *session) {
  st_text source = st_pull_get(meta, "source"), spawn = spawned(source);
  st_text sender = st_either(st_tell_member(tell, meta, "parent_thread_id"),
                             st_tell_member(tell, spawn, "parent_thread_id"));
  st_text base = st_pull_get(meta, "history_base");
  st_text origin = st_either(st_tell_member(tell, meta, "forked_from_id"), st_tell_member(tell, base, "thread_id"));
  session->parent = st_either(sender, origin);
  if (!st_empty(sender)) session->link = ST_LINK_SUBAGENT;
  else if (!st_empty(origin)) session->link = ST_LINK_FORK;
  session->agent = st_either(st_tell_member(tell, meta, "agent_nickname"), st_tell_member(tell, spawn, "agent_nickname"));
  session->agent = st_either(session->agent, st_tell_member(tell, meta, "agent_role"));
  session->agent = st_either(session->agent, st_tell_member(tell, spawn, "agent_role"));
  session->agent = st_either(session->agent, st_tell_member(tell, source, "subagent"));
}

/* A thread that is resumed may say its meta again.  A fork that carries its history along has the other thread's among
** the copied lines. */
static void read_meta_again(st_tell *tell, st_codex *codex, st_text meta, st_text id) {
  st_told_session session = {.id = tell->session};
  if (st_text_same(id, codex->thread)) {
    session.cwd = st_tell_member(tell, meta, "cwd");
    session.branch = st_tell_member(tell, st_pull_get(meta, "git"), "branch");
    session.version = st_tell_member(tell, meta, "cli_version");
    st_tell_session(tell, &session);
  } else if (!codex->has_parent && !st_empty(id)) {
    codex->has_parent = codex->changed = true;
    session.parent = id;
    session.link = ST_LINK_FORK;
    st_tell_session(tell, &session);
  } else {
    st_tell_aside(tell);
  }
}

static void read_meta(st_tell *tell, st_codex *codex, st_text meta, double time) {
  st_text id = st_tell_member(tell, meta, "id"), git = st_pull_get(meta, "git");
  if (codex->has_meta) {
    read_meta_again(tell, codex, meta, id);
    return;
  }
  codex->has_meta = codex->changed = true;
  codex->thread = id;
  if (st_empty(name_in(tell->source->path)) && !st_empty(id)) codex->id = tell->session = id;
  st_told_session session = {.id = tell->session};
  lineage(tell, meta, &session);
  if (st_empty(session.parent) && !st_empty(id) && tell->session.length > ID_LENGTH) {
    session.parent = id; /* a thread that was reverted goes on from itself */
    session.link = ST_LINK_FORK;
  }
  codex->has_parent = !st_empty(session.parent);
  codex->has_base = st_pull_is_object(st_pull_get(meta, "history_base"));
  session.cwd = codex->cwd = st_tell_member(tell, meta, "cwd");
  session.branch = st_tell_member(tell, git, "branch");
  session.model = codex->model = st_tell_member(tell, meta, "model");
  session.version = st_tell_member(tell, meta, "cli_version");
  session.system_prompt = st_either(st_tell_member(tell, st_pull_get(meta, "base_instructions"), "text"),
                                    st_tell_member(tell, meta, "instructions"));
  session.started_at = st_tell_time(tell, st_pull_get(meta, "timestamp"));
  if (session.started_at == 0) session.started_at = time;
  codex->started = session.started_at;
  st_tell_session(tell, &session);
}

/* Comes before almost every step; told when it says something new. */
static void read_context(st_tell *tell, st_codex *codex, st_text context) {
  st_told_session now = {.id = tell->session};
  st_text model = st_tell_member(tell, context, "model"), cwd = st_tell_member(tell, context, "cwd");
  if (!st_empty(model) && !st_text_same(model, codex->model)) now.model = codex->model = model;
  if (!st_empty(cwd) && !st_text_same(cwd, codex->cwd)) now.cwd = codex->cwd = cwd;
  codex->changed = !st_empty(now.model) || !st_empty(now.cwd);
  if (codex->changed) st_tell_session(tell, &now);
  else st_tell_aside(tell);
}

/* ------------------------------------------------------------------------------------- usage */

typedef struct tokens {
  int64_t input, cached, output, reasoning;
} tokens;

static tokens tokens_in(st_text usage) {
  st_text input = {0}, cached = {0}, output = {0}, reasoning = {0};
  st_pull_pick(usage, (st_pull_want[]){{"input_tokens", &input}, {"cached_input_tokens", &cached},
    {"output_tokens", &output}, {"reasoning_output_tokens", &reasoning}}, 4);
  return (tokens){st_pull_int(input, 0), st_pull_int(cached, 0), st_pull_int(output, 0), st_pull_int(reasoning, 0)};
}

static int64_t above(int64_t a, int64_t b) { /* a - b, not below 0, whatever a file says */
  return a > b && b >= 0 ? a - b : 0;
}

/* The total of the thread is told under one key, so that the last one counts: the single requests are repeated
** whenever a limit changes.  A thread that goes on from another file counts on from there: what came before
** its first request is the other's. */
static void read_tokens(st_tell *tell, st_codex *codex, st_text payload) {
  st_text info = st_pull_get(payload, "info"), total = st_pull_get(info, "total_token_usage");
  st_text last = st_pull_get(info, "last_token_usage");
  if (!st_pull_is_object(total) && !st_pull_is_object(last)) {
    st_tell_aside(tell);
    return;
  }
  bool whole = st_pull_is_object(total);
  tokens t = tokens_in(whole ? total : last);
  if (whole && codex->has_base) {
    tokens first = tokens_in(last);
    if (!codex->base_known) {
      codex->base_known = codex->changed = true;
      codex->base[0] = above(t.input, first.input);
      codex->base[1] = above(t.cached, first.cached);
      codex->base[2] = above(t.output, first.output);
      codex->base[3] = above(t.reasoning, first.reasoning);
    }
    t = (tokens){above(t.input, codex->base[0]), above(t.cached, codex->base[1]), above(t.output, codex->base[2]),
                 above(t.reasoning, codex->base[3])};
  }
  st_told_usage usage = {.key = whole ? st_text_of("total") : st_tell_number(tell), .model = codex->model, .summed = whole};
  usage.input = above(t.input, t.cached); /* theirs is with what came from the cache */
  usage.cache_read = t.cached;
  usage.output = t.output;
  usage.reasoning = t.reasoning;
  st_tell_usage(tell, &usage);
}

/* ------------------------------------------------------------------------------------- items */

/* What the program itself puts where the user speaks. */
static bool is_injected(st_text text) {
  static const char *const openings[] = {
    "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>", "<turn_aborted>",
    "<permissions instructions>", "<collaboration_mode>", "<skill>", "<subagent_notification>", "<hook_prompt",
    "<user_shell_command>", "<model_switch>", "<personality_spec>", "<apps_instructions>", "<skills_instructions>",
    "<plugins_instructions>", "<realtime_conversation>", "<recommended_plugins>",
  };
  text = st_trim(text);
  for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
    if (st_starts(text, openings[i])) return true;
  return false;
}

/* All of its texts are injected; one that is not makes it the user's. */
static bool all_injected(st_tell *tell, st_text content) {
  if (st_pull_is_string(content)) return is_injected(st_tell_text(tell, content));
  bool any = false;
  for (st_pull walk = st_pull_into(content); st_pull_next(&walk);) {
    st_text text = st_tell_member(tell, walk.value, "text");
    if (!is_injected(text)) return false;
    any = true;
  }
  return any;
}

static void tell_text(st_tell *tell, const char *role, st_text content, double time, st_text finish) {
  st_told_message message = {.key = st_tell_number(tell), .role = st_text_of(role), .timestamp = time};
  message.finish_reason = finish;
  st_tell_content(tell, content, &message);
  st_tell_message(tell, &message);
}

static void read_message(st_tell *tell, st_codex *codex, st_text item, double time, st_codex_family family) {
  st_text role = {0}, content = {0}, end = {0};
  st_pull_pick(item, (st_pull_want[]){{"role", &role}, {"content", &content}, {"end_turn", &end}}, 3);
  bool user = st_pull_is(role, "user"), assistant = st_pull_is(role, "assistant");
  if (!user && !assistant) tell_text(tell, "system", content, time, (st_text){0});
  else if (user && all_injected(tell, content)) tell_text(tell, "system", content, time, (st_text){0});
  else if (st_codex_said(tell, codex, family, user ? 'u' : 'a', content)) st_tell_aside(tell);
  else tell_text(tell, user ? "user" : "assistant", content, time, st_text_of(st_pull_true(end) ? "stop" : NULL));
}

/* False: there is nothing to read, or the other family has told it. */
static bool read_reasoning(st_tell *tell, st_codex *codex, st_text parts, st_text key, double time, st_codex_family family) {
  st_told_message thought = {0};
  st_tell_content(tell, parts, &thought);
  if (st_empty(st_trim(thought.content)) || thought.is_json || st_codex_said(tell, codex, family, 'r', parts)) return false;
  st_told_message message = {.key = key, .role = st_text_of("assistant"), .timestamp = time};
  message.reasoning = thought.content;
  st_tell_message(tell, &message);
  return true;
}

static void read_reasoning_event(st_tell *tell, st_codex *codex, st_text parts, double time) {
  if (!read_reasoning(tell, codex, parts, st_tell_number(tell), time, ST_CODEX_EVENT)) st_tell_aside(tell);
}

/* Some models show their thinking itself beside the summary.  What is only there encrypted says nothing. */
static void read_reasoning_item(st_tell *tell, st_codex *codex, st_text item, double time) {
  st_text key = st_tell_number(tell), summary = {0}, content = {0};
  st_text raw_key = st_tell_format(tell, "%.*s.raw", (int)key.length, key.bytes ? key.bytes : "");
  st_pull_pick(item, (st_pull_want[]){{"summary", &summary}, {"content", &content}}, 2);
  bool shown = read_reasoning(tell, codex, summary, key, time, ST_CODEX_ITEM);
  bool raw = read_reasoning(tell, codex, content, raw_key, time, ST_CODEX_ITEM);
  if (!shown && !raw) st_tell_aside(tell);
}

static void tell_call(st_tell *tell, st_codex *codex, st_text id, st_text name, st_text arguments, double time) {
  st_str calls = {0};
  st_calls_add(&calls, id, name, arguments);
  st_told_message message = {.key = st_tell_number(tell), .role = st_text_of("assistant"), .timestamp = time};
  message.tool_calls = st_calls_built(tell, &calls);
  message.finish_reason = st_text_of("tool_calls");
  st_codex_called(codex, id, name);
  st_tell_message(tell, &message);
}

static void read_call(st_tell *tell, st_codex *codex, st_text item, double time) {
  st_text name = {0}, id = {0}, other_id = {0}, arguments = {0}, input = {0}, action = {0}, type = {0};
  st_pull_pick(item, (st_pull_want[]){{"type", &type}, {"name", &name}, {"call_id", &id}, {"id", &other_id},
    {"arguments", &arguments}, {"input", &input}, {"action", &action}}, 7);
  st_text called = st_tell_text(tell, name);
  if (st_empty(called)) called = st_pull_is(type, "local_shell_call") ? st_text_of("local_shell") : st_tell_text(tell, type);
  if (st_ends(called, "_call")) called.length -= 5;
  st_text how = arguments.bytes ? arguments : input.bytes ? input : action;
  tell_call(tell, codex, st_either(st_tell_text(tell, id), st_tell_text(tell, other_id)), called,
            st_tell_arguments(tell, how), time);
}

/* Older builds put a command's output into JSON inside the string; newer ones write these lines themselves. */
static st_text unwrapped(st_tell *tell, st_text output) {
  st_text inner = {0}, metadata = {0}, code = {0}, seconds = {0};
  if (!st_starts(output, "{\"output\":")) return output;
  const char *end = st_pull_skip(output.bytes, output.bytes + output.length, NULL);
  if (end != output.bytes + output.length) return output;
  st_pull_pick(output, (st_pull_want[]){{"output", &inner}, {"metadata", &metadata}}, 2);
  st_pull_pick(metadata, (st_pull_want[]){{"exit_code", &code}, {"duration_seconds", &seconds}}, 2);
  if (!st_pull_is_string(inner) || !code.bytes) return output;
  st_str text;
  st_str_init(&text, SIZE_MAX);
  st_str_addf(&text, "Exit code: %.*s\n", (int)code.length, code.bytes);
  if (seconds.bytes) st_str_addf(&text, "Wall time: %.*s seconds\n", (int)seconds.length, seconds.bytes);
  st_text said = st_tell_text(tell, inner);
  st_str_addz(&text, "Output:\n");
  st_str_add(&text, said.bytes, said.length);
  return st_tell_built(tell, &text);
}

static void read_output(st_tell *tell, st_codex *codex, st_text item, double time) {
  st_text id = {0}, output = {0}, inner = {0};
  st_pull_pick(item, (st_pull_want[]){{"call_id", &id}, {"output", &output}}, 2);
  st_told_message message = {.key = st_tell_number(tell), .role = st_text_of("tool"), .timestamp = time};
  message.tool_call_id = st_tell_text(tell, id);
  message.tool_name = st_codex_answered(codex, message.tool_call_id);
  if (st_pull_is_object(output)) inner = st_pull_get(output, "content");
  st_tell_content(tell, inner.bytes ? inner : output.bytes ? output : item, &message);
  if (!message.is_json) message.content = unwrapped(tell, message.content);
  st_tell_message(tell, &message);
}

/* An item of the model's history, bare or in an envelope. */
static void read_item(st_tell *tell, st_codex *codex, st_text item, st_text record, double time) {
  st_text type = st_pull_get(item, "type");
  if (st_pull_is(type, "message")) read_message(tell, codex, item, time, ST_CODEX_ITEM);
  else if (st_pull_is(type, "reasoning")) read_reasoning_item(tell, codex, item, time);
  else if (st_pull_is(type, "function_call") || st_pull_is(type, "custom_tool_call") ||
           st_pull_is(type, "local_shell_call") || st_pull_is(type, "web_search_call") ||
           st_pull_is(type, "tool_search_call"))
    read_call(tell, codex, item, time);
  else if (st_pull_is(type, "function_call_output") || st_pull_is(type, "custom_tool_call_output") ||
           st_pull_is(type, "tool_search_output"))
    read_output(tell, codex, item, time);
  else if (st_pull_is(type, "ghost_snapshot") || st_pull_is(type, "compaction") ||
           st_pull_is(type, "context_compaction") || st_pull_is(type, "additional_tools"))
    st_tell_aside(tell);
  else st_tell_event(tell, st_tell_number(tell), time, record);
}

/* ------------------------------------------------------------------------------------- events */

/* What the history says as well, and what only the screen needs. */
static bool repeats(st_text type) {
  static const char *const types[] = {
    "task_started", "task_complete", "turn_started", "turn_complete", "agent_reasoning_section_break", "agent_message_delta",
    "agent_reasoning_delta", "exec_command_begin", "exec_command_end", "exec_command_output_delta", "patch_apply_begin",
    "patch_apply_end", "patch_apply_updated", "mcp_tool_call_begin", "mcp_tool_call_end", "web_search_begin", "web_search_end",
    "view_image_tool_call", "image_generation_begin", "image_generation_end", "context_compacted", "item_started",
    "session_configured", "background_event", "turn_diff", "plan_update", "plan_delta", "raw_response_item",
    "mcp_startup_update", "mcp_startup_complete", "thread_settings_applied", "shutdown_complete",
    "dynamic_tool_call_request", "dynamic_tool_call_response",
  };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (st_pull_is(type, types[i])) return true;
  return false;
}

static void withdraw(st_tell *tell, st_text payload) {
  st_taker *taker = tell->source->taker;
  int64_t turns = st_pull_int(st_pull_get(payload, "num_turns"), 0);
  if (turns <= 0) st_tell_bad(tell, "a rollback of no turns");
  else if (!tell->stop && !taker->withdraw(taker, tell->session, turns)) tell->stop = true;
}

static void read_said(st_tell *tell, st_codex *codex, bool user, st_text content, double time) {
  if (user && all_injected(tell, content)) st_tell_aside(tell); /* the item of the history tells it */
  else if (st_codex_said(tell, codex, ST_CODEX_EVENT, user ? 'u' : 'a', content)) st_tell_aside(tell);
  else tell_text(tell, user ? "user" : "assistant", content, time, (st_text){0});
}

/* Items of a turn, as the screen had them; those with a counterpart in the history are not repeated. */
static void read_turn_item(st_tell *tell, st_codex *codex, st_text payload, st_text record, double time) {
  st_text item = st_pull_get(payload, "item"), type = {0}, content = {0}, summary = {0}, text = {0};
  static const char *const in_history[] = {"CommandExecution", "DynamicToolCall", "CollabAgentToolCall", "WebSearch",
    "ImageView", "ImageGeneration", "FileChange", "McpToolCall", "ContextCompaction", "HookPrompt"};
  st_pull_pick(item, (st_pull_want[]){{"type", &type}, {"content", &content}, {"summary_text", &summary}, {"text", &text}}, 4);
  for (size_t i = 0; i < sizeof in_history / sizeof *in_history; i++) {
    if (!st_pull_is(type, in_history[i])) continue;
    st_tell_aside(tell);
    return;
  }
  if (st_pull_is(type, "UserMessage")) read_said(tell, codex, true, content, time);
  else if (st_pull_is(type, "AgentMessage")) read_said(tell, codex, false, content, time);
  else if (st_pull_is(type, "Plan")) read_said(tell, codex, false, text, time);
  else if (st_pull_is(type, "Reasoning")) read_reasoning_event(tell, codex, summary, time);
  else st_tell_event(tell, st_tell_number(tell), time, record);
}

static void read_event(st_tell *tell, st_codex *codex, st_text payload, st_text record, double time) {
  st_text type = {0}, message = {0}, text = {0};
  st_pull_pick(payload, (st_pull_want[]){{"type", &type}, {"message", &message}, {"text", &text}}, 3);
  if (st_pull_is(type, "token_count")) read_tokens(tell, codex, payload);
  else if (st_pull_is(type, "user_message")) read_said(tell, codex, true, message, time);
  else if (st_pull_is(type, "agent_message")) read_said(tell, codex, false, message, time);
  else if (st_pull_is(type, "agent_reasoning") || st_pull_is(type, "agent_reasoning_raw_content"))
    read_reasoning_event(tell, codex, text, time);
  else if (st_pull_is(type, "item_completed")) read_turn_item(tell, codex, payload, record, time);
  else if (st_pull_is(type, "thread_rolled_back")) withdraw(tell, payload);
  else if (repeats(type)) st_tell_aside(tell);
  else st_tell_event(tell, st_tell_number(tell), time, record);
}

/* ------------------------------------------------------------------------------------- records */

/* The history that replaces the old one is the old one, shortened: only what was written anew is told. */
static void read_compacted(st_tell *tell, st_text payload, double time) {
  st_text summary = st_pull_get(payload, "message");
  if (st_empty(st_trim(st_tell_text(tell, summary)))) st_tell_aside(tell);
  else tell_text(tell, "system", summary, time, (st_text){0});
}

static void read_bare(st_tell *tell, st_codex *codex, st_text record, st_text type) {
  if (st_pull_get(record, "record_type").bytes) st_tell_aside(tell);
  else if (!type.bytes && st_pull_get(record, "id").bytes) read_meta(tell, codex, record, 0);
  else read_item(tell, codex, record, record, codex->started);
}

static void read_record(st_tell *tell, st_codex *codex, st_text record) {
  st_text type = {0}, payload = {0}, stamp = {0};
  st_pull_pick(record, (st_pull_want[]){{"type", &type}, {"payload", &payload}, {"timestamp", &stamp}}, 3);
  if (!st_pull_is_object(payload)) {
    read_bare(tell, codex, record, type);
    return;
  }
  double time = st_tell_time(tell, stamp);
  if (st_pull_is(type, "response_item")) read_item(tell, codex, payload, record, time);
  else if (st_pull_is(type, "event_msg")) read_event(tell, codex, payload, record, time);
  else if (st_pull_is(type, "turn_context")) read_context(tell, codex, payload);
  else if (st_pull_is(type, "session_meta")) read_meta(tell, codex, payload, time);
  else if (st_pull_is(type, "compacted")) read_compacted(tell, payload, time);
  else if (st_pull_is(type, "world_state") || st_pull_is(type, "security_risk_score")) st_tell_aside(tell);
  else st_tell_event(tell, st_tell_number(tell), time, record);
}

static bool record(st_source *source, const char *json, size_t length) {
  st_tell tell = {.source = source, .session = source->session};
  st_text value = {json, length};
  if (!st_pull_is_object(value)) {
    st_tell_bad(&tell, "not an object");
  } else if (is_index(source->path)) {
    read_index(&tell, value);
  } else {
    st_codex codex;
    st_codex_remember(&tell, &codex);
    if (!st_empty(codex.id)) tell.session = codex.id;
    read_record(&tell, &codex, value);
    st_codex_keep(&tell, &codex);
  }
  return !tell.stop;
}

static const char *const roots[] = {
  "$CODEX_HOME/sessions", "$CODEX_HOME/archived_sessions", "$CODEX_HOME/session_index.jsonl",
  ".codex/sessions", ".codex/archived_sessions", ".codex/session_index.jsonl",
  "Library/Developer/Xcode/CodingAssistant/codex/sessions", NULL,
};

const st_reader st_reader_codex = {
  .harness = "codex",
  .program = "Codex CLI",
  .roots = roots,
  .claims = claims,
  .begin = begin,
  .record = record,
  .resume = "codex resume {id}",
  .segments = &st_segments_of_codex,
};
