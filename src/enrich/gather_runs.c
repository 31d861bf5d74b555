/* gather_runs.c - runs of workflows: each is a bundle, with its jobs, what they found wrong, and the ends of their logs. */
#include "enrich/gather.h"
#include "registry_ids.h"

enum { PARTS_MOST = 400 };

#define OF(name) (&row[ST_R_CAPTURE_READ_RUNS_TO_LEARN_##name])
#define PART(name) (&part[ST_R_CAPTURE_READ_RUN_PARTS_##name])

static st_item_kind kind_of(st_text kind) {
  return st_text_is(kind, "job") ? ST_ITEM_JOB : st_text_is(kind, "finding") ? ST_ITEM_FINDING : ST_ITEM_LOG;
}

static void add_parts(st_gathering *g, st_bundle *bundle, const st_value *run) {
  st_value part[ST_R_CAPTURE_READ_RUN_PARTS_LINE + 1];
  st_rows rows;
  st_rows_start(g->call, &rows, STELE_M_CAPTURE_READ_RUN_PARTS, run);
  while (bundle->count < PARTS_MOST && st_rows_next(g->call, &rows)) {
    st_rows_keep(g->call, &rows, part);
    if (!st_ok(g->call)) break;
    st_item *item = st_gather_item(bundle, kind_of(st_text_in(PART(KIND))));
    item->text = st_text_in(PART(TEXT));
    item->name = st_text_in(PART(TOOL));
    item->rule = st_text_in(PART(RULE));
    item->place = st_text_in(PART(PATH));
    item->verdict = st_text_in(PART(VERDICT));
    item->numbered = PART(LINE)->type == ST_INT;
    item->number = item->numbered ? PART(LINE)->integer : 0;
  }
  st_rows_end(g->call, &rows);
}

static void add(st_gathering *g, const st_value *row) {
  st_ticket *ticket = st_gather_ticket(g, OF(ID)->integer);
  st_bundle *bundle = ticket ? st_gather_bundle(g, 1, PARTS_MOST) : NULL;
  if (!bundle) return;
  st_gather_join(bundle, ticket);
  bundle->repo = st_text_in(OF(REPO));
  bundle->branch = st_text_in(OF(HEAD_BRANCH));
  bundle->commit = st_text_in(OF(HEAD_SHA));
  bundle->about = st_text_in(OF(EVENT));
  bundle->verdict = OF(CONCLUSION)->type == ST_TEXT ? st_text_in(OF(CONCLUSION)) : st_text_of("unknown");
  add_parts(g, bundle, OF(ID));
}

/* The runs first, then their parts: one statement at a time. */
void st_gather_runs(st_gathering *g, const st_value *ids) {
  st_value runs[ST_CLAIMED_MOST][ST_R_CAPTURE_READ_RUNS_TO_LEARN_CONCLUSION + 1];
  size_t count = 0;
  st_rows rows;
  st_rows_start(g->call, &rows, STELE_M_CAPTURE_READ_RUNS_TO_LEARN, ids);
  while (count < ST_CLAIMED_MOST && st_rows_next(g->call, &rows)) st_rows_keep(g->call, &rows, runs[count++]);
  st_rows_end(g->call, &rows);
  for (size_t i = 0; i < count && st_ok(g->call); i++) add(g, runs[i]);
}
