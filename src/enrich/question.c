/* question.c - see question.h. */
#include "enrich/question.h"

#include <stdio.h>

#define ITEM_MAX ((size_t)1 << 20)

enum { CONTEXT_TOKENS = 200, CLOSING_TOKENS = 60, MARKS_TOKENS = 50, FIRST_SHOWN = 10, LAST_SHOWN = 30 };

/* ---- The task ---- */

#define BEFORE                                                                                                                          \
  "You keep the work journal of a software developer. You are given records of something that happened, and write one entry about it, " \
  "for the developer to find later.\n\n"

#define AFTER                                                                                                                                \
  "\n\nAnswer with one JSON object and nothing else, without a code block:\n"                                                                \
  "{\"summary\": \"two to four sentences: what was done, what came of it, what was learned\",\n"                                             \
  " \"intent\": \"what it was meant to achieve, in a few words\",\n"                                                                          \
  " \"outcome\": \"success\" | \"partial\" | \"failure\" | \"unknown\",\n"                                                                    \
  " \"entities\": {\"projects\": [], \"tools\": [], \"files\": [], \"services\": [], \"errors\": [], \"env_vars\": [], \"domains\": []},\n"   \
  " \"tags\": [\"a few lower-case words\"],\n"                                                                                                \
  " \"key_decisions\": [\"what was decided\"],\n"                                                                                             \
  " \"problems_encountered\": [\"what went wrong, and how it was mended if it was\"],\n"                                                      \
  " \"design_decisions\": [{\"considered\": \"\", \"chosen\": \"\", \"reason\": \"\"}],\n"                                                     \
  " \"embed_text\": \"a paragraph to search by, with every identifier that matters: names of files, functions, commands, errors, versions\"}\n\n" \
  "Say only what the records show. Copy names letter by letter. Lists may be empty; every entry of a list is a string that says something. A choice "   \
  "belongs into design_decisions only if the records name the alternative and the reason. outcome is unknown if they do not tell."

st_text st_question_task(const st_bundle *bundle) {
  static const struct {
    const char *queue, *task;
  } TASKS[] = {
      {"shell", BEFORE "The records are commands that were typed in one shell without a longer pause, with how each ended and what it printed. Failed "
                       "attempts matter less than how it ended; routine such as changing directories is not worth a word." AFTER},
      {"agentic", BEFORE "The records are a part of a session with a coding agent: what the user asked for, which tools the agent called, what it said, what was "
                         "committed. What was found out and decided matters more than the order of the steps." AFTER},
      {"browser", BEFORE "The records are web pages that were read one after the other, with how they begin and what was searched for. Say what the reader was "
                         "after and what these pages offer; outcome is unknown unless it is plain that it was found or not." AFTER},
      {"workflow", BEFORE "The records are a run of a continuous integration workflow: its jobs, what they found wrong, and the ends of their logs. Say what broke and "
                          "why, or that everything passed." AFTER},
  };
  for (size_t i = 0; i < sizeof TASKS / sizeof *TASKS; i++)
    if (strcmp(TASKS[i].queue, bundle->queue) == 0) return st_text_of(TASKS[i].task);
  return st_text_of(BEFORE AFTER);
}

/* ---- The records ---- */

static void add_line(st_str *out, const char *name, st_text text) {
  if (text.length == 0 || !*name) return;
  st_str_addf(out, "%s%s: ", out->length ? "\n" : "", name);
  st_str_add(out, text.bytes, text.length);
}

static void add_block(st_str *out, const char *name, st_text text) {
  if (text.length == 0 || !*name) return;
  st_str_addf(out, "%s%s:\n", out->length ? "\n" : "", name);
  st_str_add(out, text.bytes, text.length);
}

