/* consolidate.c - planner.consolidate_facts: all or nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "registry_ids.h"
#include "stores/planner/planner.h"
#include "stores/planner/told.h"

#define IDS_MAX (1u << 20) /* bytes */

/* A fact that is named, and where. */
typedef struct named {
  int64_t id;
  const char *list;
  uint32_t index;
} named;

static int by_id(const void *a, const void *b) {
  const named *one = a, *other = b;
  if (one->id != other->id) return one->id < other->id ? -1 : 1;
  return (one->list > other->list) - (one->list < other->list);
}

static const st_value *item(const st_value *list, uint32_t i) {
  return list->items + (size_t)i * list->width;
}

static size_t add_named(named *to, const char *name, const st_value *list) {
  for (uint32_t i = 0; i < list->count; i++) to[i] = (named){item(list, i)->integer, name, i};
  return list->count;
}

/* The number of a fact comes first in a record of update_fact. */
_Static_assert(ST_P_PLANNER_UPDATE_FACT_ID == 0, "update_fact begins with id");

static void check_named_once(st_call *call, const st_value *keep, const st_value *update, const st_value *delete) {
  size_t count = (size_t)keep->count + update->count + delete->count, at = 0;
  named *all = st_call_alloc(call, (count + 1) * sizeof *all);
  if (!all) return;
  at += add_named(all, "keep", keep);
  at += add_named(all + at, "update", update);
  add_named(all + at, "delete", delete);
  qsort(all, count, sizeof *all, by_id);
  for (size_t i = 1; i < count; i++)
    if (all[i].id == all[i - 1].id)
      st_fail(call, STELE_INVALID, all[i].list, "%s: fact %lld is named twice", all[i].list, (long long)all[i].id);
}

static void check_there(st_call *call, const char *list, int64_t id, bool there) {
  if (!there) st_fail(call, STELE_NOTFOUND, list, "%s: fact %lld does not exist", list, (long long)id);
}

static void check_kept(st_call *call, const st_value *keep) {
  st_value id;
  for (uint32_t i = 0; i < keep->count && st_ok(call); i++)
    check_there(call, "keep", item(keep, i)->integer,
                st_one(call, STELE_M_PLANNER_LOOK_FACT, item(keep, i), &id));
}

static void update_each(st_call *call, const st_value *update) {
  for (uint32_t i = 0; i < update->count && st_ok(call); i++)
    check_there(call, "update", item(update, i)->integer,
                st_run(call, STELE_M_PLANNER_UPDATE_FACT, item(update, i)) > 0);
}

static void delete_each(st_call *call, const st_value *delete) {
  for (uint32_t i = 0; i < delete->count && st_ok(call); i++) {
    st_value one = {.type = ST_LIST, .items = item(delete, i), .count = 1, .width = 1};
    check_there(call, "delete", item(delete, i)->integer, st_run(call, STELE_M_PLANNER_DELETE_FACTS, &one) > 0);
  }
}

/* Their numbers go into ids; how many were not known yet. */
static int64_t insert_each(st_call *call, const st_value *facts, st_str *ids) {
  int64_t inserted = 0;
  for (uint32_t i = 0; i < facts->count && st_ok(call); i++) {
    char place[30];
    bool existing;
    snprintf(place, sizeof place, "insert[%u].", i);
    if (i) st_str_addc(ids, ',');
    st_json_add_int(ids, st_planner_keep_fact(call, item(facts, i), place, &existing));
    inserted += !existing;
  }
  return inserted;
}

static int64_t count_facts(st_call *call) {
  st_value count = st_int(0);
  st_one(call, STELE_M_PLANNER_COUNT_FACTS, NULL, &count);
  return count.integer;
}

static void check_left(st_call *call, int64_t before) {
  double least = st_arg_real(call, ST_P_PLANNER_CONSOLIDATE_FACTS_KEEP_AT_LEAST);
  int64_t left = count_facts(call);
  if (st_ok(call) && (double)left < least * (double)before)
    st_fail(call, STELE_INVALID, "keep_at_least",
            "keep_at_least: of %lld facts %lld would be left, which is less than %.15g of them", (long long)before,
            (long long)left, least);
}

void st_planner_consolidate_facts(st_call *call) {
  const st_value *keep = &call->args[ST_P_PLANNER_CONSOLIDATE_FACTS_KEEP];
  const st_value *update = &call->args[ST_P_PLANNER_CONSOLIDATE_FACTS_UPDATE];
  const st_value *delete = &call->args[ST_P_PLANNER_CONSOLIDATE_FACTS_DELETE];
  st_str ids;
  check_named_once(call, keep, update, delete);
  int64_t before = count_facts(call);
  check_kept(call, keep);
  update_each(call, update);
  delete_each(call, delete);
  st_str_init(&ids, IDS_MAX);
  st_str_addc(&ids, '[');
  int64_t inserted = insert_each(call, &call->args[ST_P_PLANNER_CONSOLIDATE_FACTS_INSERT], &ids);
  st_str_addc(&ids, ']');
  check_left(call, before);
  st_value told = st_take(call, &ids), *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_PLANNER_CONSOLIDATE_FACTS_KEPT] = st_int(keep->count);
  reply[ST_R_PLANNER_CONSOLIDATE_FACTS_UPDATED] = st_int(update->count);
  reply[ST_R_PLANNER_CONSOLIDATE_FACTS_DELETED] = st_int(delete->count);
  reply[ST_R_PLANNER_CONSOLIDATE_FACTS_INSERTED] = st_int(inserted);
  reply[ST_R_PLANNER_CONSOLIDATE_FACTS_IDS] = told;
}
