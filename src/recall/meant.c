/* meant.c - see meant.h. */
#include "recall/meant.h"

#include <string.h>

#include "base/vector.h"
#include "embed/handle.h"
#include "engine/feature.h"
#include "registry_ids.h"
#include "search/meaning.h"

typedef struct looking {
  float *vector;
  size_t dimension;
  int k;
  st_meant_list found; /* in the store last asked */
} looking;

/* ---- The vector ---- */

static bool is_anything_embedded(const st_asked_stores *asked) {
  for (int i = 0; i < asked->count; i++) {
    const st_call *part = &asked->stores[i].part;
    if (st_feature_has(part, st_shared_feature(part, ST_TF_EMBEDDINGS))) return true;
  }
  return false;
}

static const char *say(st_call *call, const char *problem) {
  st_value copy = st_call_text(call, problem, strlen(problem));
  return copy.type == ST_TEXT ? copy.bytes : "";
}

/* What was said, as a vector, if there is something to compare it with.  A problem, or NULL. */
static const char *embed(st_call *call, const st_value *text, bool there, looking *l) {
  st_problem why = {.text = ""};
  if (!st_handle_embeds(call)) return "no embedding model is configured (`stele help model`)";
  st_embedder *embedder = st_handle_embedder(call, &why);
  if (!embedder) return say(call, why.text);
  if (!there) return "nothing is embedded yet: `stele embed` does it";
  l->dimension = st_embedder_dimension(embedder);
  l->vector = st_call_alloc(call, (l->dimension + 1) * sizeof *l->vector);
  if (!l->vector) return "";
  return st_embed(embedder, &text->bytes, &text->length, 1, l->vector, why.text, sizeof why.text) ? NULL : say(call, why.text);
}

static const char *take_vector(st_call *call, const st_value *bytes, looking *l) {
  l->dimension = bytes->length / ST_VECTOR_BYTES;
  l->vector = st_call_alloc(call, (l->dimension + 1) * sizeof *l->vector);
  if (l->vector) st_vector_read(bytes->bytes, l->dimension, l->vector);
  return NULL;
}

static bool points(const looking *l) {
  for (size_t i = 0; i < l->dimension; i++)
    if (l->vector[i] != 0) return true;
  return false;
}

/* ---- Asking ---- */

/* What has nothing to do with it is not near, though nothing may be nearer. */
static void look(st_asked_store *store, void *with) {
  looking *l = with;
  st_call *part = &store->part;
  st_meant *found = st_call_alloc(part, ((size_t)l->k + 1) * sizeof *found);
  int count = 0;
  l->found = (st_meant_list){st_call_alloc(part, ((size_t)l->k + 1) * sizeof *l->found.rows), 0};
  if (st_ok(part)) st_meaning_find(part, l->vector, l->dimension, &store->filter, l->k, found, &count);
  for (int i = 0; st_ok(part) && i < count; i++)
    if (found[i].similarity > 0) l->found.rows[l->found.count++] = (st_likely){found[i].kind, found[i].id, found[i].similarity};
}

void st_meant_find(st_asked_stores *asked, const st_value *vector, const st_value *text, int k, st_meant_lists *out) {
  st_call *call = asked->call;
  looking l = {.k = k};
  *out = (st_meant_lists){.stores = st_call_alloc(call, ((size_t)asked->count + 1) * sizeof *out->stores)};
  for (int i = 0; st_ok(call) && i < asked->count; i++) out->stores[i] = (st_meant_list){NULL, 0};
  if (!st_ok(call)) return;
  if (vector->type == ST_BLOB) out->problem = take_vector(call, vector, &l);
  else out->problem = embed(call, text, is_anything_embedded(asked), &l);
  if (!st_ok(call) || out->problem || !points(&l)) return;
  for (int i = 0; i < asked->count; i++)
    if (st_asked_run(asked, i, look, &l)) out->stores[i] = l.found;
}
