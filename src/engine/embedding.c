/* embedding.c - see embedding.h. */
#include "engine/embedding.h"

#include <string.h>

#include "base/alloc.h"

/* A copy, or NULL where there is none; without memory *good is false. */
static const char *copy(const char *text, bool *good) {
  char *own = text ? st_strdup(text) : NULL;
  if (text && !own) *good = false;
  return own;
}

stele_status st_embedding_keep(stele_db *db, const stele_embedding *from) {
  bool good = true;
  if (from->size != sizeof *from) return STELE_INVALID;
  db->embedding = *from;
  db->embedding.model = copy(from->model, &good);
  db->embedding.endpoint = copy(from->endpoint, &good);
  db->embedding.endpoint_model = copy(from->endpoint_model, &good);
  db->embedding.key = copy(from->key, &good);
  return good ? STELE_OK : STELE_NOMEM;
}

void st_embedding_forget(stele_db *db) {
  stele_embedding *e = &db->embedding;
  if (e->key) explicit_bzero((char *)e->key, strlen(e->key));
  st_free((char *)e->model);
  st_free((char *)e->endpoint);
  st_free((char *)e->endpoint_model);
  st_free((char *)e->key);
  *e = (stele_embedding){0};
}
