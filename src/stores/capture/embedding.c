/* embedding.c - embeddings of knowledge nodes are kept, and those that are missing told. */
#include <stdio.h>

#include "base/vector.h"
#include "search/meaning.h"
#include "stores/capture/capture.h"
#include "stores/capture/nodes.h"

#define ARG(name) (&call->args[ST_P_CAPTURE_SAVE_NODE_EMBEDDING_##name])

enum { MILLIS = 1000 };

static void keep(st_call *call, int64_t node, const st_value *embed_text, size_t dimension) {
  float *vector = st_call_alloc(call, dimension * sizeof *vector);
  char id[32];
  if (!vector) return;
  snprintf(id, sizeof id, "%lld", (long long)node);
  st_vector_read(ARG(VECTOR)->bytes, dimension, vector);
  st_meaning_keep(call, &(st_embedding){.kind = st_node_kind(ARG(COLLECTION)), .id = id, .model = ARG(MODEL)->bytes, .vector = vector,
                                        .dimension = dimension, .text_hash = st_meaning_hash(embed_text, 1), .origin = ST_ORIGIN_CALLER});
  st_run(call, STELE_M_CAPTURE_SET_EMBED_MODEL, ARG(MODEL));
}

void st_capture_save_node_embedding(st_call *call) {
  size_t dimension = ARG(VECTOR)->length / ST_VECTOR_BYTES;
  st_value node[ST_R_CAPTURE_FIND_NODE_TEXT_EMBED_TEXT + 1];
  if (ARG(MODEL)->length == 0) st_fail(call, STELE_INVALID, "model", "model must not be empty");
  st_vector_check(call, ARG(COLLECTION), ARG(VECTOR), ARG(MODEL));
  if (!st_one(call, STELE_M_CAPTURE_FIND_NODE_TEXT, ARG(UUID), node)) {
    st_fail(call, STELE_NOTFOUND, "uuid", "uuid %s does not exist", ARG(UUID)->bytes);
    return;
  }
  keep(call, node[ST_R_CAPTURE_FIND_NODE_TEXT_ID].integer, &node[ST_R_CAPTURE_FIND_NODE_TEXT_EMBED_TEXT], dimension);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_SAVE_NODE_EMBEDDING_ID] = node[ST_R_CAPTURE_FIND_NODE_TEXT_ID];
  reply[ST_R_CAPTURE_SAVE_NODE_EMBEDDING_DIMENSION] = st_int((int64_t)dimension);
}

/* ---- those that are missing ---- */

static bool is_embedded(st_call *call, st_rows *rows) {
  st_value embed_text, hash;
  st_rows_value(call, rows, ST_R_CAPTURE_SCAN_EMBEDDED_NODES_EMBED_TEXT, &embed_text);
  st_rows_value(call, rows, ST_R_CAPTURE_SCAN_EMBEDDED_NODES_TEXT_HASH, &hash);
  return hash.type == ST_INT && (uint64_t)hash.integer == st_meaning_hash(&embed_text, 1);
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
                 (st_value[]){st_textz(st_node_kind(&given[ST_P_CAPTURE_LIST_UNEMBEDDED_NODES_COLLECTION])), before});
  while (limit > 0 && st_rows_next(call, &rows)) {
    if (is_embedded(call, &rows)) continue;
    reply_node(call, &rows);
    limit--;
  }
  st_rows_end(call, &rows);
}
