/* node_vectors.c - nodes that are near in meaning.  See nodes.h. */
#include <string.h>

#include "base/number.h"
#include "base/vector.h"
#include "engine/feature.h"
#include "search/meaning.h"
#include "vector/cosine.h"
#include "stores/capture/nodes.h"

#define WORD_SHOWN 100 /* bytes of a model's name */

const char *st_node_kind(const st_value *collection) { return strcmp(collection->bytes, "vec_command") == 0 ? "node_command" : "node"; }

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
  st_value kind = st_textz(st_node_kind(collection));
  if (!st_one(call, STELE_M_CAPTURE_LOOK_EMBEDDINGS, &kind, known)) return;
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
  if (hash->type != ST_INT || (uint64_t)hash->integer != st_meaning_hash(embed_text, 1)) return false;
  return st_meaning_numbers(vector, dimension, out);
}

/* ---- the nearest ---- */

/* What is asked. */
typedef struct nearing {
  st_call *call;
  const st_value *which;
  float *wanted;
  size_t dimension;
  int k;
  st_found *found;
  st_value *passing; /* nodes that the filters let through, by number */
  size_t npassing;
} nearing;

static void take_number(void *to, st_rows *rows) {
  nearing *n = to;
  st_rows_value(n->call, rows, ST_R_CAPTURE_SCAN_NODES_ID, &n->passing[n->npassing++]);
}

static bool passes(const nearing *n, int64_t id) {
  for (size_t i = 0; i < n->npassing; i++)
    if (n->passing[i].integer == id) return true;
  return false;
}

/* By the embeddings of all stores (search/meaning.h), among so many of the nearest; false: too few of these are wanted. */
static bool find_indexed(nearing *n, int most) {
  st_node_filter within;
  st_node_candidates candidates = {.every = false};
  st_meant *near = st_call_alloc(n->call, (size_t)most * sizeof *near);
  int count = 0;
  if (near) st_meaning_find(n->call, n->wanted, n->dimension, st_nodes_within(n->which, &within), most, near, &count);
  for (int i = 0; i < count && st_ok(n->call); i++) st_nodes_add(n->call, near[i].id, &candidates);
  n->passing = st_call_alloc(n->call, (candidates.count + 1) * sizeof *n->passing);
  n->npassing = 0;
  n->found->count = 0;
  if (!st_ok(n->call)) return true;
  st_nodes_read(n->call, n->which, &candidates, take_number, n);
  for (int i = 0; i < count && n->found->count < n->k && st_ok(n->call); i++) {
    int64_t id = 0;
    if (st_parse_int(near[i].id, strlen(near[i].id), &id) && passes(n, id))
      n->found->hits[n->found->count++] = (st_hit){.id = id, .score = near[i].similarity};
  }
  return n->found->count == n->k || count < most;
}

/* One by one. */
static void find_all(nearing *n) {
  st_call *call = n->call;
  st_rank rank = {.order = ST_ORDER_RANK, .k = n->k, .hits = n->found->hits};
  st_value id, embed_text, kept, hash, args[ST_NODES_PARAMS];
  float *read = st_call_alloc(call, n->dimension * sizeof *read);
  st_rows rows;
  if (!read) return;
  memcpy(args, n->which, sizeof args);
  args[ST_P_CAPTURE_SCAN_NODES_DIMENSION] = st_int((int64_t)n->dimension);
  st_rows_stream(call, &rows, STELE_M_CAPTURE_SCAN_NODES, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_CAPTURE_SCAN_NODES_ID, &id);
    st_rows_value(call, &rows, ST_R_CAPTURE_SCAN_NODES_EMBED_TEXT, &embed_text);
    st_rows_value(call, &rows, ST_R_CAPTURE_SCAN_NODES_VECTOR, &kept);
    st_rows_value(call, &rows, ST_R_CAPTURE_SCAN_NODES_TEXT_HASH, &hash);
    if (read_vector(&embed_text, &kept, &hash, n->dimension, read))
      st_rank_offer(&rank, (st_hit){.id = id.integer, .score = st_cosine(n->wanted, read, n->dimension)});
  }
  st_rows_end(call, &rows);
  st_rank_finish(&rank);
  n->found->count = rank.count;
}

/* The index knows the embeddings of what nodes say, and not all filters. */
static bool is_indexed(st_call *call, const st_value *which) {
  return strcmp(which[ST_P_CAPTURE_SCAN_NODES_KIND].bytes, "node") == 0 && st_documents_current(call);
}

void st_nodes_near(st_call *call, const st_value *which, const st_value *vector, int k, st_found *found) {
  nearing n = {.call = call, .which = which, .dimension = vector->length / ST_VECTOR_BYTES, .k = k, .found = found};
  *found = (st_found){.hits = st_call_alloc(call, (size_t)k * sizeof *found->hits)};
  n.wanted = st_call_alloc(call, n.dimension * sizeof *n.wanted);
  if (!st_ok(call)) return;
  st_vector_read(vector->bytes, n.dimension, n.wanted);
  bool indexed = is_indexed(call, which) && (find_indexed(&n, ST_NODES_FIRST) || find_indexed(&n, ST_NODES_FIRST * ST_NODES_DEEPER));
  if (st_ok(call) && !indexed) find_all(&n);
  found->matches = found->count;
}

/* ---- the vectors of some ---- */

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

/* The key of a node's embedding. */
static st_value key_of(st_call *call, int64_t id) {
  st_str key;
  st_str_init(&key, 32);
  st_str_addf(&key, "%lld", (long long)id);
  return st_take(call, &key);
}

void st_nodes_vectors(st_call *call, const st_value *which, size_t dimension, const int64_t *ids, int count, st_choice *out) {
  st_value *keys = st_call_alloc(call, ((size_t)count + 1) * sizeof *keys), args[ST_P_CAPTURE_READ_NODE_VECTORS_IDS + 1];
  st_rows rows;
  if (!keys || !st_feature_has(call, ST_F_CAPTURE_EMBEDDINGS)) return;
  for (int i = 0; i < count; i++) keys[i] = key_of(call, ids[i]);
  args[ST_P_CAPTURE_READ_NODE_VECTORS_KIND] = which[ST_P_CAPTURE_SCAN_NODES_KIND];
  args[ST_P_CAPTURE_READ_NODE_VECTORS_DIMENSION] = st_int((int64_t)dimension);
  args[ST_P_CAPTURE_READ_NODE_VECTORS_IDS] =
      (st_value){.type = ST_LIST, .items = keys, .count = (uint32_t)count, .width = 1};
  st_rows_start(call, &rows, STELE_M_CAPTURE_READ_NODE_VECTORS, args);
  while (st_rows_next(call, &rows)) take_vector(call, &rows, dimension, ids, count, out);
  st_rows_end(call, &rows);
}
