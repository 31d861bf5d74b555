/* ask.c - recall.ask: a question is answered by a language model, from what a search finds.
**
** Whatever fails on the way, what was found is told.  Nothing is locked while the model is asked: the search has ended, and what it found is in
** the call's memory. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/time.h"
#include "chat/handle.h"
#include "chat/prompt.h"
#include "engine/args.h"
#include "engine/reply.h"
#include "recall/citations.h"
#include "recall/page.h"
#include "recall/recall.h"
#include "recall/shown.h"
#include "registry_ids.h"

#define REPLY_MAX (64u << 20)
#define MARKS_TOKENS 60  /* around a record in the prompt */
#define LEAST_TOKENS 120 /* of a record with its marks: of many, rather fewer are there */

static const char INSTRUCTIONS[] =
    "You answer a question about a person's own work from records of it: messages, commands, pages, notes, facts. "
    "Use nothing but the records. Behind each statement name the records that it rests on by their numbers in square brackets, such as [2] or [1, 3]. "
    "Records can be wrong, old, or contradict each other: say so where it matters, with their times. "
    "If the records do not answer the question, say that and nothing else. Be brief, and answer in the language of the question.\n";

typedef struct asking {
  st_call *call;
  st_call search; /* the call of recall.search; its rows are the sources */
  st_recall_page page;
  const char *stage; /* that failed; NULL: none */
  st_problem why;    /* and why */
  const char *model;
  st_chat_answer answer;
  st_citations citations;
} asking;

#define SEARCH (&st_registry.methods[STELE_M_RECALL_SEARCH])

static bool failed(asking *a, const char *stage) {
  a->stage = stage;
  return false;
}

/* ---- Finding ---- */

/* What both methods call by the same name is passed on. */
static bool set_arguments(asking *a) {
  const st_method *method = SEARCH;
  st_value *args = a->search.args = st_call_alloc(a->call, (method->public.nparams + 1) * sizeof *args);
  if (!args) return false;
  for (size_t i = 0; i < method->public.nparams; i++) {
    int said = st_param_index(a->call->method, method->public.params[i].name);
    args[i] = said >= 0 ? a->call->args[said] : (st_value){.type = ST_ABSENT};
  }
  args[ST_P_RECALL_SEARCH_QUERY] = a->call->args[ST_P_RECALL_ASK_QUESTION];
  args[ST_P_RECALL_SEARCH_MATCH] = st_textz("any");
  args[ST_P_RECALL_SEARCH_TOKENS] = (st_value){.type = ST_ABSENT}; /* of the prompt, not of the snippets */
  return st_args_complete(&(st_args){method, ST_TIME_SECONDS, a->call->arena, a->call->error, args});
}

/* Those that were deleted a moment ago are no sources. */
static void drop_gone(st_recall_page *page) {
  int kept = 0;
  for (int i = 0; i < page->count; i++)
    if (page->rows[i].document.id.type > ST_NULL) page->rows[kept++] = page->rows[i];
  page->count = kept;
}

static bool find(asking *a) {
  a->search = *a->call;
  a->search.first = a->search.last = NULL;
  a->search.text = NULL;
  if (!set_arguments(a)) return false;
  st_recall_find_page(&a->search, &a->page);
  a->search.method = SEARCH; /* not before: what is wrong is wrong with this one */
  drop_gone(&a->page);
  st_recall_tell_page(&a->page);
  if (st_ok(a->call) && a->page.count == 0) st_problem_say(&a->why, "nothing was found that the question could be answered from");
  return (st_ok(a->call) && a->page.count > 0) || failed(a, "search");
}

/* ---- The prompt ---- */

static void add_line(st_str *out, const char *name, const st_value *value) {
  if (value->type != ST_TEXT || !value->length) return;
  st_str_addf(out, "%s: ", name);
  st_str_add(out, value->bytes, value->length);
  st_str_addc(out, '\n');
}

/* A record as the model reads it: all of this is data. */
static void write_record(st_call *call, const st_recalled *row, st_str *out) {
  const st_document *document = &row->document;
  st_column columns[ST_SHOWN_COLUMNS];
  char time[ST_TIME_MAX];
  st_shown_columns(call, document, columns);
  if (!st_ok(call)) return;
  add_line(out, "title", &document->title);
  if (row->time > 0 && row->time < 2.5e11 && st_time_rfc3339((st_micros)(row->time * 1e6), time)) st_str_addf(out, "time: %s\n", time);
  add_line(out, "where", &document->project);
  add_line(out, "who", &document->role);
  add_line(out, "address", &document->url);
  st_str_addc(out, '\n');
  st_str_add(out, columns[0].text, columns[0].length);
}

