/* digest.c - see digest.h: every item passes the rules of its kind. */
#include "enrich/digest.h"

#include <stdio.h>

#include "enrich/letters.h"

enum { PROBLEM_MAX = 240, COMMAND_SHOWN = 100 };

st_wording st_digest_wording(st_digest *d, size_t room) {
  st_wording text = st_wording_of(d->arena, room);
  d->failed = d->failed || !text.bytes;
  return text;
}

void st_digest_tell(st_digest *d, st_told_list *list, st_text sentence) {
  if (list->count == ST_TOLD_MOST || sentence.length == 0) return;
  st_wording text = st_digest_wording(d, PROBLEM_MAX);
  st_word_add(&text, sentence, PROBLEM_MAX);
  for (size_t i = 0; i < list->count; i++)
    if (st_text_same(list->of[i], st_wording_text(&text))) return;
  if (text.length) list->of[list->count++] = st_wording_text(&text);
}

/* ---- By kind ---- */

static bool is_shell(st_text tool) { return tool.length == 0 || st_text_listed(tool, " Bash bash shell exec_command local_shell run_terminal_cmd run_terminal_command "); }

/* What a tool that is no shell was told: a file, "pattern in path", an address. */
static void read_told(st_digest *d, st_text told) {
  st_text token;
  st_find_addresses(&d->names, told);
  if (st_file_named(told).length && !memchr(told.bytes, ' ', told.length)) st_names_add(&d->names, ST_NAME_FILE, st_file_named(told));
  const char *in = told.length ? memmem(told.bytes, told.length, " in ", 4) : NULL;
  st_text path = in ? st_text_from(told, (size_t)(in - told.bytes) + 4) : (st_text){"", 0};
  if (st_text_token(&path, &token)) st_names_add(&d->names, ST_NAME_FILE, st_file_named(token));
}

static void read_line(st_digest *d, const st_item *item, st_deed *deed) {
  bool exists = !(item->numbered && item->number == 127);
  if (!is_shell(item->name)) read_told(d, item->text);
  else if (!st_find_command(&d->names, item->text, exists, &deed->line)) d->failed = true;
}

static void read_command(st_digest *d, const st_item *item, st_deed *deed) {
  read_line(d, item, deed);
  if (item->numbered && item->number == 127) deed->line.telling = true; /* that it is not there says something */
  deed->result = st_result_of_command(item, &deed->line);
  st_trust trust = deed->result == ST_RESULT_BAD ? ST_TRUST_ALL : ST_TRUST_STRONG;
  st_text complained = st_find_errors(&d->names, item->errors, trust), said = st_find_errors(&d->names, item->output, trust);
  if (trust == ST_TRUST_STRONG) return;
  deed->error = complained.length ? complained : said;
  st_find_locations(&d->names, item->errors);
  st_find_locations(&d->names, item->output);
  if (item->numbered) st_find_exit(&d->names, item->number);
}

static void read_said(st_digest *d, const st_item *item, st_deed *deed) {
  static const char *const problems[] = {"the problem was", "the problem is", "root cause", "fails because", "failed because", "was caused by",
                                         "the bug was",     "the bug is",     "broke because", "the issue was", "the issue is", NULL};
  st_text text = item->text, sentence;
  st_find_prose(&d->names, item->text);
  st_digest_decisions(d, item->text);
  if (item->kind == ST_ITEM_ANSWER) deed->result = st_result_said(item->text);
  if (item->kind == ST_ITEM_COMMIT) deed->result = ST_RESULT_GOOD;
  while (item->kind != ST_ITEM_COMMIT && st_sentence_next(&text, &sentence))
    if (st_says(sentence, problems)) st_digest_tell(d, &d->problems, sentence);
}

static void read_page(st_digest *d, const st_item *item) {
  st_find_addresses(&d->names, item->name);
  if (item->place.length) st_names_add(&d->names, ST_NAME_DOMAIN, item->place);
  st_find_errors(&d->names, item->text, ST_TRUST_PROSE);
  st_find_errors(&d->names, item->rule, ST_TRUST_PROSE);
}

static bool is_failing(st_text level) { return st_text_is(level, "failure"); }

static void read_finding(st_digest *d, const st_item *item, st_deed *deed) {
  st_names_add(&d->names, ST_NAME_TOOL, item->name);
  st_names_add(&d->names, ST_NAME_FILE, item->place);
  if (is_failing(item->verdict)) st_names_add(&d->names, ST_NAME_ERROR, item->rule);
  deed->error = st_find_errors(&d->names, item->text, ST_TRUST_PROSE);
  if (!is_failing(item->verdict)) return;
  st_wording text = st_digest_wording(d, PROBLEM_MAX);
  char line[32] = "";
  if (item->numbered) snprintf(line, sizeof line, ":%lld", (long long)item->number);
  if (item->place.length) {
    st_word_add(&text, item->place, COMMAND_SHOWN);
    st_word_addz(&text, line);
    st_word_addz(&text, ": ");
  }
  st_word_add(&text, item->text, PROBLEM_MAX);
  st_digest_tell(d, &d->problems, st_wording_text(&text));
}

static void read_item(st_digest *d, const st_item *item, st_deed *deed) {
  deed->item = item;
  switch (item->kind) {
    case ST_ITEM_COMMAND: read_command(d, item, deed); return;
    case ST_ITEM_CALL: read_line(d, item, deed); return;
    case ST_ITEM_PROMPT:
    case ST_ITEM_ANSWER:
    case ST_ITEM_COMMIT: read_said(d, item, deed); return;
    case ST_ITEM_PAGE: read_page(d, item); return;
    case ST_ITEM_JOB: deed->result = st_result_concluded(item->verdict); return;
    case ST_ITEM_FINDING: read_finding(d, item, deed); return;
    case ST_ITEM_LOG: deed->error = st_find_errors(&d->names, item->text, ST_TRUST_ALL); return;
    case ST_ITEM_KINDS: return;
  }
}

/* ---- Problems of commands ---- */

static void tell_failure(st_digest *d, const st_deed *deed) {
  char status[40] = " failed";
  st_wording text = st_digest_wording(d, PROBLEM_MAX);
  if (deed->item->numbered && deed->item->number) snprintf(status, sizeof status, " failed (%lld)", (long long)deed->item->number);
  st_word_addz(&text, "`");
  st_word_add(&text, deed->item->text, COMMAND_SHOWN);
  st_word_addz(&text, "`");
  st_word_addz(&text, status);
  if (deed->error.length) st_word_addz(&text, ": ");
  st_word_add(&text, deed->error, COMMAND_SHOWN);
  if (deed->mended) st_word_addz(&text, "; mended later");
  st_digest_tell(d, &d->problems, st_wording_text(&text));
}

void st_digest_read(st_digest *d) {
  const st_bundle *b = d->bundle;
  d->names.arena = d->arena;
  d->deeds = st_arena_zero(d->arena, (b->count + 1) * sizeof *d->deeds);
  if (!d->deeds) {
    d->failed = true;
    return;
  }
  st_find_project(&d->names, b->cwd, b->repo);
  for (size_t i = 0; i < b->count && !d->failed; i++) read_item(d, &b->items[i], &d->deeds[i]);
  if (d->failed) return;
  d->outcome = st_outcome_of(b, d->deeds);
  for (size_t i = 0; i < b->count; i++)
    if (b->items[i].kind == ST_ITEM_COMMAND && d->deeds[i].result == ST_RESULT_BAD) tell_failure(d, &d->deeds[i]);
  d->failed = d->failed || d->names.failed;
}
