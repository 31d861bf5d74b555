/* gather_pages.c - pages: those that were read one after the other are one bundle. */
#include "enrich/gather.h"
#include "registry_ids.h"

enum { PAUSE_MS = 300000, GLANCE_MS = 1000, LONG_MS = 120000 };
#define SEEN_LEAST 0.15

#define OF(name) (&row[ST_R_CAPTURE_READ_PAGES_TO_LEARN_##name])

/* Why it was hardly read; NULL: it was. */
static const char *not_read(const st_value *row) {
  if (OF(DWELL_MS)->integer < GLANCE_MS) return "in view for less than a second";
  bool little = OF(SCROLL_DEPTH)->type == ST_REAL && OF(SCROLL_DEPTH)->real < SEEN_LEAST;
  if (little && OF(SEARCH_QUERY)->type != ST_TEXT && OF(DWELL_MS)->integer < LONG_MS) return "hardly any of it was seen, and no search led there";
  return NULL;
}

static void add(st_bundle *bundle, const st_value *row) {
  st_item *item = st_gather_item(bundle, ST_ITEM_PAGE);
  item->text = st_text_in(OF(TITLE));
  item->name = st_text_in(OF(URL));
  item->output = st_text_in(OF(EXTRACTED_TEXT));
  item->place = st_text_in(OF(DOMAIN));
  item->rule = st_text_in(OF(SEARCH_QUERY));
  item->at = OF(TIMESTAMP)->integer;
}

void st_gather_pages(st_gathering *g, const st_value *ids) {
  st_value row[ST_R_CAPTURE_READ_PAGES_TO_LEARN_SEARCH_QUERY + 1];
  st_bundle *bundle = NULL;
  int64_t last = 0;
  st_rows rows;
  st_rows_start(g->call, &rows, STELE_M_CAPTURE_READ_PAGES_TO_LEARN, ids);
  while (st_rows_next(g->call, &rows)) {
    st_rows_keep(g->call, &rows, row);
    st_ticket *ticket = st_gather_ticket(g, OF(ID)->integer);
    if (!ticket || !st_ok(g->call)) continue;
    ticket->skip = not_read(row);
    if (ticket->skip) continue;
    if (!bundle || OF(TIMESTAMP)->integer - last > PAUSE_MS) bundle = st_gather_bundle(g, g->count, g->count);
    if (!bundle) break;
    last = OF(TIMESTAMP)->integer;
    st_gather_join(bundle, ticket);
    add(bundle, row);
  }
  st_rows_end(g->call, &rows);
}