/* What of an item there is, under names that fit its kind. */
static const char *write_item(st_str *out, const st_item *item) {
  static const struct {
    const char *label, *text, *name, *output, *place, *rule, *verdict, *number;
  } WORDS[ST_ITEM_KINDS] = {
      [ST_ITEM_COMMAND] = {"command", "command", "tool", "output", "", "", "", "exit status"},
      [ST_ITEM_PROMPT] = {"user", "said", "", "", "", "", "", ""},
      [ST_ITEM_CALL] = {"tool-call", "told", "tool", "", "", "", "", ""},
      [ST_ITEM_ANSWER] = {"agent", "said", "", "", "", "", "", ""},
      [ST_ITEM_COMMIT] = {"commit", "message", "", "", "", "", "", ""},
      [ST_ITEM_PAGE] = {"page", "title", "address", "begins", "site", "searched for", "", ""},
      [ST_ITEM_JOB] = {"job", "name", "", "", "", "", "ended", ""},
      [ST_ITEM_FINDING] = {"finding", "message", "tool", "", "file", "rule", "level", "line"},
      [ST_ITEM_LOG] = {"log", "end of the log", "", "", "", "", "", ""},
  };
  add_line(out, WORDS[item->kind].name, item->name);
  add_line(out, WORDS[item->kind].place, item->place);
  add_line(out, WORDS[item->kind].rule, item->rule);
  add_line(out, WORDS[item->kind].verdict, item->verdict);
  add_line(out, WORDS[item->kind].text, item->text);
  if (item->numbered && *WORDS[item->kind].number) st_str_addf(out, "\n%s: %lld", WORDS[item->kind].number, (long long)item->number);
  add_block(out, WORDS[item->kind].output, item->output);
  add_block(out, "errors", item->errors);
  return WORDS[item->kind].label;
}

/* What one of so many gets of what is left; what it does not need, the others have. */
static size_t share(const st_prompt *prompt, size_t items) {
  size_t left = st_prompt_left(prompt), part = left > CLOSING_TOKENS ? (left - CLOSING_TOKENS) / items : 0;
  return part > MARKS_TOKENS ? part - MARKS_TOKENS : 1;
}

/* Of very many, the first tell what it is about, and the last how it ended. */
static void quote_items(st_prompt *prompt, const st_bundle *bundle, st_str *text) {
  size_t count = bundle->count, most = FIRST_SHOWN + LAST_SHOWN, shown = count < most ? count : most;
  for (size_t i = 0; i < count; i++) {
    if (i == FIRST_SHOWN && count > most) {
      char line[64];
      snprintf(line, sizeof line, "(%zu records are left out here.)\n", count - most);
      st_prompt_say(prompt, line);
      i = count - LAST_SHOWN;
    }
    st_str_clear(text);
    const char *label = write_item(text, &bundle->items[i]);
    size_t part = share(prompt, shown--);
    if (text->length && !st_prompt_quote(prompt, label, (st_text){text->text, text->length}, part)) return;
  }
}

static void quote_context(st_prompt *prompt, const st_bundle *bundle, st_str *text) {
  add_line(text, "directory", bundle->cwd);
  add_line(text, "repository", bundle->repo);
  add_line(text, "branch", bundle->branch);
  add_line(text, "about", bundle->about);
  add_line(text, "agent", bundle->agent);
  add_line(text, "commit", bundle->commit);
  add_line(text, "ended", bundle->verdict);
  if (text->length) st_prompt_quote(prompt, "context", (st_text){text->text, text->length}, CONTEXT_TOKENS);
}

bool st_question_ask(const st_bundle *bundle, size_t tokens, st_prompt *prompt) {
  st_str text;
  st_str_init(&text, ITEM_MAX);
  bool good = st_prompt_begin(prompt, tokens);
  st_prompt_say_rule(prompt);
  st_prompt_say(prompt, "The records, in the order in which it happened:\n");
  quote_context(prompt, bundle, &text);
  quote_items(prompt, bundle, &text);
  st_prompt_say(prompt, "\nThese were the records. Now write the entry: the JSON object, as described.\n");
  good = good && !text.failed && !prompt->text.failed;
  st_str_free(&text);
  return good;
}
