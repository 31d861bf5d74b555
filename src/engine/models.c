/* models.c - see models.h. */
#include "engine/models.h"

#include <string.h>

#include "base/alloc.h"

/* A copy, or NULL where there is none; without memory *good is false. */
static const char *copy(const char *text, bool *good) {
  char *own = text ? st_strdup(text) : NULL;
  if (text && !own) *good = false;
  return own;
}

static bool keep_embedding(stele_db *db, const stele_embedding *from) {
  bool good = true;
  db->embedding = *from;
  db->embedding.model = copy(from->model, &good);
  db->embedding.endpoint = copy(from->endpoint, &good);
  db->embedding.endpoint_model = copy(from->endpoint_model, &good);
  db->embedding.key = copy(from->key, &good);
  return good;
}

static bool keep_chat(stele_db *db, const stele_chat *from) {
  bool good = true;
  db->chat = *from;
  db->chat.endpoint = copy(from->endpoint, &good);
  db->chat.model = copy(from->model, &good);
  db->chat.key = copy(from->key, &good);
  return good;
}

stele_status st_models_keep(stele_db *db, const stele_embedding *embedding, const stele_chat *chat, const char **wrong) {
  *wrong = embedding && embedding->size != sizeof *embedding ? "stele_embedding.size must be sizeof(stele_embedding)"
           : chat && chat->size != sizeof *chat              ? "stele_chat.size must be sizeof(stele_chat)"
                                                             : NULL;
  if (*wrong) return STELE_INVALID;
  bool good = (!embedding || keep_embedding(db, embedding)) && (!chat || keep_chat(db, chat));
  return good ? STELE_OK : STELE_NOMEM;
}

static void wipe(const char *key) {
  if (key) explicit_bzero((char *)key, strlen(key));
  st_free((char *)key);
}

void st_models_forget(stele_db *db) {
  wipe(db->embedding.key);
  st_free((char *)db->embedding.model);
  st_free((char *)db->embedding.endpoint);
  st_free((char *)db->embedding.endpoint_model);
  db->embedding = (stele_embedding){0};
  wipe(db->chat.key);
  st_free((char *)db->chat.endpoint);
  st_free((char *)db->chat.model);
  db->chat = (stele_chat){0};
}
