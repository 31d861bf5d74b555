/* model.h - a static model: a file of vectors, mapped into memory, and texts embedded by it.
**
** A text's vector is the weighted sum of those of its tokens, at length one.  Nothing is allocated for a text
** and nothing is changed, so that any number of threads may use a model at once. */
#ifndef ST_MODEL_H
#define ST_MODEL_H

#include "base/problem.h"
#include "embed/mapped.h"
#include "embed/model_format.h"

typedef struct st_model {
  st_text file; /* the whole of it */
  const st_model_header *header;
  const unsigned char *rows;
  const st_model_token *tokens;
  const st_model_slot *slots;
  const char *texts;
  size_t stride;
} st_model;

/* Map a file.  Only its header is read, whatever its size: who wants to know that the rest is undamaged asks
** st_model_check().  A damaged rest gives wrong vectors, and nothing worse.  False: the problem says why. */
bool st_model_open(st_model *model, const char *path, st_problem *problem);
void st_model_close(st_model *model);

/* Is everything as it was written? */
bool st_model_check(const st_model *model, st_problem *problem);

/* What its vectors are of: its name and a part of its checksum, so that a model made anew in another way is
** another one.  The length, as snprintf has it. */
size_t st_model_id(const st_model *model, char *out, size_t size);

/* The token with that text, or NULL. */
const st_model_token *st_model_find(const st_model *model, const char *text, size_t length);

/* The vector of a text: `dimension` numbers, of length one; or all zeros, if no token of it is known. */
void st_model_embed(const st_model *model, const char *text, size_t length, float *out);

/* Add a token's vector to a sum. */
void st_model_add(const st_model *model, const st_model_token *token, float *sum);

/* Bring a vector to length one.  False: it has no direction, and is all zeros now. */
bool st_model_normalise(float *vector, size_t dimension);

#endif
