/* embedder.h - texts become vectors: by a static model on this machine, or by an endpoint elsewhere. */
#ifndef ST_EMBEDDER_H
#define ST_EMBEDDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct st_embedder st_embedder;

/* What to embed with.  The texts are copied. */
typedef struct st_embed_config {
  const char *model;          /* the file of a static model; NULL: none */
  const char *endpoint;       /* http://...; counts before the model.  NULL: none */
  const char *endpoint_model; /* which model it shall use */
  const char *key;            /* sent along; NULL: none */
  int timeout_ms;             /* of one request; 0: 30 s */
  int batch;                  /* texts in one request; 0: 64 */
  double rate;                /* texts a second that the endpoint is sent by whoever embeds many; 0: 10; below: no limit */
  const atomic_bool *interrupted; /* ends a request; NULL: nothing does */
} st_embed_config;

/* NULL: the problem says why. */
st_embedder *st_embedder_open(const st_embed_config *config, char *problem, size_t size);
void st_embedder_close(st_embedder *embedder);

/* Of an endpoint the dimension is known once it has answered: the first time, this asks it.  0: it does not answer;
** st_embed_new() says why. */
size_t st_embedder_dimension(st_embedder *embedder);
/* What the vectors are of: vectors of different models cannot be compared. */
const char *st_embedder_model(const st_embedder *embedder);
bool st_embedder_is_remote(const st_embedder *embedder);
/* Texts in a second, for whoever embeds many; 0: no limit, as of a model on this machine. */
double st_embedder_rate(const st_embedder *embedder);

/* The vectors of texts, one behind the other in out: each of length one, or all zeros where nothing in the text
** is known.  Any number of threads may ask at once.  False: the problem says why. */
bool st_embed(st_embedder *embedder, const char *const *texts, const size_t *lengths, size_t count, float *out,
              char *problem, size_t size);

/* The same in new memory (st_free), for whoever does not know the dimension, or would have an endpoint asked twice.
** NULL: the problem says why. */
float *st_embed_new(st_embedder *embedder, const char *const *texts, const size_t *lengths, size_t count,
                    size_t *dimension, char *problem, size_t size);

#endif
