/* extract.c - the enricher that needs no model: rules find, and a few sentences tell.  The same bundle always gives the same node. */
#include "enrich/digest.h"
#include "enrich/enricher.h"

static st_learning learn(void *user, st_arena *arena, const st_bundle *bundle, st_learned *out, st_problem *problem) {
  (void)user;
  st_digest digest = {.bundle = bundle, .arena = arena};
  st_digest_read(&digest);
  if (!digest.failed) {
    st_text summary = st_digest_summary(&digest), intent = st_digest_intent(&digest);
    if (intent.length == 0) intent = st_text_of("unknown");
    if (summary.length == 0) summary = intent;
    out->content = st_digest_content(&digest, summary, intent);
    out->embed_text = st_digest_embed_text(&digest, summary);
    out->commands = st_digest_commands(&digest);
    out->names = digest.names;
  }
  (void)problem; /* the only thing that rules can run out of is memory */
  return !digest.failed && out->content.bytes ? ST_LEARNED : ST_LEARN_NOMEM;
}

/* Versions of hippo's own nodes, which its model made, are 1 to 3. */
const st_enricher st_extractive = {.model = "stele-extractive", .version = 100, .learn = learn};
