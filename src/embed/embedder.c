/* embedder.c - see embedder.h. */
#include "embed/embedder.h"

#include <stdio.h>

#include "base/alloc.h"
#include "embed/model.h"
#include "embed/remote.h"

#define REMOTE_RATE 10 /* texts in a second, unless more is asked for: others use the endpoint, too */

struct st_embedder {
  st_model model;
  st_remote *remote; /* NULL: the model counts */
  char name[ST_MODEL_NAME_MAX + 32];
  double rate;
};

static bool tell(const st_problem *what, char *problem, size_t size) {
  if (size) snprintf(problem, size, "%s", what->text);
  return !what->text[0];
}

static bool prepare(st_embedder *e, const st_embed_config *config, st_problem *what) {
  if (config->endpoint) {
    e->rate = config->rate > 0 ? config->rate : config->rate < 0 ? 0 : REMOTE_RATE;
    return (e->remote = st_remote_open(config, what)) != NULL;
  }
  if (!config->model) return st_problem_say(what, "no model is configured");
  if (!st_model_open(&e->model, config->model, what)) return false;
  st_model_id(&e->model, e->name, sizeof e->name);
  return true;
}

st_embedder *st_embedder_open(const st_embed_config *config, char *problem, size_t size) {
  st_problem what = {0};
  st_embedder *e = st_alloc_zero(sizeof *e);
  if (e && prepare(e, config, &what)) return e;
  if (!e) st_problem_nomem(&what);
  tell(&what, problem, size);
  st_embedder_close(e);
  return NULL;
}

void st_embedder_close(st_embedder *e) {
  if (!e) return;
  st_remote_close(e->remote);
  st_model_close(&e->model);
  st_free(e);
}

const char *st_embedder_model(const st_embedder *e) { return e->remote ? st_remote_model(e->remote) : e->name; }
bool st_embedder_is_remote(const st_embedder *e) { return e->remote != NULL; }
double st_embedder_rate(const st_embedder *e) { return e->rate; }

size_t st_embedder_dimension(st_embedder *e) {
  static const char *const any[] = {"dimension"};
  char problem[ST_PROBLEM_MAX];
  size_t dimension = 0;
  if (!e->remote) return e->model.header->dimension;
  if (st_remote_dimension(e->remote)) return st_remote_dimension(e->remote);
  st_free(st_embed_new(e, any, (const size_t[]){9}, 1, &dimension, problem, sizeof problem));
  return dimension;
}

static void embed_static(st_embedder *e, const char *const *texts, const size_t *lengths, size_t count, float *out) {
  size_t dimension = e->model.header->dimension;
  for (size_t i = 0; i < count; i++) st_model_embed(&e->model, texts[i], lengths[i], out + i * dimension);
}

bool st_embed(st_embedder *e, const char *const *texts, const size_t *lengths, size_t count, float *out, char *problem,
              size_t size) {
  st_problem what = {0};
  if (!e->remote) embed_static(e, texts, lengths, count, out);
  else if (st_embedder_dimension(e)) st_remote_embed(e->remote, texts, lengths, count, &out, &what);
  else st_problem_say(&what, "the endpoint has not told the dimension of its vectors");
  return tell(&what, problem, size);
}

float *st_embed_new(st_embedder *e, const char *const *texts, const size_t *lengths, size_t count, size_t *dimension,
                    char *problem, size_t size) {
  st_problem what = {0};
  float *out = NULL;
  if (e->remote) {
    st_remote_embed(e->remote, texts, lengths, count, &out, &what);
    *dimension = st_remote_dimension(e->remote);
  } else {
    *dimension = e->model.header->dimension;
    out = st_alloc((count * *dimension + 1) * sizeof *out);
    if (out) embed_static(e, texts, lengths, count, out);
  }
  if (!out && !e->remote) st_problem_nomem(&what);
  else if (!out) st_problem_say(&what, "there is nothing to embed");
  tell(&what, problem, size);
  return out;
}
