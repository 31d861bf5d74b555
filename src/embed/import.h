/* import.h - making a static model of what others made. */
#ifndef ST_EMBED_IMPORT_H
#define ST_EMBED_IMPORT_H

#include <stdint.h>

#include "base/problem.h"

#define ST_IMPORT_SIF 0.001 /* the a of component.h, as is usual */

typedef struct st_import_options {
  const char *name; /* of the model */
  double sif;       /* how the frequency of a word counts (component.h); 0: all words weigh the same */
  bool component;   /* take out what all texts have in common */
  bool (*stopped)(void *user, int64_t done); /* asked now and then; true ends it.  NULL: nobody is */
  void *user;
} st_import_options;

typedef struct st_imported {
  int64_t tokens;   /* that the model has */
  int64_t left_out; /* that it does not have: no word of search would find them, or they were there already */
} st_imported;

/* Whatever it is: a directory is one of model2vec's, everything else a file of word vectors. */
bool st_import(const char *from, const char *to, const st_import_options *options, st_imported *out, st_problem *problem);

/* A file of word vectors, as GloVe and word2vec write them: on each line a word and its numbers, with white
** space between, the most frequent word first; a first line with two whole numbers (how many words, how many
** numbers) may be there.  It is read once from beginning to end, so that it may be a pipe. */
bool st_import_vectors(const char *from, const char *to, const st_import_options *options, st_imported *out,
                       st_problem *problem);

/* A directory of model2vec's: model.safetensors with the table `embeddings` (and the lists `weights` and `mapping`,
** where there are any), and tokenizer.json (tokenizer_json.h says which). */
bool st_import_model2vec(const char *from, const char *to, const st_import_options *options, st_imported *out,
                         st_problem *problem);

#endif
