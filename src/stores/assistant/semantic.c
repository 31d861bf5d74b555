/* semantic.c - assistant.semantic_search, and the nearest rows for other searches.
**
** pgvector's index is asked where there is one.  Everything else is an exact scan: embeddings come one by one, and the
** best are kept. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "engine/feature.h"
#include "registry_ids.h"
#include "vector/cosine.h"
#include "stores/assistant/assistant.h"
#include "stores/assistant/embedding.h"
#include "stores/assistant/meant.h"
#include "stores/assistant/said.h"

#define TEXT_MAX (1u << 20) /* of a vector in text */
#define CANDIDATES_LEAST 100 /* that pgvector looks at; the more, the more exact */

/* A scan on its way. */
typedef struct scan {
  st_call *call;
  st_best *best;
  const float *wanted;
  size_t dimension;
  float *read;    /* room for one vector */
  int64_t others; /* embeddings of another dimension */
} scan;

static void scan_column(scan *s, const char *source) {
  st_value args[ST_P_ASSISTANT_READ_EMBEDDINGS_ID + 1] = {{0}}, id, created_at, text;
  st_rows rows;
  args[ST_P_ASSISTANT_READ_EMBEDDINGS_SOURCE] = st_textz(source);
  st_rows_stream(s->call, &rows, STELE_M_ASSISTANT_READ_EMBEDDINGS, args);
  while (st_rows_next(s->call, &rows)) {
    st_rows_value(s->call, &rows, ST_R_ASSISTANT_READ_EMBEDDINGS_ID, &id);
    st_rows_value(s->call, &rows, ST_R_ASSISTANT_READ_EMBEDDINGS_CREATED_AT, &created_at);
    st_rows_value(s->call, &rows, ST_R_ASSISTANT_READ_EMBEDDINGS_EMBEDDING, &text);
    if (id.type != ST_TEXT || created_at.type != ST_TEXT) continue; /* no row of ours */
    if (text.type != ST_TEXT || st_vector_parse(text.bytes, text.length, s->read) != s->dimension)
      s->others++;
    else
      st_best_offer(s->call, s->best, source, &id, &created_at, st_cosine(s->wanted, s->read, s->dimension));
  }
  st_rows_end(s->call, &rows);
}

/* Those that callers brought, if their row still says what was embedded. */
static void scan_vectors(scan *s, const char *source) {
  st_said_which which = {.source = source, .dimension = (int64_t)s->dimension, .kept = true};
  st_said said;
  st_rows rows;
  st_said_start(s->call, &rows, &which);
  while (st_rows_next(s->call, &rows)) {
    st_said_get(s->call, &rows, &said);
    if (!st_said_is_embedded(&said)) continue;
    if (said.vector.type != ST_BLOB || said.vector.length != s->dimension * ST_VECTOR_BYTES) {
      s->others++;
      continue;
    }
    st_vector_read(said.vector.bytes, s->dimension, s->read);
    st_best_offer(s->call, s->best, source, &said.id, &said.created_at, st_cosine(s->wanted, s->read, s->dimension));
  }
  st_rows_end(s->call, &rows);
}

static void ask_index(st_call *call, const char *source, const char *embedding, st_best *best) {
  st_value args[ST_P_ASSISTANT_NEAREST_EMBEDDINGS_LIMIT + 1], id, created_at, similarity;
  st_rows rows;
  args[ST_P_ASSISTANT_NEAREST_EMBEDDINGS_SOURCE] = st_textz(source);
  args[ST_P_ASSISTANT_NEAREST_EMBEDDINGS_EMBEDDING] = st_textz(embedding);
  args[ST_P_ASSISTANT_NEAREST_EMBEDDINGS_LIMIT] = st_int(best->most);
  st_rows_start(call, &rows, STELE_M_ASSISTANT_NEAREST_EMBEDDINGS, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_ASSISTANT_NEAREST_EMBEDDINGS_ID, &id);
    st_rows_value(call, &rows, ST_R_ASSISTANT_NEAREST_EMBEDDINGS_CREATED_AT, &created_at);
    st_rows_value(call, &rows, ST_R_ASSISTANT_NEAREST_EMBEDDINGS_SIMILARITY, &similarity);
    if (isfinite(similarity.real)) st_best_offer(call, best, source, &id, &created_at, similarity.real);
  }
  st_rows_end(call, &rows);
}

