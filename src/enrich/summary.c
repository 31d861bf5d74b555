/* summary.c - a digest in words: the most telling commands and sentences, in the order in which they came. */
#include <stdio.h>

#include "enrich/digest.h"
#include "enrich/letters.h"

enum { SUMMARY_MAX = 400, INTENT_MAX = 200, EMBED_MAX = 2000, COMMANDS_MAX = 4000, PIECE_MAX = 130, SHOWN_MOST = 4, COMMANDS_MOST = 50 };

static bool is_queue(const st_digest *d, const char *queue) { return st_text_is(st_text_of(d->bundle->queue), queue); }

/* ---- What is most telling ---- */

/* How many items of the bundle are of the same program and verb: what is rare says more. */
static size_t alike(const st_digest *d, size_t of) {
  size_t count = 0;
  for (size_t i = 0; i < d->bundle->count; i++)
    count += st_text_same(d->deeds[i].line.tool, d->deeds[of].line.tool) && st_text_same(d->deeds[i].line.verb, d->deeds[of].line.verb);
  return count;
}

static int weight_of_command(const st_digest *d, size_t i) {
  const st_deed *deed = &d->deeds[i];
  int weight = 2;
  if (!deed->line.telling) return 0;
  if (deed->result == ST_RESULT_BAD) weight += deed->mended ? 2 : 4;
  if (st_text_is(deed->line.verb, "commit")) weight += 3;
  if (alike(d, i) == 1) weight += 2;
  if (deed->line.flags & (ST_TOOL_ASKS | ST_TOOL_READS)) weight -= 1;
  return weight + (i + 1 == d->bundle->count ? 1 : 0);
}

static int weight_of(const st_digest *d, size_t i) {
  bool first = i == 0 || d->bundle->items[i - 1].kind != d->bundle->items[i].kind;
  bool last = i + 1 == d->bundle->count || d->bundle->items[i + 1].kind != d->bundle->items[i].kind;
  switch (d->bundle->items[i].kind) {
    case ST_ITEM_COMMAND: return weight_of_command(d, i);
    case ST_ITEM_PROMPT: return first ? 9 : last ? 6 : 4;
    case ST_ITEM_COMMIT: return 8;
    case ST_ITEM_ANSWER: return (last ? 6 : 2) + (d->deeds[i].result != ST_RESULT_NONE ? 2 : 0);
    case ST_ITEM_PAGE: return 5 + (d->bundle->items[i].rule.length ? 1 : 0);
    case ST_ITEM_FINDING: return st_text_is(d->bundle->items[i].verdict, "failure") ? 8 : 2;
    case ST_ITEM_JOB: return d->deeds[i].result == ST_RESULT_BAD ? 7 : 1;
    case ST_ITEM_LOG: return d->deeds[i].error.length ? 6 : 0;
    default: return 1; /* calls: what they are told of is in the entities */
  }
}

/* The few of greatest weight, in their order; of the same weight, the later. */
static size_t choose(const st_digest *d, size_t chosen[SHOWN_MOST]) {
  int weights[SHOWN_MOST] = {0};
  size_t count = 0;
  for (size_t i = 0; i < d->bundle->count; i++) {
    int weight = weight_of(d, i);
    if (weight <= 0) continue;
    if (count == SHOWN_MOST) {
      size_t least = 0;
      for (size_t n = 1; n < count; n++)
        if (weights[n] < weights[least]) least = n;
      if (weights[least] > weight) continue;
      for (count--; least < count; least++) chosen[least] = chosen[least + 1], weights[least] = weights[least + 1];
    }
    chosen[count] = i;
    weights[count++] = weight;
  }
  return count;
}

/* ---- One item in words ---- */

static void add_quoted(st_wording *to, st_text text) {
  st_word_addz(to, "`");
  st_word_add(to, text, PIECE_MAX);
  st_word_addz(to, "`");
}

static void add_command(st_wording *to, const st_deed *deed) {
  char status[40];
  add_quoted(to, deed->item->text);
  if (deed->result != ST_RESULT_BAD) return;
  if (deed->item->numbered && deed->item->number) snprintf(status, sizeof status, " failed (%lld)", (long long)deed->item->number);
  else snprintf(status, sizeof status, " failed");
  st_word_addz(to, status);
  if (deed->error.length) st_word_addz(to, ": ");
  st_word_add(to, deed->error, PIECE_MAX);
}

