/* methods.c - the methods of the library about embedding. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/vector.h"
#include "embed/handle.h"
#include "embed/import.h"
#include "embed/model.h"
#include "engine/handle.h"
#include "registry_ids.h"

#define TEXTS_MAX 1000

/* Fail with a problem that is no argument's. */
static void fail(st_call *call, stele_status status, const st_problem *problem) {
  st_fail(call, st_problem_is_nomem(problem->text) ? STELE_NOMEM : status, NULL, "%s", problem->text);
}

/* ---- A model ---- */

/* Where a reply has what is known of a file. */
typedef struct places {
  int path, model, dimension, tokens, bytes;
} places;

static void tell_model(st_call *call, const st_model *model, const char *path, st_value *row, places at) {
  char name[ST_MODEL_NAME_MAX + 32];
  row[at.path] = st_call_text(call, path, strlen(path));
  row[at.model] = st_call_text(call, name, st_model_id(model, name, sizeof name));
  row[at.dimension] = st_int(model->header->dimension);
  row[at.tokens] = st_int(model->header->tokens);
  row[at.bytes] = st_int((int64_t)model->header->size);
}

/* ---- Importing ---- */

static bool asked_to_stop(void *user, int64_t done) {
  stele_db *db = user;
  if (atomic_load_explicit(&db->interrupted, memory_order_relaxed)) return true;
  return db->progress && db->progress(db->user, "tokens", done, 0) != 0;
}

/* vectors of /some/where/vectors.txt */
static const char *name_of(st_call *call, const char *path) {
  size_t end = strlen(path);
  while (end > 1 && path[end - 1] == '/') end--;
  size_t start = end;
  while (start && path[start - 1] != '/') start--;
  const char *dot = memrchr(path + start, '.', end - start);
  if (dot && dot > path + start) end = (size_t)(dot - path);
  return st_call_copy(call, path + start, end - start);
}

static const char *place_of(st_call *call) {
  const char *to = st_arg_text(call, ST_P_STELE_IMPORT_MODEL_TO), *home = call->db->home;
  if (call->db->flags & STELE_OPEN_READONLY) {
    st_fail(call, STELE_READONLY, NULL, "nothing is made: the stores are open for reading only");
    return NULL;
  }
  if (to) return to;
  if (!home || strcmp(home, ":memory:") == 0) {
    st_fail(call, STELE_INVALID, "to", "needs to: there is no home where the model could be");
    return NULL;
  }
  char *path = st_call_alloc(call, strlen(home) + sizeof "/" ST_EMBED_FILE);
  if (!path) return NULL;
  if (!st_handle_make_home(home)) st_fail(call, STELE_IO, NULL, "the home cannot be made");
  sprintf(path, "%s/" ST_EMBED_FILE, home);
  return path;
}

void st_stele_import_model(st_call *call) {
  const char *from = st_arg_text(call, ST_P_STELE_IMPORT_MODEL_SOURCE), *to = place_of(call);
  const char *name = st_arg_text(call, ST_P_STELE_IMPORT_MODEL_NAME);
  const st_import_options options = {.name = name ? name : name_of(call, from),
                                     .sif = st_arg_real(call, ST_P_STELE_IMPORT_MODEL_SIF),
                                     .component = st_arg_int(call, ST_P_STELE_IMPORT_MODEL_COMPONENT) != 0,
                                     .stopped = asked_to_stop,
                                     .user = call->db};
  st_problem problem = {0};
  st_imported imported;
  st_model model;
  if (!st_ok(call)) return;
  if (!st_import(from, to, &options, &imported, &problem) || !st_model_open(&model, to, &problem)) {
    if (st_problem_is_nomem(problem.text)) fail(call, STELE_NOMEM, &problem);
    else st_fail(call, STELE_INVALID, "source", "source gives no model: %s", problem.text);
    return;
  }
  st_value *row = st_reply(call);
  if (row) {
    tell_model(call, &model, to, row,
               (places){ST_R_STELE_IMPORT_MODEL_PATH, ST_R_STELE_IMPORT_MODEL_MODEL, ST_R_STELE_IMPORT_MODEL_DIMENSION,
                        ST_R_STELE_IMPORT_MODEL_TOKENS, ST_R_STELE_IMPORT_MODEL_BYTES});
    row[ST_R_STELE_IMPORT_MODEL_LEFT_OUT] = st_int(imported.left_out);
  }
  st_model_close(&model);
}

/* ---- Which it is ---- */

static const char *tokenizer_name(const st_model *model) {
  return model->header->tokenizer == ST_MODEL_WORDS ? "words" : "wordpiece";
}

