/* gather_segments.c - segments of agents' sessions: each is a bundle. */
#include "base/json_pull.h"
#include "enrich/gather.h"
#include "enrich/letters.h"
#include "registry_ids.h"

enum { MESSAGES_LEAST = 3, ITEMS_MOST = 400 }; /* a segment of some agents is a whole session: its first items tell what it is about */

#define OF(name) (&row[ST_R_CAPTURE_READ_SEGMENTS_TO_LEARN_##name])

static bool is_empty(const st_value *list) {
  st_text text = st_text_trim(st_text_in(list));
  return text.length == 0 || st_text_is(text, "[]") || st_text_is(text, "null");
}

/* Why it is too short; NULL: it is not. */
static const char *too_short(const st_value *row) {
  if (OF(MESSAGE_COUNT)->integer >= MESSAGES_LEAST) return NULL;
  bool opencode = st_text_is(st_text_in(OF(HARNESS)), "opencode");
  if (opencode) return is_empty(OF(SNAPSHOT_DIFFS_JSON)) && is_empty(OF(COMMIT_MESSAGES_JSON)) ? "fewer than 3 messages, and nothing was changed" : NULL;
  return is_empty(OF(TOOL_CALLS_JSON)) ? "fewer than 3 messages, and no tool was called" : NULL;
}

/* ---- Its lists ---- */

static bool decode(st_gathering *g, st_text value, st_text *out) {
  *out = (st_text){"", 0};
  if (!st_pull_is_string(value)) return true;
  if (st_pull_text(g->call->arena, value, out)) return true;
  st_fail(g->call, STELE_NOMEM, NULL, "out of memory");
  return false;
}

/* Texts, or objects with a name and a summary. */
static void add_list(st_gathering *g, st_bundle *bundle, const st_value *list, st_item_kind kind) {
  for (st_pull walk = st_pull_into(st_text_trim(st_text_in(list))); bundle->count < ITEMS_MOST && st_pull_next(&walk);) {
    st_text text, name = {"", 0};
    bool object = st_pull_is_object(walk.value);
    if (object && !decode(g, st_pull_get(walk.value, "name"), &name)) return;
    if (!decode(g, object ? st_pull_get(walk.value, "summary") : walk.value, &text)) return;
    if (text.length == 0 && name.length == 0) continue;
    st_item *item = st_gather_item(bundle, kind);
    item->text = text;
    item->name = name;
  }
}

/* What the agent said stands at the end of what is told of the segment, as a list. */
static void add_answers(st_bundle *bundle, st_text told) {
  static const char head[] = "\nAnswers:\n";
  const char *at = told.length ? memmem(told.bytes, told.length, head, sizeof head - 1) : NULL;
  st_text rest = at ? st_text_from(told, (size_t)(at - told.bytes) + sizeof head - 1) : (st_text){"", 0}, line;
  st_item *item = NULL;
  while (st_text_line(&rest, &line)) {
    if (st_text_begins(line, "- ")) {
      if (bundle->count == ITEMS_MOST) return;
      item = st_gather_item(bundle, ST_ITEM_ANSWER);
      item->text = st_text_from(line, 2);
    } else if (item && st_text_begins(line, "  ")) {
      item->text.length = (size_t)(line.bytes + line.length - item->text.bytes); /* its further lines stand behind it */
    } else {
      return;
    }
  }
}

static void add(st_gathering *g, const st_value *row, st_ticket *ticket) {
  st_bundle *bundle = st_gather_bundle(g, 1, ITEMS_MOST);
  if (!bundle) return;
  st_gather_join(bundle, ticket);
  bundle->cwd = st_text_in(OF(CWD));
  bundle->branch = st_text_in(OF(GIT_BRANCH));
  bundle->about = st_text_in(OF(TITLE));
  bundle->agent = st_text_in(OF(HARNESS));
  add_list(g, bundle, OF(USER_PROMPTS_JSON), ST_ITEM_PROMPT);
  add_list(g, bundle, OF(TOOL_CALLS_JSON), ST_ITEM_CALL);
  add_answers(bundle, st_text_in(OF(SUMMARY_TEXT)));
  add_list(g, bundle, OF(COMMIT_MESSAGES_JSON), ST_ITEM_COMMIT);
}

void st_gather_segments(st_gathering *g, const st_value *ids) {
  st_value row[ST_R_CAPTURE_READ_SEGMENTS_TO_LEARN_MESSAGE_COUNT + 1];
  st_rows rows;
  st_rows_start(g->call, &rows, STELE_M_CAPTURE_READ_SEGMENTS_TO_LEARN, ids);
  while (st_rows_next(g->call, &rows)) {
    st_rows_keep(g->call, &rows, row);
    st_ticket *ticket = st_gather_ticket(g, OF(ID)->integer);
    if (!ticket || !st_ok(g->call)) continue;
    ticket->skip = too_short(row);
    if (!ticket->skip) add(g, row, ticket);
  }
  st_rows_end(g->call, &rows);
}
