/* nodes.c - see nodes.h. */
#include "stores/capture/nodes.h"

#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "stores/capture/canonical.h"

#define NAMES_MOST 20
#define NAME_CHARACTERS 200
#define NAMES_MAX (64u << 10) /* bytes of all of them */

/* search_knowledge ends with the filters, scan_nodes begins with them. */
enum { FILTERS = ST_P_CAPTURE_SCAN_NODES_OUTCOME + 1, FIRST = ST_P_CAPTURE_SEARCH_KNOWLEDGE_SINCE };
_Static_assert((int)ST_P_CAPTURE_SCAN_NODES_SINCE == 0 &&
                   (int)FIRST + (int)ST_P_CAPTURE_SCAN_NODES_ENTITY == (int)ST_P_CAPTURE_SEARCH_KNOWLEDGE_ENTITY &&
                   (int)FIRST + (int)ST_P_CAPTURE_SCAN_NODES_OUTCOME == (int)ST_P_CAPTURE_SEARCH_KNOWLEDGE_OUTCOME,
               "both methods have the same filters");

void st_nodes_filter(st_call *call, st_value which[ST_NODES_PARAMS]) {
  memset(which, 0, ST_NODES_PARAMS * sizeof *which);
  memcpy(which, &call->args[FIRST], FILTERS * sizeof *which);
  const st_value *entity = &which[ST_P_CAPTURE_SCAN_NODES_ENTITY];
  st_named named = {.type = "concept", .name = entity->type == ST_TEXT ? entity->bytes : ""};
  which[ST_P_CAPTURE_SCAN_NODES_CANONICAL] = st_capture_canonical(call, &named);
  which[ST_P_CAPTURE_SCAN_NODES_KIND] = st_textz(st_node_kind(&call->args[ST_P_CAPTURE_SEARCH_KNOWLEDGE_COLLECTION]));
  which[ST_P_CAPTURE_SCAN_NODES_DIMENSION] = st_int(0);
}

bool st_nodes_find(st_call *call, int64_t id, st_value node[ST_NODE_VALUES]) {
  st_value args[ST_NODES_PARAMS] = {{0}}, number = st_int(id);
  args[ST_P_CAPTURE_SCAN_NODES_IDS] = (st_value){.type = ST_LIST, .items = &number, .count = 1, .width = 1};
  args[ST_P_CAPTURE_SCAN_NODES_KIND] = st_textz("");
  args[ST_P_CAPTURE_SCAN_NODES_DIMENSION] = st_int(0);
  return st_one(call, STELE_M_CAPTURE_SCAN_NODES, args, node);
}

st_value st_node_summary(st_call *call, const st_value *content) {
  st_json_error error;
  bool text = st_ok(call) && content->type == ST_TEXT;
  const st_json *json = text ? st_json_parse(call->arena, content->bytes, content->length, ST_JSON_LENIENT, &error) : NULL;
  const st_json *summary = json && json->type == ST_JSON_OBJECT ? st_json_get(json, "summary") : NULL;
  if (text && !json && error.nomem) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (!summary || summary->type != ST_JSON_STRING) return st_textz("");
  return (st_value){.type = ST_TEXT, .bytes = summary->text, .length = summary->length};
}

st_value st_node_names(st_call *call, const st_value *id) {
  st_value args[ST_P_CAPTURE_LIST_NODE_NAMES_LIMIT + 1] = {*id, st_int(NAMES_MOST)}, name;
  st_rows rows;
  st_str names;
  st_str_init(&names, NAMES_MAX);
  st_rows_start(call, &rows, STELE_M_CAPTURE_LIST_NODE_NAMES, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, 0, &name);
    if (names.length) st_str_addz(&names, ", ");
    if (name.type == ST_TEXT) st_str_add(&names, name.bytes, st_utf8_cut(name.bytes, name.length, NAME_CHARACTERS));
  }
  st_rows_end(call, &rows);
  return st_take(call, &names);
}

/* ---- by time ---- */

typedef struct timing {
  st_call *call;
  st_rank rank;
} timing;

static void take_time(void *to, st_rows *rows) {
  timing *t = to;
  st_value id, captured_at;
  st_rows_value(t->call, rows, ST_R_CAPTURE_SCAN_NODES_ID, &id);
  st_rows_value(t->call, rows, ST_R_CAPTURE_SCAN_NODES_CAPTURED_AT, &captured_at);
  st_rank_offer(&t->rank, (st_hit){.id = id.integer, .time = (double)captured_at.integer});
}

void st_nodes_latest(st_call *call, const st_value *which, int k, st_found *found) {
  timing t = {.call = call, .rank = {.order = ST_ORDER_NEWEST, .k = k}};
  bool all = false;
  *found = (st_found){0};
  t.rank.hits = st_call_alloc(call, (size_t)k * sizeof *t.rank.hits);
  for (int most = ST_NODES_FIRST; st_ok(call) && !all && t.rank.count < k; most *= ST_NODES_DEEPER) {
    st_node_candidates candidates = {.every = false};
    t.rank.count = 0;
    all = st_nodes_candidates(call, which, NULL, ST_ORDER_NEWEST, most, &candidates) || most >= ST_NODES_DEEPEST;
    st_nodes_read(call, which, &candidates, take_time, &t);
  }
  if (!st_ok(call)) return;
  st_rank_finish(&t.rank);
  *found = (st_found){t.rank.hits, t.rank.count, t.rank.count};
}
