/* learned.c - see learned.h. */
#include "enrich/learned.h"

#include <string.h>

#include "engine/feature.h"
#include "registry_ids.h"

enum { LESSONS_MOST = 10 }; /* of one run */

static st_value text_value(st_call *call, st_text text) { return st_call_text(call, text.bytes, text.length); }

/* What it speaks about, as upsert_entity is told of each. */
static st_value entities_of(st_call *call, const st_holding *by, const st_names *names) {
  enum { WIDTH = ST_P_CAPTURE_UPSERT_ENTITY_NOW + 1 };
  size_t count = 0;
  st_value *items = st_call_alloc(call, (size_t)ST_NAMES * ST_NAMES_MOST * WIDTH * sizeof *items), *to = items;
  for (int type = 0; items && type < ST_NAMES; type++)
    for (size_t i = 0; i < names->count[type]; i++, to += WIDTH, count++) {
      to[ST_P_CAPTURE_UPSERT_ENTITY_TYPE] = st_textz(st_name_entity((st_name_type)type));
      to[ST_P_CAPTURE_UPSERT_ENTITY_NAME] = text_value(call, names->of[type][i]);
      to[ST_P_CAPTURE_UPSERT_ENTITY_HOME] = by->home;
      to[ST_P_CAPTURE_UPSERT_ENTITY_PROJECT_ROOTS] = by->project_roots;
      to[ST_P_CAPTURE_UPSERT_ENTITY_NOW] = by->now;
    }
  return (st_value){.type = ST_RECORDS, .items = items, .count = (uint32_t)count, .width = WIDTH};
}

st_value st_learned_tickets(st_call *call, const st_bundle *bundle) {
  st_value *items = st_call_alloc(call, (bundle->ticket_count + 1) * sizeof *items);
  for (size_t i = 0; items && i < bundle->ticket_count; i++) items[i] = st_int(bundle->tickets[i]);
  return (st_value){.type = ST_LIST, .items = items, .count = (uint32_t)bundle->ticket_count};
}

static bool write_node(st_call *call, const st_holding *by, const st_enricher *enricher, const st_bundle *bundle, const st_learned *learned,
                       st_value *node, st_error *why) {
  st_value args[ST_P_CAPTURE_WRITE_KNOWLEDGE_NODE_NOW + 1] = {{0}}, row[ST_R_CAPTURE_WRITE_KNOWLEDGE_NODE_REPLACED + 1];
  args[ST_P_CAPTURE_WRITE_KNOWLEDGE_NODE_QUEUE] = by->queue;
  args[ST_P_CAPTURE_WRITE_KNOWLEDGE_NODE_TICKETS] = st_learned_tickets(call, bundle);
  args[ST_P_CAPTURE_WRITE_KNOWLEDGE_NODE_TOKEN] = by->token;
  args[ST_P_CAPTURE_WRITE_KNOWLEDGE_NODE_CONTENT] = text_value(call, learned->content);
  args[ST_P_CAPTURE_WRITE_KNOWLEDGE_NODE_EMBED_TEXT] = text_value(call, learned->embed_text);
  args[ST_P_CAPTURE_WRITE_KNOWLEDGE_NODE_ENRICHMENT_MODEL] = st_textz(enricher->model);
  args[ST_P_CAPTURE_WRITE_KNOWLEDGE_NODE_ENRICHMENT_VERSION] = st_int(enricher->version);
  args[ST_P_CAPTURE_WRITE_KNOWLEDGE_NODE_ENTITIES] = entities_of(call, by, &learned->names);
  args[ST_P_CAPTURE_WRITE_KNOWLEDGE_NODE_NOW] = by->now;
  if (!st_ok(call) || !st_attempt(call, STELE_M_CAPTURE_WRITE_KNOWLEDGE_NODE, args, row, why)) return false;
  *node = row[ST_R_CAPTURE_WRITE_KNOWLEDGE_NODE_ID];
  return true;
}

