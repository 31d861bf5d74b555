/* model_write.h - making the file of a static model (model_format.h).
**
** Vectors go to the disk as they come; only the tokens are held in memory.  The file appears under its name
** when it is complete, in the place of an older one, which whoever uses it keeps until they open it anew. */
#ifndef ST_MODEL_WRITE_H
#define ST_MODEL_WRITE_H

#include "base/problem.h"
#include "base/str.h"
#include "embed/model_format.h"

typedef struct st_model_writer {
  st_problem *problem;
  char *path, *draft; /* where it will be, and where it is until then */
  int fd;
  st_model_header header;
  unsigned char *buffer; /* what is still to be written */
  size_t buffered;
  uint64_t written;
  st_model_token *tokens;
  size_t token_room;
  st_model_slot *slots;
  st_str texts;
} st_model_writer;

/* Begin one.  False: the problem says why, and there is nothing to end. */
bool st_model_write_begin(st_model_writer *writer, const char *path, const char *name, size_t dimension,
                          st_model_tokenizer tokenizer, st_problem *problem);

/* A token, with the number of its vector among those written.  The first of several alike stays.
** False: the problem says why. */
bool st_model_write_token(st_model_writer *writer, const char *text, size_t length, uint32_t row, float weight, bool *is_new);

/* The next vector. */
bool st_model_write_row(st_model_writer *writer, const float *vector);

/* Put the file in its place, or, if it is not wanted any more, leave nothing of it. */
bool st_model_write_end(st_model_writer *writer, bool wanted);

#endif