static st_text first_sentence(st_text text) {
  st_text sentence = {"", 0};
  st_sentence_next(&text, &sentence);
  return sentence;
}

/* Of what was said, the sentence that says how it went; else the first. */
static st_text telling_sentence(st_text text) {
  st_text rest = text, sentence, found = first_sentence(text);
  while (st_sentence_next(&rest, &sentence))
    if (st_result_said(sentence) != ST_RESULT_NONE) found = sentence;
  return found;
}

/* The first sentence of a page that is one. */
static st_text page_sentence(st_text text) {
  enum { LEAST = 40, TRIED = 40 };
  st_text sentence;
  for (int i = 0; i < TRIED && st_sentence_next(&text, &sentence); i++)
    if (sentence.length >= LEAST && st_text_ends(sentence, ".")) return sentence;
  return (st_text){"", 0};
}

static void add_page(st_wording *to, const st_digest *d, const st_item *item) {
  st_text sentence = page_sentence(item->output);
  st_word_add(to, item->text.length ? item->text : item->name, PIECE_MAX);
  st_word_addz(to, " (");
  st_word_add(to, item->place, 60);
  st_word_addz(to, item->rule.length ? ", searched: " : "");
  st_word_add(to, item->rule, 80);
  st_word_addz(to, ")");
  if (sentence.length && d->bundle->count <= 2) {
    st_word_addz(to, ": ");
    st_word_add(to, sentence, 160);
  }
}

static void add_finding(st_wording *to, const st_item *item) {
  char line[32] = "";
  if (item->numbered) snprintf(line, sizeof line, ":%lld", (long long)item->number);
  st_word_add(to, item->name, 40);
  st_word_addz(to, item->name.length && item->rule.length ? " " : "");
  st_word_add(to, item->rule, 60);
  if (item->place.length) st_word_addz(to, item->name.length || item->rule.length ? " in " : "");
  st_word_add(to, item->place, 80);
  st_word_addz(to, item->place.length ? line : "");
  st_word_addz(to, to->length && to->bytes[to->length - 1] != ' ' ? ": " : "");
  st_word_add(to, item->text, PIECE_MAX);
}

static void add_item(st_wording *to, const st_digest *d, size_t i) {
  const st_item *item = &d->bundle->items[i];
  switch (item->kind) {
    case ST_ITEM_COMMAND: add_command(to, &d->deeds[i]); return;
    case ST_ITEM_CALL: add_quoted(to, item->text.length ? item->text : item->name); return;
    case ST_ITEM_PROMPT: st_word_addz(to, "asked: "), st_word_add(to, first_sentence(item->text), PIECE_MAX); return;
    case ST_ITEM_ANSWER: st_word_addz(to, "answered: "), st_word_add(to, telling_sentence(item->text), PIECE_MAX); return;
    case ST_ITEM_COMMIT: st_word_addz(to, "committed: "), st_word_add(to, first_sentence(item->text), PIECE_MAX); return;
    case ST_ITEM_PAGE: add_page(to, d, item); return;
    case ST_ITEM_FINDING: add_finding(to, item); return;
    case ST_ITEM_LOG: st_word_add(to, d->deeds[i].error, PIECE_MAX); return;
    case ST_ITEM_JOB:
      st_word_addz(to, "job ");
      st_word_add(to, item->text, 60);
      st_word_addz(to, ": ");
      st_word_add(to, item->verdict, 20);
      return;
    case ST_ITEM_KINDS: return;
  }
}

/* ---- The summary ---- */

/* "stele (main): ", or of a run "owner/name main 1a2b3c4 failure: " */
static void add_where(st_wording *to, const st_digest *d) {
  const st_bundle *b = d->bundle;
  bool run = is_queue(d, "workflow");
  if (run) st_word_add(to, b->repo, 80);
  else if (d->names.count[ST_NAME_PROJECT]) st_word_add(to, d->names.of[ST_NAME_PROJECT][0], 60);
  if (to->length && b->branch.length) {
    st_word_addz(to, " (");
    st_word_add(to, b->branch, 40);
    st_word_addz(to, ")");
  }
  if (run) {
    st_word_addz(to, " at ");
    st_word_add(to, (st_text){b->commit.bytes, b->commit.length < 7 ? b->commit.length : 7}, 7);
    st_word_addz(to, " ended: ");
    st_word_add(to, b->verdict.length ? b->verdict : st_text_of("unknown"), 20);
  }
  if (to->length) st_word_addz(to, b->count ? (run ? "; " : ": ") : "");
}

