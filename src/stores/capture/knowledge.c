/* knowledge.c - what was learned from tickets becomes a node, in one transaction with their completion. */
#include <string.h>

#include "registry_ids.h"
#include "stores/capture/capture.h"
#include "stores/capture/entities.h"
#include "stores/capture/queues.h"

#define ARG(name) (&call->args[ST_P_CAPTURE_WRITE_KNOWLEDGE_NODE_##name])

static void complete_all(st_call *call) {
  st_outcome done = {.status = "done", .error = {.type = ST_NULL}, .now = *ARG(NOW)};
  const st_value *tickets = ARG(TICKETS);
  if (tickets->count == 0) st_fail(call, STELE_INVALID, "tickets", "tickets: a node is learned from one at least");
  for (size_t i = 0; i < tickets->count && st_ok(call); i++)
    st_capture_settle(call, ARG(QUEUE), &tickets->items[i], ARG(TOKEN), &done);
}

static bool is_queue(const st_call *call, const char *name) { return strcmp(ARG(QUEUE)->bytes, name) == 0; }

/* Earlier observations of the same segments go; answers how many. */
static int64_t replace(st_call *call) {
  int64_t replaced = 0;
  st_value node;
  while (is_queue(call, "agentic") && st_one(call, STELE_M_CAPTURE_FIND_REPLACED_NODE, ARG(TICKETS), &node)) {
    st_run(call, STELE_M_CAPTURE_REMOVE_NODE, (st_value[]){node, *ARG(NOW)});
    replaced++;
  }
  return replaced;
}

enum { ID = ST_R_CAPTURE_INSERT_NODE_ID, UUID = ST_R_CAPTURE_INSERT_NODE_UUID, NODE = UUID + 1 };
_Static_assert((int)ST_R_CAPTURE_FIND_SAME_NODE_ID == ID && (int)ST_R_CAPTURE_FIND_SAME_NODE_UUID == UUID,
               "a node that is found is told as one that is written");

/* Pages and runs often say what is known. */
static bool find_same(st_call *call, st_value node[NODE]) {
  st_value args[ST_P_CAPTURE_FIND_SAME_NODE_NODE_TYPE + 1] = {*ARG(CONTENT), *ARG(EMBED_TEXT), *ARG(NODE_TYPE)};
  return (is_queue(call, "browser") || is_queue(call, "workflow")) &&
         st_one(call, STELE_M_CAPTURE_FIND_SAME_NODE, args, node);
}

static void insert(st_call *call, st_value node[NODE]) {
  st_value args[ST_P_CAPTURE_INSERT_NODE_NOW + 1] = {*ARG(UUID), *ARG(CONTENT), *ARG(EMBED_TEXT), *ARG(NODE_TYPE)};
  args[ST_P_CAPTURE_INSERT_NODE_OUTCOME] = *ARG(OUTCOME);
  args[ST_P_CAPTURE_INSERT_NODE_TAGS] = *ARG(TAGS);
  args[ST_P_CAPTURE_INSERT_NODE_ENRICHMENT_MODEL] = *ARG(ENRICHMENT_MODEL);
  args[ST_P_CAPTURE_INSERT_NODE_ENRICHMENT_VERSION] = *ARG(ENRICHMENT_VERSION);
  args[ST_P_CAPTURE_INSERT_NODE_NOW] = *ARG(NOW);
  if (!st_one(call, STELE_M_CAPTURE_INSERT_NODE, args, node))
    st_fail(call, STELE_INVALID, "uuid", "uuid %s exists already", ARG(UUID)->bytes);
  st_capture_node_entities(call, ARG(ENTITIES), &node[ID], ARG(NOW));
}

void st_capture_write_knowledge_node(st_call *call) {
  st_value node[NODE] = {{0}};
  complete_all(call);
  int64_t replaced = replace(call);
  if (!find_same(call, node) && st_ok(call)) insert(call, node);
  const st_value *tickets = ARG(TICKETS);
  for (size_t i = 0; i < tickets->count && st_ok(call); i++)
    st_run(call, STELE_M_CAPTURE_LINK_NODE, (st_value[]){*ARG(QUEUE), tickets->items[i], node[ID]});
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_WRITE_KNOWLEDGE_NODE_ID] = node[ID];
  reply[ST_R_CAPTURE_WRITE_KNOWLEDGE_NODE_UUID] = node[UUID];
  reply[ST_R_CAPTURE_WRITE_KNOWLEDGE_NODE_REPLACED] = st_int(replaced);
}
