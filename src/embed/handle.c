/* handle.c - see handle.h. */
#include "embed/handle.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "engine/handle.h"

#define NONE                                                                                                     \
  "no embedding model is configured: `make embeddings` makes one, `stele model import` takes one, embed.endpoint " \
  "names a service"

/* The embedder, and the file it was made of. */
typedef struct holding {
  st_embedder *embedder;
  dev_t device;
  ino_t inode;
} holding;

static void release(void *pointer) {
  holding *held = pointer;
  st_embedder_close(held->embedder);
  st_free(held);
}

const char *st_handle_model(st_call *call, st_problem *why) {
  const stele_db *db = call->db;
  if (db->embedding.model) return db->embedding.model;
  size_t size = db->home && strcmp(db->home, ":memory:") != 0 ? strlen(db->home) + sizeof "/" ST_EMBED_FILE : 0;
  char *path = size ? st_call_alloc(call, size) : NULL;
  if (path) snprintf(path, size, "%s/" ST_EMBED_FILE, db->home);
  if (path && access(path, F_OK) == 0) return path;
  st_problem_say(why, "%s", NONE);
  return NULL;
}

bool st_handle_embeds(st_call *call) {
  st_problem why = {.text = ""};
  return call->db->embedding.endpoint || st_handle_model(call, &why);
}

static holding *make(stele_db *db, const char *path, const struct stat *file, st_problem *why) {
  const stele_embedding *said = &db->embedding;
  const st_embed_config config = {.model = path,
                                  .endpoint = said->endpoint,
                                  .endpoint_model = said->endpoint_model,
                                  .key = said->key,
                                  .timeout_ms = said->timeout_ms,
                                  .batch = said->batch,
                                  .rate = said->rate,
                                  .interrupted = &db->interrupted};
  holding *held = st_alloc_zero(sizeof *held);
  if (held) held->embedder = st_embedder_open(&config, why->text, sizeof why->text);
  if (held && held->embedder) {
    held->device = file->st_dev;
    held->inode = file->st_ino;
    return held;
  }
  if (!held) st_problem_nomem(why);
  st_free(held);
  return NULL;
}

/* Is it what would be made now?  A file is another one when it was replaced. */
static bool is_current(const holding *held, const char *path, const struct stat *file) {
  return !path || (held->device == file->st_dev && held->inode == file->st_ino);
}

st_embedder *st_handle_embedder(st_call *call, st_problem *why) {
  stele_db *db = call->db;
  struct stat file = {0};
  const char *path = db->embedding.endpoint ? NULL : st_handle_model(call, why);
  if (path) stat(path, &file);
  if (db->embedder && is_current(db->embedder, path, &file) && !why->text[0]) return ((holding *)db->embedder)->embedder;
  if (db->embedder) release(db->embedder);
  db->free_embedder = release;
  db->embedder = why->text[0] ? NULL : make(db, path, &file, why);
  return db->embedder ? ((holding *)db->embedder)->embedder : NULL;
}
