/* gather.c - see gather.h. */
#include "enrich/gather.h"

#include <string.h>

st_ticket *st_gather_ticket(st_gathering *g, int64_t source) {
  for (size_t i = 0; i < g->count; i++)
    if (g->tickets[i].source == source) return &g->tickets[i];
  return NULL;
}

st_bundle *st_gather_bundle(st_gathering *g, size_t tickets, size_t items) {
  int64_t *ids = st_call_alloc(g->call, (tickets + 1) * sizeof *ids);
  st_item *list = st_call_alloc(g->call, (items + 1) * sizeof *list);
  if (!ids || !list || g->bundle_count == ST_CLAIMED_MOST) return NULL;
  st_bundle *bundle = &g->bundles[g->bundle_count++];
  *bundle = (st_bundle){.queue = g->queue, .tickets = ids, .items = list};
  return bundle;
}

void st_gather_join(st_bundle *bundle, st_ticket *ticket) {
  ((int64_t *)bundle->tickets)[bundle->ticket_count++] = ticket->id; /* it was made here, with room */
  ticket->gathered = true;
}

st_item *st_gather_item(st_bundle *bundle, st_item_kind kind) {
  st_item *item = (st_item *)&bundle->items[bundle->count++];
  *item = (st_item){.kind = kind};
  return item;
}

void st_gather(st_gathering *g) {
  static const struct {
    const char *queue;
    void (*gather)(st_gathering *g, const st_value *ids);
  } of[] = {{"agentic", st_gather_segments}, {"browser", st_gather_pages}, {"shell", st_gather_shell}, {"workflow", st_gather_runs}};
  st_value *sources = st_call_alloc(g->call, (g->count + 1) * sizeof *sources);
  g->bundle_count = 0;
  for (size_t i = 0; sources && i < g->count; i++) {
    sources[i] = st_int(g->tickets[i].source);
    g->tickets[i].gathered = false;
    g->tickets[i].skip = NULL;
  }
  st_value ids = {.type = ST_LIST, .items = sources, .count = (uint32_t)g->count};
  for (size_t i = 0; i < sizeof of / sizeof *of && st_ok(g->call); i++)
    if (strcmp(of[i].queue, g->queue) == 0) of[i].gather(g, &ids);
  for (size_t i = 0; i < g->count && st_ok(g->call); i++)
    if (!g->tickets[i].gathered && !g->tickets[i].skip) g->tickets[i].skip = "what it stands for is not there any more";
}
