/* reply.c - see reply.h. */
#include "chat/reply.h"

#include <stdio.h>
#include <string.h>

#include "base/json_pull.h"
#include "base/utf8.h"

#define LISTED_MOST 5 /* models that a problem names */

/* ---- What holds for every reply ---- */

static bool is_json(st_text reply) {
  const char *end = reply.bytes + reply.length, *after = st_pull_skip(reply.bytes, end, NULL);
  while (after && after < end && strchr(" \t\r\n", *after)) after++;
  return after == end;
}

static bool read_text(st_arena *arena, st_text value, st_text *out, st_problem *problem) {
  *out = (st_text){"", 0};
  return st_pull_text(arena, value, out) || st_problem_nomem(problem);
}

/* ---- An answer ---- */

/* The content is a text, or, of some, a list of parts with a text each. */
static bool read_content(st_arena *arena, st_text content, st_text *out, st_problem *problem) {
  if (!st_pull_is_array(content)) return read_text(arena, content, out, problem);
  st_pull walk = st_pull_into(content);
  return !st_pull_next(&walk) || read_text(arena, st_pull_get(walk.value, "text"), out, problem);
}

bool st_chat_reply_read(st_arena *arena, st_text reply, st_chat_answer *answer, st_problem *problem) {
  st_text choices = {0}, usage = {0}, message = {0}, reason = {0};
  *answer = (st_chat_answer){.text = {"", 0}, .prompt_tokens = -1, .completion_tokens = -1};
  if (!is_json(reply)) return st_problem_say(problem, "it answered with something that is not JSON");
  st_pull_pick(reply, (st_pull_want[]){{"choices", &choices}, {"usage", &usage}}, 2);
  st_pull walk = st_pull_into(choices);
  if (!st_pull_is_array(choices) || !st_pull_next(&walk)) return st_problem_say(problem, "its answer has no choices");
  st_pull_pick(walk.value, (st_pull_want[]){{"message", &message}, {"finish_reason", &reason}}, 2);
  if (!read_content(arena, st_pull_get(message, "content"), &answer->text, problem)) return false;
  answer->cut = st_pull_is(reason, "length");
  answer->prompt_tokens = st_pull_int(st_pull_get(usage, "prompt_tokens"), -1);
  answer->completion_tokens = st_pull_int(st_pull_get(usage, "completion_tokens"), -1);
  if (answer->text.length == 0 && answer->cut) return st_problem_say(problem, "the model had said as much as it may before it answered: chat.answer_tokens");
  return answer->text.length > 0 || st_problem_say(problem, "its answer has no text");
}

/* ---- A list of models ---- */

static bool has_word(st_text text, const char *word) {
  for (size_t i = 0, length = strlen(word); i + length <= text.length; i++)
    if (strncasecmp(text.bytes + i, word, length) == 0) return true;
  return false;
}

/* Nothing but its name tells what a model is for. */
static bool only_embeds(st_text name) {
  static const char *const WORDS[] = {"embed", "nomic", "modernbert", "bge-", "rerank", "whisper"};
  for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
    if (has_word(name, WORDS[i])) return true;
  return false;
}

/* "llama3.2" is "llama3.2:latest", too: some list them with what Docker would call a tag. */
static bool is_model(st_text listed, st_text wanted) {
  if (wanted.length == 0) return !only_embeds(listed);
  if (listed.length < wanted.length || memcmp(listed.bytes, wanted.bytes, wanted.length) != 0) return false;
  return listed.length == wanted.length || (listed.bytes[wanted.length] == ':' && !memchr(wanted.bytes, ':', wanted.length));
}

static bool say_unknown(st_text wanted, const st_str *listed, st_problem *problem) {
  const char *names = listed->length && !listed->failed ? listed->text : "none";
  if (wanted.length == 0) return st_problem_say(problem, "the endpoint lists no model that could answer; it has: %s", names);
  return st_problem_say(problem, "the endpoint does not know the model %.*s; it has: %s", (int)(wanted.length < 100 ? wanted.length : 100), wanted.bytes,
                        names);
}

static void list(st_str *listed, st_text name, int place) {
  if (place == LISTED_MOST) st_str_addz(listed, ", ...");
  if (place >= LISTED_MOST || !st_utf8_valid(name.bytes, name.length)) return;
  if (listed->length) st_str_addz(listed, ", ");
  st_str_add(listed, name.bytes, st_utf8_cut(name.bytes, name.length, 40));
}

bool st_chat_models_read(st_arena *arena, st_text reply, st_text *model, st_problem *problem) {
  st_text name, data = st_pull_get(reply, "data");
  st_str listed;
  if (!is_json(reply) || !st_pull_is_array(data)) return st_problem_say(problem, "what the endpoint answers to /models is no list of models");
  st_str_init(&listed, ST_PROBLEM_MAX);
  st_pull walk = st_pull_into(data);
  bool good = true, found = false;
  for (int place = 0; good && !found && st_pull_next(&walk);) {
    good = read_text(arena, st_pull_get(walk.value, "id"), &name, problem);
    if (!good || name.length == 0) continue;
    found = is_model(name, *model);
    if (!found) list(&listed, name, place++);
  }
  if (found && model->length == 0) *model = name;
  if (good && !found) say_unknown(*model, &listed, problem);
  st_str_free(&listed);
  return found;
}
