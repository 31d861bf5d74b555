/* show.c - stele show: one conversation, or something else that was found, to be read. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "../door/json.h"
#include "listing.h"
#include "progress.h"
#include "ref.h"
#include "resolve.h"
#include "said.h"
#include "text.h"

#define PAGE 100 /* messages read at a time */
#define CALL_WIDTH 120

/* Print a text of a conversation, and see to it that it ends its line. */
static void print_text(output *out, const char *text) {
  out_lines(out, text);
  if (*text && text[strlen(text) - 1] != '\n') out_text(out, "\n");
}

/* A string as a text, anything else as JSON; NULL if there is none. */
static char *text_of(json value) {
  return value.text ? text_need(json_text(value)) : NULL;
}

/* A part of a content: its text, or what it is instead, such as [image_url]. */
static void print_part(output *out, json part) {
  char *text = text_of(json_kind(part) == '"' ? part : json_member(part, "text"));
  char *type = text_of(json_member(part, "type")), *clean = type ? text_clean(type) : NULL;
  if (text)
    print_text(out, text);
  else
    out_format(out, "[%s]\n", clean ? clean : "?");
  free(text);
  free(type);
  free(clean);
}

static void print_content(output *out, json content) {
  json part = {NULL, 0};
  if (json_kind(content) == 'n') return;
  if (json_kind(content) == '[') {
    while (json_next(content, &part)) print_part(out, part);
    return;
  }
  char *text = text_of(content);
  print_text(out, text);
  free(text);
}

/* As much of a text as there is room for on one line, after a sign. */
static void print_cut(output *out, const char *sign, const char *text) {
  char *clean = text_clean(text);
  size_t room = (out->width && out->width < CALL_WIDTH ? out->width : CALL_WIDTH) - 4;
  size_t length = text_fit(clean, room);
  out_format(out, "%s %.*s%s\n", sign, (int)length, clean,
             !clean[length] ? ""
             : out->unicode ? "\u2026"
                            : "~");
  free(clean);
}

/* What a model thought before it spoke. */
static void print_thought(output *out, json thought) {
  char *text = json_kind(thought) == '"' ? text_of(thought) : NULL;
  if (text && *text) {
    out_text(out, out->dim);
    print_cut(out, out->unicode ? "\u2234" : "..", text);
    out_text(out, out->normal);
  }
  free(text);
}

/* A call of a tool on one line: its name, and as much of its arguments as there is room for. */
static void print_call(output *out, json call) {
  json function = json_member(call, "function"), of = function.text ? function : call;
  json arguments = json_member(of, "arguments");
  char *name = text_of(json_member(of, "name"));
  char *given = text_of(arguments.text ? arguments : json_member(of, "input"));
  char *line = text_format("%s %s", name ? name : "?", given ? given : "");
  print_cut(out, out->unicode ? "\u2192" : "->", line);
  free(name);
  free(given);
  free(line);
}

/* -- user, 2026-01-31 12:00:05 */
static void print_heading(output *out, json message) {
  json named = json_member(message, "tool_name"), time = json_member(message, "timestamp");
  char *role = text_of(json_member(message, "role")), *clean = text_clean(role);
  char *tool = json_kind(named) == '"' ? text_of(named) : text_format("%s", ""), *clean_tool = text_clean(tool);
  char *local = table_time(strtod(time.text, NULL), "%Y-%m-%d %H:%M:%S");
  out_format(out, "\n%s%s %s%s%s%s  %s%s%s\n", out->bold, out->unicode ? "\u2500\u2500" : "--", clean,
             *clean_tool ? " " : "", clean_tool, out->normal, out->dim, local, out->normal);
  free(role);
  free(clean);
  free(tool);
  free(clean_tool);
  free(local);
}

static void print_message(output *out, json message) {
  json calls = json_member(message, "tool_calls"), call = {NULL, 0};
  json thought = json_member(message, "reasoning");
  print_heading(out, message);
  print_thought(out, json_kind(thought) == '"' ? thought : json_member(message, "reasoning_content"));
  print_content(out, json_member(message, "content"));
  while (json_next(calls, &call)) print_call(out, call);
}

/* The messages after one, at most so many; *last and *count go on.  False: the call failed. */
static bool print_page(cli *c, const char *session, int64_t limit, int64_t *last, int64_t *count) {
  char *after = text_format("%" PRId64, *last), *most = text_format("%" PRId64, limit), *reply = NULL;
  char *arguments =
      request_json((argument[]){{"session_id", session}, {"after", after}, {"limit", most}, {NULL, NULL}});
  stele_status status = stele_call(c->db, "conversation.get_messages", arguments, &reply);
  json page = status == STELE_OK ? json_read(reply, strlen(reply)) : (json){NULL, 0}, message = {NULL, 0};
  while (json_next(page, &message) && !c->out.error) {
    print_message(&c->out, message);
    *last = strtoll(json_member(message, "id").text, NULL, 10);
    ++*count;
  }
  stele_free(reply);
  free(arguments);
  free(after);
  free(most);
  return status == STELE_OK;
}

