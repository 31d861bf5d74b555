/* gather_shell.c - commands: those of a session are one bundle until there is a pause. */
#include "enrich/gather.h"
#include "enrich/letters.h"
#include "registry_ids.h"

enum { PAUSE_MS = 60000, SHORT_MS = 100 };

#define OF(name) (&row[ST_R_CAPTURE_READ_EVENTS_TO_LEARN_##name])
enum { WIDTH = ST_R_CAPTURE_READ_EVENTS_TO_LEARN_GIT_BRANCH + 1 };

/* Nothing was done by it: clear, exit and the like, at once and without a word. */
static bool is_trivial(const st_value *row) {
  st_text command = st_text_trim(st_text_in(OF(COMMAND)));
  bool idle = command.length == 0 || st_text_listed(command, " clear exit true : ") || st_text_begins(command, "exec ");
  return idle && OF(STDOUT)->type != ST_TEXT && OF(STDERR)->type != ST_TEXT && OF(DURATION_MS)->integer < SHORT_MS;
}

static bool is_apart(const st_value *row, const st_value *last) {
  return last[ST_R_CAPTURE_READ_EVENTS_TO_LEARN_SESSION_ID].integer != OF(SESSION_ID)->integer ||
         OF(TIMESTAMP)->integer - last[ST_R_CAPTURE_READ_EVENTS_TO_LEARN_TIMESTAMP].integer > PAUSE_MS;
}

static void add(st_bundle *bundle, const st_value *row) {
  st_item *item = st_gather_item(bundle, ST_ITEM_COMMAND);
  item->text = st_text_in(OF(COMMAND));
  item->name = st_text_in(OF(TOOL_NAME));
  item->output = st_text_in(OF(STDOUT));
  item->errors = st_text_in(OF(STDERR));
  item->at = OF(TIMESTAMP)->integer;
  item->numbered = OF(EXIT_CODE)->type == ST_INT;
  item->number = item->numbered ? OF(EXIT_CODE)->integer : 0;
  bundle->cwd = st_text_in(OF(CWD)); /* where it ended */
  if (OF(GIT_REPO)->type == ST_TEXT) bundle->repo = st_text_in(OF(GIT_REPO));
  if (OF(GIT_BRANCH)->type == ST_TEXT) bundle->branch = st_text_in(OF(GIT_BRANCH));
}

void st_gather_shell(st_gathering *g, const st_value *ids) {
  st_value row[WIDTH], last[WIDTH];
  st_bundle *bundle = NULL;
  st_rows rows;
  st_rows_start(g->call, &rows, STELE_M_CAPTURE_READ_EVENTS_TO_LEARN, ids);
  while (st_rows_next(g->call, &rows)) {
    st_rows_keep(g->call, &rows, row);
    st_ticket *ticket = st_gather_ticket(g, OF(ID)->integer);
    if (!ticket || !st_ok(g->call)) continue;
    if (bundle && is_apart(row, last)) bundle = NULL;
    memcpy(last, row, sizeof last);
    if (is_trivial(row)) {
      ticket->skip = "a command that does nothing";
      continue;
    }
    if (!bundle) bundle = st_gather_bundle(g, g->count, g->count);
    if (!bundle) break;
    st_gather_join(bundle, ticket);
    add(bundle, row);
  }
  st_rows_end(g->call, &rows);
}
