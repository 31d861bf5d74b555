/* embedding.c - embeddings of knowledge nodes are kept, and those that are missing told. */
#include "base/vector.h"
#include "stores/capture/capture.h"
#include "stores/capture/nodes.h"

#define ARG(name) (&call->args[ST_P_CAPTURE_SAVE_NODE_EMBEDDING_##name])

enum { MILLIS = 1000 };

static void write_vector(st_call *call, const st_value *id, const st_value *embed_text, int64_t dimension) {
  st_value args[ST_P_CAPTURE_WRITE_NODE_VECTOR_TEXT_HASH + 1];
  args[ST_P_CAPTURE_WRITE_NODE_VECTOR_COLLECTION] = *ARG(COLLECTION);
  args[ST_P_CAPTURE_WRITE_NODE_VECTOR_ID] = *id;
  args[ST_P_CAPTURE_WRITE_NODE_VECTOR_MODEL] = *ARG(MODEL);
  args[ST_P_CAPTURE_WRITE_NODE_VECTOR_DIMENSION] = st_int(dimension);
  args[ST_P_CAPTURE_WRITE_NODE_VECTOR_VECTOR] = *ARG(VECTOR);
  args[ST_P_CAPTURE_WRITE_NODE_VECTOR_TEXT_HASH] = st_int(st_node_hash(embed_text));
  st_run(call, STELE_M_CAPTURE_WRITE_NODE_VECTOR, args);
}

void st_capture_save_node_embedding(st_call *call) {
  int64_t dimension = (int64_t)(ARG(VECTOR)->length / ST_VECTOR_BYTES);
  st_value node[ST_R_CAPTURE_FIND_NODE_TEXT_EMBED_TEXT + 1];
  if (ARG(MODEL)->length == 0) st_fail(call, STELE_INVALID, "model", "model must not be empty");
  st_vector_check(call, ARG(COLLECTION), ARG(VECTOR), ARG(MODEL));
  if (!st_one(call, STELE_M_CAPTURE_FIND_NODE_TEXT, ARG(UUID), node)) {
    st_fail(call, STELE_NOTFOUND, "uuid", "uuid %s does not exist", ARG(UUID)->bytes);
    return;
  }
  write_vector(call, &node[ST_R_CAPTURE_FIND_NODE_TEXT_ID], &node[ST_R_CAPTURE_FIND_NODE_TEXT_EMBED_TEXT], dimension);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_SAVE_NODE_EMBEDDING_ID] = node[ST_R_CAPTURE_FIND_NODE_TEXT_ID];
  reply[ST_R_CAPTURE_SAVE_NODE_EMBEDDING_DIMENSION] = st_int(dimension);
}

/* ---- those that are missing ---- */

static bool is_embedded(st_call *call, st_rows *rows) {
  st_value embed_text, hash;
  st_rows_value(call, rows, ST_R_CAPTURE_SCAN_EMBEDDED_NODES_EMBED_TEXT, &embed_text);
  st_rows_value(call, rows, ST_R_CAPTURE_SCAN_EMBEDDED_NODES_TEXT_HASH, &hash);
  return hash.type == ST_INT && hash.integer == st_node_hash(&embed_text);
}

/* The columns of scan_embedded_nodes but the last. */
static void reply_node(st_call *call, st_rows *rows) {
  st_value *reply = st_reply(call);
  for (size_t i = 0; reply && i <= ST_R_CAPTURE_LIST_UNEMBEDDED_NODES_CREATED_AT; i++) {
    st_rows_value(call, rows, i, &reply[i]);
    if (reply[i].type == ST_TEXT) reply[i] = st_call_text(call, reply[i].bytes, reply[i].length);
  }
}
_Static_assert((int)ST_R_CAPTURE_LIST_UNEMBEDDED_NODES_CREATED_AT == (int)ST_R_CAPTURE_SCAN_EMBEDDED_NODES_CREATED_AT,
               "both methods begin with the same results");

void st_capture_list_unembedded_nodes(st_call *call) {
  const st_value *given = call->args;
  int64_t limit = st_arg_int(call, ST_P_CAPTURE_LIST_UNEMBEDDED_NODES_LIMIT);
  int64_t age = st_arg_int(call, ST_P_CAPTURE_LIST_UNEMBEDDED_NODES_OLDER_THAN);
  int64_t now = given[ST_P_CAPTURE_LIST_UNEMBEDDED_NODES_NOW].integer;
  st_value before = st_int(now - age * MILLIS);
  st_rows rows;
  st_rows_stream(call, &rows, STELE_M_CAPTURE_SCAN_EMBEDDED_NODES,
                 (st_value[]){given[ST_P_CAPTURE_LIST_UNEMBEDDED_NODES_COLLECTION], before});
  while (limit > 0 && st_rows_next(call, &rows)) {
    if (is_embedded(call, &rows)) continue;
    reply_node(call, &rows);
    limit--;
  }
  st_rows_end(call, &rows);
}