static void ask_indexes(st_call *call, const st_value *embedding, const st_value *sources, st_best *best) {
  st_value candidates = st_int(best->most > CANDIDATES_LEAST ? best->most : CANDIDATES_LEAST);
  st_str text;
  st_str_init(&text, TEXT_MAX);
  st_vector_add(&text, embedding->bytes, embedding->length / ST_VECTOR_BYTES);
  if (text.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_run(call, STELE_M_ASSISTANT_LOOK_FURTHER, &candidates);
  for (int i = 0; i < ST_SOURCES && st_ok(call); i++)
    if (st_meant_wanted(sources, st_sources[i])) ask_index(call, st_sources[i], text.text, best);
  st_str_free(&text);
}

static void scan_all(st_call *call, const st_value *embedding, const st_value *sources, st_best *best) {
  scan s = {.call = call, .best = best, .dimension = embedding->length / ST_VECTOR_BYTES};
  float *wanted = st_call_alloc(call, s.dimension * sizeof *wanted);
  s.read = st_call_alloc(call, ST_VECTOR_MAX * sizeof *s.read);
  if (!st_ok(call)) return;
  st_vector_read(embedding->bytes, s.dimension, wanted);
  s.wanted = wanted;
  for (int i = 0; i < ST_SOURCES && st_ok(call); i++) {
    if (!st_meant_wanted(sources, st_sources[i])) continue;
    if (!st_feature_has(call, ST_F_ASSISTANT_HALFVEC)) scan_column(&s, st_sources[i]);
    if (st_feature_has(call, ST_F_ASSISTANT_EMBEDDINGS)) scan_vectors(&s, st_sources[i]);
  }
  if (s.others)
    st_note(call, "%lld embeddings have another dimension than %zu, and were passed over", (long long)s.others, s.dimension);
}

void st_meant_nearest(st_call *call, const st_value *embedding, const st_value *sources, st_best *best) {
  bool column = embedding->length == ST_EMBEDDING_DIMENSION * ST_VECTOR_BYTES;
  if (!st_ok(call)) return;
  if (column && st_feature_has(call, ST_F_ASSISTANT_HALFVEC))
    ask_indexes(call, embedding, sources, best);
  else
    scan_all(call, embedding, sources, best);
  for (int i = 0; i < best->count; i++) {
    best->rows[i].similarity = best->rows[i].score;
    best->rows[i].vector_rank = i + 1;
  }
}

static void tell(st_call *call, const st_found_row *row) {
  st_said said;
  if (!st_said_find(call, row->source, &row->id, 0, &said)) return; /* it was deleted a moment ago */
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_ASSISTANT_SEMANTIC_SEARCH_SOURCE] = st_textz(row->source);
  reply[ST_R_ASSISTANT_SEMANTIC_SEARCH_ID] = said.id;
  reply[ST_R_ASSISTANT_SEMANTIC_SEARCH_TITLE] = st_said_title(call, row->source, &said);
  reply[ST_R_ASSISTANT_SEMANTIC_SEARCH_SNIPPET] = st_said_snippet(call, &said);
  reply[ST_R_ASSISTANT_SEMANTIC_SEARCH_SIMILARITY] = st_real(row->similarity > 0 ? row->similarity : 0);
  reply[ST_R_ASSISTANT_SEMANTIC_SEARCH_CREATED_AT] = said.created_at;
}

void st_assistant_semantic_search(st_call *call) {
  const st_value *embedding = &call->args[ST_P_ASSISTANT_SEMANTIC_SEARCH_EMBEDDING];
  st_best best;
  st_meant_check(call, embedding);
  st_best_init(call, &best, (int)st_arg_int(call, ST_P_ASSISTANT_SEMANTIC_SEARCH_LIMIT));
  st_meant_nearest(call, embedding, &call->args[ST_P_ASSISTANT_SEMANTIC_SEARCH_SOURCES], &best);
  for (int i = 0; i < best.count && st_ok(call); i++) tell(call, &best.rows[i]);
}