/* The next of so many records gets its share of what is left: what one does not use is for those behind it. */
static size_t share_of(const st_prompt *prompt, int records) {
  size_t left = st_prompt_left(prompt), fit = left / LEAST_TOKENS;
  if (fit > (size_t)records) fit = (size_t)records;
  return fit ? left / fit - MARKS_TOKENS : 0;
}

/* How many of them are there. */
static int add_records(asking *a, st_prompt *prompt) {
  char label[80];
  int count = 0;
  for (int room = 1; count < a->page.count && room && st_ok(a->call); count += room) {
    const st_recalled *row = &a->page.rows[count];
    size_t share = share_of(prompt, a->page.count - count);
    st_str record;
    st_str_init(&record, REPLY_MAX);
    write_record(a->call, row, &record);
    snprintf(label, sizeof label, "[%d] %.40s", count + 1, row->kind);
    if (record.failed) st_fail(a->call, STELE_NOMEM, NULL, "out of memory");
    room = st_ok(a->call) && share && st_prompt_quote(prompt, label, (st_text){record.text, record.length}, share);
    st_str_free(&record);
  }
  return count;
}

static size_t budget_of(const st_call *call) {
  return st_has(call, ST_P_RECALL_ASK_TOKENS) ? (size_t)st_arg_int(call, ST_P_RECALL_ASK_TOKENS) : st_handle_prompt_tokens(call);
}

/* ---- The answer ---- */

static bool ended(asking *a, st_endpoint_end end, const char *stage) {
  if (end == ST_ENDPOINT_NOMEM || st_problem_is_nomem(a->why.text)) st_fail(a->call, STELE_NOMEM, NULL, "out of memory");
  if (end == ST_ENDPOINT_STOPPED) st_fail(a->call, STELE_CANCELLED, NULL, "stopped");
  if (end == ST_ENDPOINT_ANSWERED) return true;
  return failed(a, stage);
}

static bool is_blank(st_text text) {
  for (size_t i = 0; i < text.length; i++)
    if (!strchr(" \t\r\n", text.bytes[i])) return false;
  return true;
}

static void read_citations(asking *a, int records) {
  st_citations *c = &a->citations;
  st_str_init(&c->answer, REPLY_MAX);
  c->cited = st_call_alloc(a->call, ((size_t)records + 1) * sizeof *c->cited);
  if (c->cited) st_citations_read(a->answer.text, records, c);
  if (c->answer.failed) st_fail(a->call, STELE_NOMEM, NULL, "out of memory");
  if (!st_ok(a->call)) return;
  if (c->removed) st_note(a->call, "the answer cited records that there are not: %d such citations were taken out", c->removed);
  if (!c->count) st_note(a->call, "the answer names no record that it rests on");
  if (a->answer.cut) st_note(a->call, "the answer was cut off: chat.answer_tokens says how long it may be");
}

/* `from`: where the part of the user begins in the prompt; what is before it is ours alone. */
static bool ask_model(asking *a, st_chat *chat, const st_prompt *prompt, size_t from, int records) {
  const st_chat_message messages[] = {{"system", {prompt->text.text, from}}, {"user", {prompt->text.text + from, prompt->text.length - from}}};
  st_endpoint_end end = st_chat_ask(chat, a->call->arena, messages, 2, &a->answer, &a->why);
  if (!ended(a, end, "answer")) return false;
  if (is_blank(a->answer.text)) {
    st_problem_say(&a->why, "the model said nothing");
    return failed(a, "answer");
  }
  read_citations(a, records);
  return st_ok(a->call);
}