st_text st_digest_summary(st_digest *d) {
  st_wording text = st_digest_wording(d, SUMMARY_MAX);
  size_t chosen[SHOWN_MOST], count = choose(d, chosen);
  add_where(&text, d);
  for (size_t i = 0; i < count; i++) {
    if (i) st_word_addz(&text, "; ");
    add_item(&text, d, chosen[i]);
  }
  return st_wording_text(&text);
}

/* ---- The intent ---- */

/* What it was for, by the family of the most telling command: "testing: `cargo test`" */
static void add_work(st_wording *to, const st_digest *d) {
  size_t best = 0;
  for (size_t i = 1; i < d->bundle->count; i++)
    if (weight_of(d, i) > weight_of(d, best)) best = i;
  const st_line *line = &d->deeds[best].line;
  const st_tool *tool = st_tool_find(line->tool);
  st_text tags = st_text_of(tool ? tool->tags : ""), word, tag = {"", 0};
  while (st_text_token(&tags, &word)) tag = word; /* the last one says what is done */
  if (st_text_is(line->verb, "test")) tag = st_text_of("testing");
  if (st_text_is(line->verb, "build")) tag = st_text_of("build");
  if (tag.length) st_word_add(to, tag, 40), st_word_addz(to, ": ");
  add_quoted(to, d->bundle->items[best].text);
}

static const st_item *first_of(const st_digest *d, st_item_kind kind) {
  for (size_t i = 0; i < d->bundle->count; i++)
    if (d->bundle->items[i].kind == kind) return &d->bundle->items[i];
  return NULL;
}

static void add_reading(st_wording *to, const st_digest *d) {
  const st_item *searched = NULL;
  for (size_t i = 0; i < d->bundle->count && !searched; i++)
    if (d->bundle->items[i].rule.length) searched = &d->bundle->items[i];
  st_word_addz(to, searched ? "searching: " : "reading: ");
  st_word_add(to, searched ? searched->rule : d->bundle->items[0].text.length ? d->bundle->items[0].text : d->bundle->items[0].name, PIECE_MAX);
}

st_text st_digest_intent(st_digest *d) {
  st_wording text = st_digest_wording(d, INTENT_MAX);
  const st_item *prompt = first_of(d, ST_ITEM_PROMPT);
  if (is_queue(d, "workflow")) {
    st_word_addz(&text, "workflow started by ");
    st_word_add(&text, d->bundle->about.length ? d->bundle->about : st_text_of("an event"), 60);
  } else if (prompt) {
    st_word_add(&text, first_sentence(prompt->text), INTENT_MAX);
  } else if (d->bundle->about.length) {
    st_word_add(&text, d->bundle->about, INTENT_MAX);
  } else if (is_queue(d, "browser")) {
    add_reading(&text, d);
  } else if (d->bundle->count) {
    add_work(&text, d);
  }
  return st_wording_text(&text);
}

/* ---- What is embedded ---- */

static void add_names(st_wording *to, const st_digest *d, st_name_type type) {
  for (size_t i = 0; i < d->names.count[type]; i++) {
    st_word_addz(to, to->length ? " " : "");
    st_word_add(to, d->names.of[type][i], ST_NAME_MAX);
  }
}

st_text st_digest_embed_text(st_digest *d, st_text summary) {
  st_wording text = st_digest_wording(d, EMBED_MAX);
  st_word_add(&text, summary, SUMMARY_MAX);
  for (int type = 0; type < ST_NAMES; type++) add_names(&text, d, (st_name_type)type);
  for (size_t i = 0; i < d->problems.count; i++) {
    st_word_addz(&text, " ");
    st_word_add(&text, d->problems.of[i], PIECE_MAX);
  }
  return st_wording_text(&text);
}

st_text st_digest_commands(st_digest *d) {
  st_wording text = st_digest_wording(d, COMMANDS_MAX);
  size_t count = 0;
  for (size_t i = 0; i < d->bundle->count && count < COMMANDS_MOST; i++) {
    const st_item *item = &d->bundle->items[i];
    bool page = item->kind == ST_ITEM_PAGE;
    if (!page && item->kind != ST_ITEM_COMMAND && item->kind != ST_ITEM_CALL) continue;
    st_word_addz(&text, count++ ? " ; " : "");
    st_word_add(&text, page ? item->name : item->text, ST_NAME_MAX);
  }
  return st_wording_text(&text);
}
