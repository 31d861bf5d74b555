/* knowledge.c - what was learned from tickets becomes a node, in one transaction with their completion. */
#include <string.h>

#include "registry_ids.h"
#include "stores/capture/capture.h"
#include "stores/capture/entities.h"
#include "stores/capture/node_content.h"
#include "stores/capture/queues.h"

#define AROUND_RUN (15 * 60 * 1000) /* milliseconds: what happened so long before or after a run has to do with it */

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

static st_value type_of(const st_call *call) {
  if (ARG(NODE_TYPE)->type == ST_TEXT) return *ARG(NODE_TYPE);
  return st_textz(is_queue(call, "workflow") ? "change_outcome" : "observation");
}

/* Pages and runs often say what is known. */
static bool find_same(st_call *call, st_value node[NODE]) {
  st_value args[ST_P_CAPTURE_FIND_SAME_NODE_NODE_TYPE + 1] = {*ARG(CONTENT), *ARG(EMBED_TEXT), type_of(call)};
  return (is_queue(call, "browser") || is_queue(call, "workflow")) &&
         st_one(call, STELE_M_CAPTURE_FIND_SAME_NODE, args, node);
}

/* What the node says. */
typedef struct said {
  const st_json *content;
  st_value outcome, tags;
} said;

/* What was named, or else what the content names. */
static st_value entities_of(st_call *call, const st_json *content) {
  st_entity_place place = {.home = ARG(HOME), .roots = ARG(PROJECT_ROOTS), .now = ARG(NOW)};
  return ARG(ENTITIES)->type == ST_RECORDS ? *ARG(ENTITIES) : st_node_content_entities(call, content, &place);
}

static void insert(st_call *call, const said *says, st_value node[NODE]) {
  st_value entities = entities_of(call, says->content);
  st_value args[ST_P_CAPTURE_INSERT_NODE_NOW + 1] = {*ARG(UUID), *ARG(CONTENT), *ARG(EMBED_TEXT), type_of(call)};
  args[ST_P_CAPTURE_INSERT_NODE_OUTCOME] = says->outcome;
  args[ST_P_CAPTURE_INSERT_NODE_TAGS] = says->tags;
  args[ST_P_CAPTURE_INSERT_NODE_ENRICHMENT_MODEL] = *ARG(ENRICHMENT_MODEL);
  args[ST_P_CAPTURE_INSERT_NODE_ENRICHMENT_VERSION] = *ARG(ENRICHMENT_VERSION);
  args[ST_P_CAPTURE_INSERT_NODE_NOW] = *ARG(NOW);
  if (!st_one(call, STELE_M_CAPTURE_INSERT_NODE, args, node))
    st_fail(call, STELE_INVALID, "uuid", "uuid %s exists already", ARG(UUID)->bytes);
  st_capture_node_entities(call, &entities, &node[ID], ARG(NOW));
}

static said check(st_call *call) {
  const st_value *text = ARG(EMBED_TEXT);
  said says = {0};
  if (text->bytes[strspn(text->bytes, " \t\r\n")] == '\0')
    st_fail(call, STELE_INVALID, "embed_text", "embed_text must not be blank");
  st_node_tags_check(call, ARG(TAGS));
  says.content = st_node_content_read(call, ARG(CONTENT));
  says.outcome = st_node_outcome(call, says.content, ARG(OUTCOME));
  says.tags = st_node_tags(call, says.content, ARG(TAGS));
  return says;
}

/* What the node was learned from. */
static void link_node(st_call *call, const st_value *node) {
  const st_value *tickets = ARG(TICKETS);
  for (size_t i = 0; i < tickets->count && st_ok(call); i++) {
    st_run(call, STELE_M_CAPTURE_LINK_NODE, (st_value[]){*ARG(QUEUE), tickets->items[i], *node});
    if (is_queue(call, "workflow"))
      st_run(call, STELE_M_CAPTURE_LINK_RUN_NODE, (st_value[]){tickets->items[i], *node, st_int(AROUND_RUN)});
  }
  if (is_queue(call, "shell")) st_run(call, STELE_M_CAPTURE_LINK_SHOWN_ENTITIES, (st_value[]){*node, *ARG(NOW)});
}

void st_capture_write_knowledge_node(st_call *call) {
  st_value node[NODE] = {{0}};
  said says = check(call);
  complete_all(call);
  int64_t replaced = replace(call);
  if (!find_same(call, node) && st_ok(call)) insert(call, &says, node);
  link_node(call, &node[ID]);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_WRITE_KNOWLEDGE_NODE_ID] = node[ID];
  reply[ST_R_CAPTURE_WRITE_KNOWLEDGE_NODE_UUID] = node[UUID];
  reply[ST_R_CAPTURE_WRITE_KNOWLEDGE_NODE_REPLACED] = st_int(replaced);
}
