/* node_vectors.c - nodes that are near in meaning.  See nodes.h. */
#include <string.h>

#include "base/hash.h"
#include "base/vector.h"
#include "engine/feature.h"
#include "vector/cosine.h"
#include "stores/capture/nodes.h"

#define WORD_SHOWN 100 /* bytes of a model's name */

int64_t st_node_hash(const st_value *embed_text) {
  bool text = embed_text->type == ST_TEXT;
  return (int64_t)st_hash64(0, text ? embed_text->bytes : "", text ? embed_text->length : 0);
}

static void check_model(st_call *call, const char *known, const st_value *model) {
  if (model->type != ST_TEXT || strcmp(known, model->bytes) == 0) return;
  st_fail(call, STELE_INVALID, "model", "model: the embeddings here are made by %.*s, and cannot be compared with those of %.*s",
          WORD_SHOWN, known, WORD_SHOWN, model->bytes);
  st_hint(call, "embed with that model; capture.clear_embeddings forgets all embeddings, so that another can be used");
}

void st_vector_check(st_call *call, const st_value *collection, const st_value *vector, const st_value *model) {
  st_value known[ST_R_CAPTURE_LOOK_EMBEDDINGS_DIMENSION + 1];
  long long numbers = (long long)(vector->length / ST_VECTOR_BYTES);
  if (!st_vector_points(vector->bytes, (size_t)numbers))
    st_fail(call, STELE_INVALID, "vector", "vector must not be zeros only");
  if (!st_one(call, STELE_M_CAPTURE_LOOK_EMBEDDINGS, collection, known)) return;
  const st_value *name = &known[ST_R_CAPTURE_LOOK_EMBEDDINGS_MODEL];
  const st_value *dimension = &known[ST_R_CAPTURE_LOOK_EMBEDDINGS_DIMENSION];
  if (name->type == ST_TEXT) check_model(call, name->bytes, model);
  if (dimension->type == ST_INT && dimension->integer != numbers)
    st_fail(call, STELE_INVALID, "vector", "vector has %lld numbers, the embeddings of %s have %lld", numbers, collection->bytes,
            (long long)dimension->integer);
}

/* ---- reading ---- */

/* The numbers of a node's embedding, if it is of the text that the node has; false: there is none. */
static bool read_vector(const st_value *embed_text, const st_value *vector, const st_value *hash, size_t dimension, float *out) {
  if (vector->type != ST_BLOB || vector->length != dimension * ST_VECTOR_BYTES) return false;
  if (hash->type != ST_INT || hash->integer != st_node_hash(embed_text)) return false;
  st_vector_read(vector->bytes, dimension, out);
  return true;
}

void st_nodes_near(st_call *call, const st_value *which, const st_value *vector, int k, st_found *found) {
  size_t dimension = vector->length / ST_VECTOR_BYTES;
  float *wanted = st_call_alloc(call, dimension * sizeof *wanted), *read = st_call_alloc(call, dimension * sizeof *read);
  st_rank rank = {.order = ST_ORDER_RANK, .k = k};
  st_value id, embed_text, kept, hash, args[ST_NODES_PARAMS];
  st_rows rows;
  memcpy(args, which, sizeof args);
  args[ST_P_CAPTURE_SCAN_NODES_DIMENSION] = st_int((int64_t)dimension);
  *found = (st_found){0};
  rank.hits = st_call_alloc(call, (size_t)k * sizeof *rank.hits);
  if (!st_ok(call)) return;
  st_vector_read(vector->bytes, dimension, wanted);
  st_rows_stream(call, &rows, STELE_M_CAPTURE_SCAN_NODES, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_CAPTURE_SCAN_NODES_ID, &id);
    st_rows_value(call, &rows, ST_R_CAPTURE_SCAN_NODES_EMBED_TEXT, &embed_text);
    st_rows_value(call, &rows, ST_R_CAPTURE_SCAN_NODES_VECTOR, &kept);
    st_rows_value(call, &rows, ST_R_CAPTURE_SCAN_NODES_TEXT_HASH, &hash);
    if (read_vector(&embed_text, &kept, &hash, dimension, read))
      st_rank_offer(&rank, (st_hit){.id = id.integer, .score = st_cosine(wanted, read, dimension)});
  }
  st_rows_end(call, &rows);
  st_rank_finish(&rank);
  *found = (st_found){rank.hits, rank.count, rank.count};
}

static void take_vector(st_call *call, st_rows *rows, size_t dimension, const int64_t *ids, int count, st_choice *out) {
  st_value id, embed_text, vector, hash;
  float *numbers = st_call_alloc(call, dimension * sizeof *numbers);
  st_rows_value(call, rows, ST_R_CAPTURE_READ_NODE_VECTORS_ID, &id);
  st_rows_value(call, rows, ST_R_CAPTURE_READ_NODE_VECTORS_EMBED_TEXT, &embed_text);
  st_rows_value(call, rows, ST_R_CAPTURE_READ_NODE_VECTORS_VECTOR, &vector);
  st_rows_value(call, rows, ST_R_CAPTURE_READ_NODE_VECTORS_TEXT_HASH, &hash);
  if (!numbers || !read_vector(&embed_text, &vector, &hash, dimension, numbers)) return;
  for (int i = 0; i < count; i++)
    if (ids[i] == id.integer) out[i].vector = numbers;
}

/* The key of a node in stele_vectors. */
static st_value key_of(st_call *call, int64_t id) {
  st_str key;
  st_str_init(&key, 32);
  st_str_addf(&key, "%lld", (long long)id);
  return st_take(call, &key);
}

void st_nodes_vectors(st_call *call, const st_value *which, size_t dimension, const int64_t *ids, int count, st_choice *out) {
  st_value *keys = st_call_alloc(call, ((size_t)count + 1) * sizeof *keys), args[ST_P_CAPTURE_READ_NODE_VECTORS_IDS + 1];
  st_rows rows;
  if (!keys || !st_feature_has(call, ST_F_CAPTURE_VECTORS)) return;
  for (int i = 0; i < count; i++) keys[i] = key_of(call, ids[i]);
  args[ST_P_CAPTURE_READ_NODE_VECTORS_COLLECTION] = which[ST_P_CAPTURE_SCAN_NODES_COLLECTION];
  args[ST_P_CAPTURE_READ_NODE_VECTORS_DIMENSION] = st_int((int64_t)dimension);
  args[ST_P_CAPTURE_READ_NODE_VECTORS_IDS] =
      (st_value){.type = ST_LIST, .items = keys, .count = (uint32_t)count, .width = 1};
  st_rows_start(call, &rows, STELE_M_CAPTURE_READ_NODE_VECTORS, args);
  while (st_rows_next(call, &rows)) take_vector(call, &rows, dimension, ids, count, out);
  st_rows_end(call, &rows);
}