/* What went wrong in a run again and again becomes a lesson. */
static void record_lessons(st_call *call, const st_holding *by, const st_bundle *bundle, const st_value *node, st_settled *settled) {
  int64_t count = 0;
  for (size_t i = 0; i < bundle->count && count < LESSONS_MOST && st_ok(call); i++) {
    const st_item *item = &bundle->items[i];
    st_value args[ST_P_CAPTURE_RECORD_LESSON_NOW + 1] = {{0}}, row[ST_R_CAPTURE_RECORD_LESSON_OCCURRENCES + 1];
    st_error why;
    if (item->kind != ST_ITEM_FINDING || !st_text_is(item->verdict, "failure")) continue;
    args[ST_P_CAPTURE_RECORD_LESSON_REPO] = text_value(call, bundle->repo);
    args[ST_P_CAPTURE_RECORD_LESSON_TOOL] = text_value(call, item->name);
    args[ST_P_CAPTURE_RECORD_LESSON_RULE_ID] = text_value(call, item->rule);
    args[ST_P_CAPTURE_RECORD_LESSON_PATH] = text_value(call, item->place);
    args[ST_P_CAPTURE_RECORD_LESSON_NODE_ID] = *node;
    args[ST_P_CAPTURE_RECORD_LESSON_NOW] = by->now;
    if (st_attempt(call, STELE_M_CAPTURE_RECORD_LESSON, args, row, &why)) count++;
  }
  settled->lessons += count;
}

/* Settle a ticket in one of the ways that take a reason; one that is not held any more is lost. */
static bool settle(st_call *call, int method, const st_value *args, st_settled *settled) {
  st_value status;
  st_error why;
  bool done = st_ok(call) && st_attempt(call, method, args, &status, &why);
  if (!done && st_ok(call)) settled->lost++;
  return done;
}

void st_learned_fail(st_call *call, const st_holding *by, const st_bundle *bundle, const char *problem, st_settled *settled) {
  for (size_t i = 0; i < bundle->ticket_count; i++) {
    st_value args[ST_P_CAPTURE_FAIL_NOW + 1] = {by->queue, st_int(bundle->tickets[i]), by->token, st_textz(problem)};
    args[ST_P_CAPTURE_FAIL_MAX_RETRIES] = by->max_retries;
    args[ST_P_CAPTURE_FAIL_NOW] = by->now;
    if (settle(call, STELE_M_CAPTURE_FAIL, args, settled)) settled->failed++;
  }
}

void st_learned_release(st_call *call, const st_holding *by, const st_bundle *bundle, const char *reason, st_settled *settled) {
  for (size_t i = 0; i < bundle->ticket_count; i++) {
    st_value args[ST_P_CAPTURE_RELEASE_NOW + 1] = {by->queue, st_int(bundle->tickets[i]), by->token, st_textz(reason), by->now};
    settle(call, STELE_M_CAPTURE_RELEASE, args, settled);
  }
}

void st_learned_skip(st_call *call, const st_holding *by, int64_t ticket, const char *reason, st_settled *settled) {
  st_value args[ST_P_CAPTURE_SKIP_NOW + 1] = {by->queue, st_int(ticket), by->token, st_textz(reason), by->now};
  settle(call, STELE_M_CAPTURE_SKIP, args, settled);
}
_Static_assert((int)ST_P_CAPTURE_RELEASE_REASON == 3 && (int)ST_P_CAPTURE_RELEASE_NOW == 4 && (int)ST_P_CAPTURE_SKIP_REASON == 3 && (int)ST_P_CAPTURE_SKIP_NOW == 4 && (int)ST_P_CAPTURE_FAIL_ERROR == 3,
               "skip, fail and release name a ticket, its token and why");

void st_learned_write(st_call *call, const st_holding *by, const st_enricher *enricher, const st_bundle *bundle, const st_learned *learned,
                      st_settled *settled) {
  st_value node;
  st_error why;
  if (write_node(call, by, enricher, bundle, learned, &node, &why)) {
    settled->learned++;
    if (st_feature_has(call, ST_F_CAPTURE_MODEL_USE))
      st_run(call, STELE_M_CAPTURE_FORGET_TICKET_CALLS, (st_value[]){by->queue, st_learned_tickets(call, bundle)});
    record_lessons(call, by, bundle, &node, settled);
  } else if (st_ok(call) && (why.status == STELE_DENIED || why.status == STELE_NOTFOUND)) {
    settled->lost += (int64_t)bundle->ticket_count;
  } else if (st_ok(call)) {
    char *problem = st_call_copy(call, why.message, strlen(why.message));
    if (problem) st_learned_fail(call, by, bundle, problem, settled);
  }
}
