/* embedder.c - see embedder.h. */
#include "embed/embedder.h"

#include <stdio.h>

#include "base/alloc.h"
#include "embed/model.h"

struct st_embedder {
  st_model model;
  double rate;
};

static void tell(const st_problem *what, char *problem, size_t size) {
  if (size) snprintf(problem, size, "%s", what->text);
}

st_embedder *st_embedder_open(const st_embed_config *config, char *problem, size_t size) {
  st_problem what = {0};
  st_embedder *e = st_alloc_zero(sizeof *e);
  if (!e) st_problem_nomem(&what);
  else if (!config->model) st_problem_say(&what, "no model is configured");
  else if (st_model_open(&e->model, config->model, &what)) {
    e->rate = config->rate;
    return e;
  }
  tell(&what, problem, size);
  st_embedder_close(e);
  return NULL;
}

void st_embedder_close(st_embedder *e) {
  if (!e) return;
  st_model_close(&e->model);
  st_free(e);
}

size_t st_embedder_dimension(st_embedder *e) { return e->model.header->dimension; }
const char *st_embedder_model(const st_embedder *e) { return e->model.header->name; }

bool st_embedder_is_remote(const st_embedder *e) {
  (void)e;
  return false;
}

double st_embedder_rate(const st_embedder *e) { return e->rate; }

bool st_embed(st_embedder *e, const char *const *texts, const size_t *lengths, size_t count, float *out, char *problem,
              size_t size) {
  (void)problem, (void)size;
  size_t dimension = st_embedder_dimension(e);
  for (size_t i = 0; i < count; i++) st_model_embed(&e->model, texts[i], lengths[i], out + i * dimension);
  return true;
}
