/* timeline.c - recall.timeline: what happened around a find, in all stores. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "recall/asked.h"
#include "recall/found.h"
#include "recall/recall.h"
#include "recall/seen.h"
#include "recall/shown.h"
#include "registry_ids.h"
#include "search/query.h"

#define AT_ONCE 64 /* at most so many at the same time are put in their order */

_Static_assert((int)ST_P_RECALL_TIMELINE_ROLES == (int)ST_P_RECALL_TIMELINE_STORES + ST_WANTED_LISTS - 1, "the lists stand together");

/* ---- Listing ---- */

typedef struct listing {
  double at;
  int before, after;
  st_documents_found earlier, later; /* in the store last asked */
} listing;

static void list(st_asked_store *store, void *with) {
  listing *l = with;
  st_document_filter earlier = store->filter, later = store->filter;
  l->earlier = l->later = (st_documents_found){0};
  earlier.until = fmin(earlier.until, l->at);
  later.since = fmax(later.since, l->at);
  if (l->before) st_documents_list(&store->part, &earlier, ST_ORDER_NEWEST, l->before, &l->earlier);
  st_documents_list(&store->part, &later, ST_ORDER_OLDEST, l->after + AT_ONCE, &l->later);
}

static void add(st_recalled_list *to, int store, const st_documents_found *found) {
  for (int i = 0; i < found->count; i++) {
    const st_document_hit *hit = &found->hits[i];
    to->rows[to->count++] = (st_recalled){.store = store, .kind = hit->kind, .id = hit->id, .time = hit->time};
  }
}

/* Room for one more: what was asked about may not be among them. */
static void list_all(st_asked_stores *asked, listing *l, st_recalled_list *out) {
  size_t room = (size_t)asked->count * (size_t)(l->before + l->after + AT_ONCE) + 2;
  *out = (st_recalled_list){st_call_alloc(asked->call, room * sizeof *out->rows), 0};
  for (int i = 0; i < asked->count && out->rows; i++) {
    if (!st_asked_run(asked, i, list, l)) continue;
    add(out, i, &l->earlier);
    add(out, i, &l->later);
  }
}

/* ---- In one order ---- */

/* Keys that are numbers count as such. */
static int by_id(const char *one, const char *other) {
  size_t length = strlen(one), other_length = strlen(other);
  bool numbers = strspn(one, "0123456789") == length && strspn(other, "0123456789") == other_length;
  if (numbers && length != other_length) return length < other_length ? -1 : 1;
  return strcmp(one, other);
}

static int by_time(const void *a, const void *b) {
  const st_recalled *one = a, *other = b;
  if (one->time != other->time) return one->time < other->time ? -1 : 1;
  if (one->store != other->store) return one->store - other->store;
  int kind = strcmp(one->kind, other->kind);
  return kind ? kind : by_id(one->id, other->id);
}

static void sort(st_recalled_list *list) { qsort(list->rows, (size_t)list->count, sizeof *list->rows, by_time); }

/* How many are from before. */
static int place_of_time(st_recalled_list *list, double at) {
  int place = 0;
  sort(list);
  while (place < list->count && list->rows[place].time < at) place++;
  return place;
}

/* Its place among them; it is put there if the filters left it out. */
static int place_of(st_recalled_list *list, const st_recalled *here) {
  int place = -1;
  for (int i = 0; i < list->count && place < 0; i++)
    if (st_recalled_same(&list->rows[i], here)) place = i;
  if (place < 0) list->rows[list->count++] = *here;
  sort(list);
  for (place = 0; !st_recalled_same(&list->rows[place], here);) place++;
  return place;
}

/* ---- The reply ---- */

/* Passing over the store of what was asked about would leave nothing to answer: the call fails as that store did. */
static void fail_as(st_call *call, const st_asked_stores *asked) {
  if (asked->problem.status != STELE_OK) *call->error = asked->problem;
}

static void tell(st_asked_stores *asked, st_recalled *rows, int count, int here) {
  st_call *call = asked->call;
  const st_query *empty = st_query_parse(call->arena, "", 0);
  st_matcher *nothing = empty ? st_matcher_new(call->arena, empty) : NULL;
  st_budget budget = st_budget_of(call, ST_P_RECALL_TIMELINE_TOKENS, count);
  if (!nothing) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_recalled_read(asked, rows, count);
  if (here >= 0 && rows[here].document.id.type <= ST_NULL) fail_as(call, asked); /* around what? */
  for (int i = 0; i < count && st_ok(call) && !st_budget_is_spent(&budget); i++) {
    st_value *out = rows[i].document.id.type > ST_NULL ? st_reply(call) : NULL;
    if (!out) continue;
    st_show(asked, &rows[i], nothing, &budget, out);
    out[ST_R_RECALL_TIMELINE_MARK] = st_shown_mark(asked, &rows[i]);
    out[ST_R_RECALL_TIMELINE_HERE] = st_bool(i == here);
  }
}

/* What was asked about; its store is asked too, whatever the filters say. */
static bool find_here(st_call *call, st_wanted *wanted, st_recalled *here) {
  st_value none = {.type = ST_LIST, .count = 0, .width = 1};
  st_value refs = {.type = ST_LIST, .items = &call->args[ST_P_RECALL_TIMELINE_REF], .count = 1, .width = 1};
  st_asked_stores asked;
  st_seen_read(call, "ref", &refs, wanted->sessions ? wanted->sessions : &none, &asked, here);
  if (st_ok(call)) fail_as(call, &asked);
  if (!st_ok(call)) return false;
  if (here->document.id.type <= ST_NULL) {
    st_fail(call, STELE_NOTFOUND, "ref", "ref %.200s is not there, or may not be seen", refs.items->bytes);
    return false;
  }
  wanted->also = asked.stores[here->store].part.store->store->name;
  return true;
}

/* The time that is asked about, and what happened then if that was said.  False: the call has failed. */
static bool find_place(st_call *call, st_wanted *wanted, st_recalled *here, double *at) {
  if (st_has(call, ST_P_RECALL_TIMELINE_REF)) {
    if (!find_here(call, wanted, here)) return false;
    *at = here->time;
  } else {
    *at = st_has(call, ST_P_RECALL_TIMELINE_AT) ? st_arg_real(call, ST_P_RECALL_TIMELINE_AT) : (double)st_time_now() / 1e6;
  }
  return true;
}

void st_recall_timeline(st_call *call) {
  st_wanted wanted = st_wanted_of(call, ST_P_RECALL_TIMELINE_STORES);
  listing l = {.before = (int)st_arg_int(call, ST_P_RECALL_TIMELINE_BEFORE),
               .after = (int)st_arg_int(call, ST_P_RECALL_TIMELINE_AFTER)};
  double window = st_arg_real(call, ST_P_RECALL_TIMELINE_WINDOW);
  st_asked_stores asked;
  st_recalled_list found = {0};
  st_recalled here = {.id = NULL};
  if (!find_place(call, &wanted, &here, &l.at)) return;
  if (window > 0) wanted.since = l.at - window;
  if (window > 0) wanted.until = nextafter(l.at + window, HUGE_VAL);
  st_asked_open(call, &wanted, &asked);
  if (st_ok(call)) list_all(&asked, &l, &found);
  if (!st_ok(call)) return;
  if (here.id) here.store = st_asked_find_store(&asked, wanted.also);
  int place = here.id ? place_of(&found, &here) : place_of_time(&found, l.at);
  int from = place > l.before ? place - l.before : 0, to = place + l.after + (here.id != NULL);
  tell(&asked, found.rows + from, (to < found.count ? to : found.count) - from, here.id ? place - from : -1);
}
