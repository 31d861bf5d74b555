/* enricher.h - what makes knowledge of a bundle.  It may take as long as it likes: nobody waits for it with a lock. */
#ifndef ST_ENRICHER_H
#define ST_ENRICHER_H

#include "base/arena.h"
#include "enrich/bundle.h"
#include "enrich/names.h"

/* What was learned, in the arena. */
typedef struct st_learned {
  st_text content;    /* JSON, as capture.write_knowledge_node takes it */
  st_text embed_text;
  st_text commands;   /* what was done, to be embedded apart: commands, calls or addresses with " ; " between */
  st_names names;     /* what it speaks about */
} st_learned;

typedef struct st_enricher {
  const char *model; /* as the nodes name it */
  int version;
  /* False: it failed, and `problem` says why in one line; empty: out of memory.  A bundle that fails is tried again, a few
  ** times. */
  bool (*learn)(void *user, st_arena *arena, const st_bundle *bundle, st_learned *out, char *problem, size_t room);
  void *user;
} st_enricher;

/* The one that needs no model: rules.  docs/enrichment.md says what it can and cannot. */
extern const st_enricher st_extractive;

#endif