static void tell_static(st_call *call, const char *path, st_value *row) {
  st_problem problem = {0};
  st_model model;
  row[ST_R_STELE_EMBEDDING_MODEL_KIND] = st_textz("static");
  row[ST_R_STELE_EMBEDDING_MODEL_PATH] = st_call_text(call, path, strlen(path));
  bool good = st_model_open(&model, path, &problem);
  if (good) {
    tell_model(call, &model, path, row,
               (places){ST_R_STELE_EMBEDDING_MODEL_PATH, ST_R_STELE_EMBEDDING_MODEL_MODEL, ST_R_STELE_EMBEDDING_MODEL_DIMENSION,
                        ST_R_STELE_EMBEDDING_MODEL_TOKENS, ST_R_STELE_EMBEDDING_MODEL_BYTES});
    row[ST_R_STELE_EMBEDDING_MODEL_TOKENIZER] = st_textz(tokenizer_name(&model));
    good = !st_arg_int(call, ST_P_STELE_EMBEDDING_MODEL_CHECK) || st_model_check(&model, &problem);
    st_model_close(&model);
  }
  if (!good) row[ST_R_STELE_EMBEDDING_MODEL_PROBLEM] = st_call_text(call, problem.text, strlen(problem.text));
}

static void tell_endpoint(const stele_embedding *said, st_value *row) {
  row[ST_R_STELE_EMBEDDING_MODEL_KIND] = st_textz("endpoint");
  row[ST_R_STELE_EMBEDDING_MODEL_PATH] = st_textz(said->endpoint);
  row[ST_R_STELE_EMBEDDING_MODEL_MODEL] = st_textz(said->endpoint_model);
}

void st_stele_embedding_model(st_call *call) {
  const char *path = st_arg_text(call, ST_P_STELE_EMBEDDING_MODEL_PATH);
  const stele_embedding *said = &call->db->embedding;
  st_problem why = {0};
  st_value *row = st_reply(call);
  if (!row) return;
  if (!path && said->endpoint) tell_endpoint(said, row);
  else if (path || (path = st_handle_model(call, &why)) != NULL) tell_static(call, path, row);
  else row[ST_R_STELE_EMBEDDING_MODEL_PROBLEM] = st_call_text(call, why.text, strlen(why.text));
}

/* ---- Embedding ---- */

static st_value vector_text(st_call *call, const float *vector, size_t dimension) {
  st_str text;
  char *bytes = st_call_alloc(call, dimension * ST_VECTOR_BYTES);
  st_str_init(&text, dimension * 32);
  for (size_t i = 0; bytes && i < dimension; i++) st_vector_put(bytes + i * ST_VECTOR_BYTES, vector[i]);
  if (bytes) st_vector_add(&text, bytes, dimension);
  return st_take(call, &text);
}

static void reply_vectors(st_call *call, const char *model, const float *vectors, size_t count, size_t dimension) {
  for (size_t i = 0; i < count; i++) {
    st_value *row = st_reply(call);
    if (!row) return;
    row[ST_R_STELE_EMBED_TEXTS_MODEL] = st_textz(model);
    row[ST_R_STELE_EMBED_TEXTS_VECTOR] = vector_text(call, vectors + i * dimension, dimension);
  }
}

static void embed(st_call *call, st_embedder *embedder, const st_value *list) {
  const char **texts = st_call_alloc(call, list->count * sizeof *texts);
  size_t *lengths = st_call_alloc(call, list->count * sizeof *lengths), dimension;
  st_problem problem = {0};
  if (!st_ok(call)) return;
  for (size_t i = 0; i < list->count; i++) {
    texts[i] = list->items[i].bytes;
    lengths[i] = list->items[i].length;
  }
  float *vectors = st_embed_new(embedder, texts, lengths, list->count, &dimension, problem.text, sizeof problem.text);
  if (vectors) reply_vectors(call, st_embedder_model(embedder), vectors, list->count, dimension);
  else fail(call, STELE_UNAVAILABLE, &problem);
  st_free(vectors);
}

void st_stele_embed_texts(st_call *call) {
  const st_value *list = &call->args[ST_P_STELE_EMBED_TEXTS_TEXTS];
  st_problem why = {0};
  if (list->count < 1 || list->count > TEXTS_MAX) {
    st_fail(call, STELE_INVALID, "texts", "texts must be 1 to %d texts", TEXTS_MAX);
    return;
  }
  st_embedder *embedder = st_handle_embedder(call, &why);
  if (embedder) embed(call, embedder, list);
  else fail(call, STELE_UNSUPPORTED, &why);
}
