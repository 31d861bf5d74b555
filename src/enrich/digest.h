/* digest.h - what the rules found in a bundle, before it is put into words. */
#ifndef ST_DIGEST_H
#define ST_DIGEST_H

#include "enrich/bundle.h"
#include "enrich/names.h"
#include "enrich/outcome.h"
#include "enrich/wording.h"

#define ST_TOLD_MOST 8

/* Sentences, in the arena. */
typedef struct st_told_list {
  st_text of[ST_TOLD_MOST];
  size_t count;
} st_told_list;

typedef struct st_choice {
  st_text considered, chosen, reason;
} st_choice;

typedef struct st_digest {
  const st_bundle *bundle;
  st_arena *arena;
  st_names names;
  st_deed *deeds; /* one per item */
  const char *outcome;
  st_told_list decisions, problems;
  st_choice choices[ST_TOLD_MOST];
  size_t choice_count;
  bool failed; /* no memory */
} st_digest;

/* digest.c: read all of the bundle. */
void st_digest_read(st_digest *digest);
/* decisions.c: what was decided, and against what, of what was said. */
void st_digest_decisions(st_digest *digest, st_text said);
/* A sentence more; what is there already, or does not fit any more, is left out. */
void st_digest_tell(st_digest *digest, st_told_list *list, st_text sentence);

/* A text to be written, for st_word_add. */
st_wording st_digest_wording(st_digest *digest, size_t room);

/* summary.c: in a few hundred bytes, in the arena. */
st_text st_digest_summary(st_digest *digest);
st_text st_digest_intent(st_digest *digest);
/* A text with as many identifiers as possible, to be embedded; and what was done. */
st_text st_digest_embed_text(st_digest *digest, st_text summary);
st_text st_digest_commands(st_digest *digest);

/* content.c: the JSON of the node, with the tags that rules give; or with others. */
st_text st_digest_content(st_digest *digest, st_text summary, st_text intent);
st_text st_digest_write(st_digest *digest, st_text summary, st_text intent, const st_text *tags, size_t count);

#endif