/* Is there a message behind this one? */
static bool follows(cli *c, const char *session, int64_t last) {
  char *after = text_format("%" PRId64, last);
  argument arguments[] = {{"session_id", session}, {"after", after}, {"limit", "1"}, {NULL, NULL}};
  stele_stmt *stmt = request_prepare(c->db, "conversation.get_messages", arguments);
  bool found = stmt && stele_step(stmt) == STELE_ROW;
  stele_finalize(stmt);
  free(after);
  return found;
}

/* The title, and a line about the session. */
static void print_session(output *out, const stele_method *method, stele_stmt *stmt) {
  const char *title = stele_column_text(stmt, table_index(method, "title"));
  const char *model = stele_column_text(stmt, table_index(method, "model"));
  int64_t messages = stele_column_int(stmt, table_index(method, "message_count"));
  char *start = table_time(stele_column_real(stmt, table_index(method, "started_at")), "%Y-%m-%d %H:%M");
  char *line = text_format("%s, %s%s%s, %s, %" PRId64 " message%s", stele_column_text(stmt, table_index(method, "id")),
                           stele_column_text(stmt, table_index(method, "source")), model ? ", " : "",
                           model ? model : "", start, messages, messages == 1 ? "" : "s");
  char *clean = text_clean(line), *clean_title = text_clean(title ? title : "");
  if (title) out_format(out, "%s%s%s\n", out->bold, clean_title, out->normal);
  out_format(out, "%s\n", clean);
  free(start);
  free(line);
  free(clean);
  free(clean_title);
}

/* Print what is known of the session.  Returns the exit status. */
static int show_session(cli *c, const char *session) {
  const stele_method *method = stele_method_find("conversation.get_session");
  stele_stmt *stmt = request_prepare(c->db, method->name, (argument[]){{"session_id", session}, {NULL, NULL}});
  stele_status status = stmt ? stele_step(stmt) : STELE_INVALID;
  if (status == STELE_ROW) print_session(&c->out, method, stmt);
  stele_finalize(stmt);
  if (status == STELE_ROW) return 0;
  return status == STELE_DONE ? resolve_missing(c, session) : command_failed(c);
}

static int show(cli *c, const char *session, const listing *l) {
  int64_t most = l->limit < 0 ? INT64_MAX : l->limit, last = l->start, count = 0, before;
  int status = show_session(c, session);
  if (status) return status;
  do {
    before = count;
    if (!print_page(c, session, most - count < PAGE ? most - count : PAGE, &last, &count)) return command_failed(c);
  } while (count - before == PAGE && count < most && !c->out.error && !progress_stopped());
  if (count == most && follows(c, session, last)) listing_more(c, last);
  return 0;
}

static int run(cli *c) {
  int status = 0;
  if (ref_is(command_argument(c, 1))) return ref_show(c, command_argument(c, 1));
  char *id = resolve_session(c, command_argument(c, 1), &status), *quoted = id ? text_quote(id) : NULL;
  argument arguments[] = {{"session_id", quoted}, {NULL, NULL}};
  listing l;
  if (!status && listing_begin(c, &l, "conversation.get_messages", arguments, -1, &status)) {
    if (c->options.local[OPTION_LIMIT] && l.limit < 1)
      status = out_bad(&c->out, NULL, "--limit must be 1 or more, not %" PRId64, l.limit);
    else
      status = c->options.json ? listing_json(c, &l) : show(c, quoted, &l);
  }
  free(id);
  free(quoted);
  return status;
}

const command show_command = {
    .name = "show",
    .group = GROUP_WORK,
    .usage = "SESSION|REF",
    .summary = "print a conversation, or what a search found",
    .examples = "stele show 20260131_120000_a1b2c3\n"
                "stele show 20260131_12\n"
                "stele show 'Weather in Paris' --limit 10\n"
                "stele show assistant/note/8c1d\n"
                "stele show 20260131_12 --json | jq -r '.[].content'",
    .details = RESOLVE_WORDS "\nA REF is store/kind/id, as `stele search` tells it.\nTimes are local; calls of tools, and what a model thought, are cut to a line.",
    .least = 1,
    .most = 1,
    .opens = true,
    .pages = true,
    .takes = (const command_option[]){LISTING_OPTIONS("at most this many messages, from the first on (all)"),
                                      {OPTION_SESSION, "of a REF: also what only this session may see"},
                                      {0, NULL}},
    .run = run,
};