static bool answer(asking *a, st_chat *chat) {
  const st_value *question = &a->call->args[ST_P_RECALL_ASK_QUESTION];
  size_t tokens = st_prompt_tokens(question->length) + MARKS_TOKENS, budget = budget_of(a->call);
  bool good = false;
  st_prompt prompt;
  if (!st_prompt_begin(&prompt, budget > tokens ? budget - tokens : 0)) {
    st_problem_say(&a->why, "the system gave no random bytes for the marks of the prompt");
    return failed(a, "prompt");
  }
  st_prompt_say(&prompt, INSTRUCTIONS);
  st_prompt_say_rule(&prompt);
  size_t from = prompt.text.length;
  int records = add_records(a, &prompt);
  st_prompt_say(&prompt, "\nThe question:\n");
  st_str_add(&prompt.text, question->bytes, question->length);
  if (prompt.text.failed) st_fail(a->call, STELE_NOMEM, NULL, "out of memory");
  if (records == 0) st_problem_say(&a->why, "the question leaves no room for records within %zu tokens", budget);
  if (st_ok(a->call)) good = records > 0 ? ask_model(a, chat, &prompt, from, records) : failed(a, "prompt");
  if (good && records < a->page.count) st_note(a->call, "the first %d sources had room in the prompt", records);
  st_prompt_free(&prompt);
  return good;
}

/* Is there a model, and is it there? */
static bool preflight(asking *a, st_chat **chat) {
  *chat = st_handle_chat(a->call, &a->why);
  if (!*chat) return ended(a, ST_ENDPOINT_AWAY, "preflight");
  if (!ended(a, st_chat_check(*chat, &a->why), "preflight")) return false;
  a->model = st_chat_model(*chat);
  return true;
}

/* ---- The reply ---- */

/* [{"n":1,"ref":...,...},...]: the rows of the search, each with its number. */
static st_value sources_of(asking *a) {
  int number = 0;
  st_str out;
  st_str_init(&out, REPLY_MAX);
  st_str_addc(&out, '[');
  for (const st_row *row = a->search.first; row; row = row->next) {
    st_str_addf(&out, "%s{\"n\":%d,", number ? "," : "", number + 1);
    size_t at = out.length;
    st_reply_row(&out, SEARCH, row->values, a->call->arena);
    if (!out.failed) memmove(out.text + at, out.text + at + 1, out.length - at); /* its own brace */
    if (!out.failed) out.length--;
    number++;
  }
  st_str_addc(&out, ']');
  return st_take(a->call, &out);
}

/* [{"n":2,"ref":"conversation/message/1"},...] */
static st_value citations_of(asking *a) {
  st_str out;
  st_str_init(&out, REPLY_MAX);
  st_str_addc(&out, '[');
  for (int i = 0; i < a->citations.count; i++) {
    const st_row *row = a->search.first;
    for (int n = 1; n < a->citations.cited[i]; n++) row = row->next;
    st_str_addf(&out, "%s{\"n\":%d,\"ref\":", i ? "," : "", a->citations.cited[i]);
    st_json_add_string(&out, row->values[ST_R_RECALL_SEARCH_REF].bytes, row->values[ST_R_RECALL_SEARCH_REF].length);
    st_str_addc(&out, '}');
  }
  st_str_addc(&out, ']');
  return st_take(a->call, &out);
}

static void tell(asking *a, bool answered) {
  st_value *out = st_reply(a->call);
  if (!out) return;
  out[ST_R_RECALL_ASK_DEGRADED] = st_bool(!answered);
  out[ST_R_RECALL_ASK_SOURCES] = sources_of(a);
  out[ST_R_RECALL_ASK_CITATIONS] = citations_of(a);
  if (a->model) out[ST_R_RECALL_ASK_MODEL] = st_call_text(a->call, a->model, strlen(a->model));
  if (!answered) {
    out[ST_R_RECALL_ASK_STAGE] = st_textz(a->stage);
    out[ST_R_RECALL_ASK_ERROR] = st_call_text(a->call, a->why.text, strlen(a->why.text));
    st_note(a->call, "no answer (%s): %s", a->stage, a->why.text);
    return;
  }
  out[ST_R_RECALL_ASK_ANSWER] = st_call_text(a->call, a->citations.answer.text, a->citations.answer.length);
  out[ST_R_RECALL_ASK_PROMPT_TOKENS] = st_int(a->answer.prompt_tokens);
  out[ST_R_RECALL_ASK_COMPLETION_TOKENS] = st_int(a->answer.completion_tokens);
}

void st_recall_ask_question(st_call *call) {
  asking a = {.call = call};
  st_chat *chat = NULL;
  bool answered = find(&a) && preflight(&a, &chat) && answer(&a, chat);
  if (st_ok(call)) tell(&a, answered);
  st_str_free(&a.citations.answer);
}
