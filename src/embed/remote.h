/* remote.h - texts embedded by an OpenAI-compatible endpoint: POST .../v1/embeddings.
**
** Texts go in batches.  Where the endpoint is busy or out of order it is asked again a few times, after a pause that
** grows, or as long as it says itself.  What it answers is checked before it is used: one vector for each text, in
** the order of its `index`, all of the same length, all numbers finite. */
#ifndef ST_REMOTE_H
#define ST_REMOTE_H

#include "base/problem.h"
#include "embed/embedder.h"

#define ST_REMOTE_TEXT_MAX 24000 /* bytes of a text that are sent; of a longer one the beginning */

typedef struct st_remote st_remote;

/* Nothing is asked yet.  NULL: the problem says why. */
st_remote *st_remote_open(const st_embed_config *config, st_problem *problem);
void st_remote_close(st_remote *remote);

const char *st_remote_model(const st_remote *remote);
/* 0: it has not answered yet. */
size_t st_remote_dimension(const st_remote *remote);

/* The vectors of texts, each of length one; that of a text without a character that is seen is all zeros.  *out is
** where they go; NULL: new memory is made for them (st_free), as soon as their length is known. */
bool st_remote_embed(st_remote *remote, const char *const *texts, const size_t *lengths, size_t count, float **out,
                     st_problem *problem);

#endif
