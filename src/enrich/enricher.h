/* enricher.h - what makes knowledge of a bundle.  It may take as long as it likes: nobody waits for it with a lock. */
#ifndef ST_ENRICHER_H
#define ST_ENRICHER_H

#include "base/arena.h"
#include "base/problem.h"
#include "enrich/bundle.h"
#include "enrich/names.h"

/* What was learned, in the arena. */
typedef struct st_learned {
  st_text content;    /* JSON, as capture.write_knowledge_node takes it */
  st_text embed_text;
  st_text commands;   /* what was done, to be embedded apart: commands, calls or addresses with " ; " between */
  st_names names;     /* what it speaks about */
} st_learned;

/* How it went.  If not well, `problem` says why, in one line. */
typedef enum st_learning {
  ST_LEARNED,
  ST_LEARN_FAILED,   /* it is tried again, a few times */
  ST_LEARN_HOPELESS, /* it is not tried again */
  ST_LEARN_BROKEN,   /* as FAILED; and others would hardly fare better now */
  ST_LEARN_LATER,    /* nothing is wrong with the bundle: it waits again, and so do all others */
  ST_LEARN_NOMEM
} st_learning;

typedef struct st_enricher {
  const char *model; /* as the nodes name it */
  int version;
  st_learning (*learn)(void *user, st_arena *arena, const st_bundle *bundle, st_learned *out, st_problem *problem);
  /* What it would ask somebody else, as a JSON value; false: out of memory.  NULL: it asks nobody, and a trial may let it learn. */
  bool (*show)(void *user, const st_bundle *bundle, st_str *out);
  void *user;
} st_enricher;

/* The one that needs no model: rules.  docs/enrichment.md says what it can and cannot. */
extern const st_enricher st_extractive;

#endif
