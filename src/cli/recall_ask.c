/* recall_ask.c - stele ask: a question is answered by a language model, from what is in the stores. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "command.h"
#include "narrowing.h"
#include "progress.h"
#include "said.h"
#include "text.h"
#include "when.h"

/* A member that is a text, clean; "" if it is none. */
static char *member(json object, const char *name) {
  json value = json_member(object, name);
  char *text = json_kind(value) == '"' ? text_need(json_text(value)) : text_format("%s", "");
  char *clean = text_clean(text);
  free(text);
  return clean;
}

/* [1] conversation/message/12  user  Deploys  3 days ago */
static void print_source(output *out, json source) {
  char *ref = member(source, "ref"), *role = member(source, "role"), *title = member(source, "title");
  json time = json_member(source, "time");
  char *when = json_kind(time) && json_kind(time) != 'n' ? when_ago(json_number(time)) : text_format("%s", "");
  out_format(out, "%s[%lld]%s %s%s%s%s%s  %s%s%s\n", out->bold, json_int(json_member(source, "n"), 0), out->normal, ref, *role ? "  " : "", role,
             *title ? "  " : "", title, out->dim, when, out->normal);
  free(ref);
  free(role);
  free(title);
  free(when);
}

static bool is_cited(json reply, long long number) {
  json citation = {NULL, 0};
  while (json_next(json_member(reply, "citations"), &citation))
    if (json_int(json_member(citation, "n"), 0) == number) return true;
  return false;
}

/* The answer, and what it rests on; without one, whatever was found. */
static void print(output *out, json reply) {
  json source = {NULL, 0}, said = json_member(reply, "answer");
  bool answered = json_kind(said) == '"', first = true;
  if (answered) {
    char *text = text_need(json_text(said));
    out_lines(out, text);
    if (!*text || text[strlen(text) - 1] != '\n') out_text(out, "\n");
    free(text);
  }
  while (json_next(json_member(reply, "sources"), &source)) {
    if (answered && !is_cited(reply, json_int(json_member(source, "n"), 0))) continue;
    if (answered && first) out_text(out, "\n");
    first = false;
    print_source(out, source);
  }
}

static int run(cli *c) {
  int status = 0;
  argument arguments[NARROWING_ARGUMENTS + 4], *more = arguments + NARROWING_ARGUMENTS;
  narrowing_arguments(c, arguments, &status);
  more[0] = (argument){"question", said_words(c)};
  more[1] = (argument){"limit", said_number(c, OPTION_LIMIT, &status)};
  more[2] = (argument){"tokens", said_number(c, OPTION_TOKENS, &status)};
  more[3] = (argument){NULL, NULL};
  if (!status && !more[0].json) status = out_bad(&c->out, NULL, "the question is not UTF-8");
  progress_begin();
  char *reply = command_ask(c, "recall.ask", arguments, &status);
  if (reply) out_notes(&c->out, stele_notes(c->db));
  if (reply && c->options.json) out_format(&c->out, "%s\n", reply);
  else if (reply) print(&c->out, json_read(reply, strlen(reply)));
  stele_free(reply);
  request_free(arguments);
  return status;
}

const command ask_command = {
    .name = "ask",
    .group = GROUP_WORK,
    .usage = "QUESTION...",
    .summary = "answer a question from what is in the stores, with a language model",
    .examples = "stele ask why did the deploy fail last week\n"
                "stele ask 'what did we decide about the schema?' --project . --since 30d\n"
                "stele ask 'which port does the proxy use?' --in capture,planner --limit 20\n"
                "stele --set chat.endpoint=http://127.0.0.1:8080/v1 ask 'what broke?' --json",
    .details = "What a search finds is given to the model that chat.endpoint names (docs/configuration.md), on this machine or elsewhere; it answers\n"
               "from that alone, and cites it as [1], [2].  `stele show` takes the refs behind these numbers.\n\n"
               "Without a model, or if it is away or says nothing, the sources are told without an answer, and a note says why.",
    .least = 1,
    .most = SIZE_MAX,
    .opens = true,
    .takes = (const command_option[]){{OPTION_IN, "only from these stores; with commas"},
                                      {OPTION_KIND, "only from these: message, event, note, fact, task, ...; with commas"},
                                      {OPTION_ROLE, "only from what these said: user, assistant, tool, ...; with commas"},
                                      {OPTION_SOURCE, "only from conversations of these sources; with commas"},
                                      {OPTION_SESSION, "only from this session: an id, the beginning of one, or a title"},
                                      {OPTION_PROJECT, "only from what belongs to this directory"},
                                      {OPTION_SINCE, "only from this time on"},
                                      {OPTION_UNTIL, "only before this time"},
                                      {OPTION_LIMIT, "at most so many sources (10)"},
                                      {OPTION_TOKENS, "the prompt has at most so many tokens (chat.prompt_tokens)"},
                                      {0, NULL}},
    .run = run,
};
