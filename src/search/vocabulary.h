/* vocabulary.h - the words that many messages have, and how many: what a word that is being typed may become, and
** what looking for a word will cost.
**
** FTS5 could tell it too, but only by reading all that it knows of the words.  So they are counted when the index
** has doubled since, never in a search, and are out of date by that much. */
#ifndef ST_VOCABULARY_H
#define ST_VOCABULARY_H

#include "search/index.h"

#define ST_COMPLETIONS 8

typedef struct st_word {
  const char *text; /* in the arena that was given */
  size_t length;
  double rows; /* messages that had it */
} st_word;

/* Make temp.stele_vocabulary, which tells all words (term).  A SQLite result code. */
int st_vocabulary_open(st_index *index);

/* Count the words anew, if the index has grown that much. */
void st_vocabulary_update(st_call *call, st_index *index);

/* The commonest words that begin with a text, at most ST_COMPLETIONS of them.  *all: the messages of all of them,
** one with two of them counted twice.  How many; *code is a SQLite result code. */
int st_vocabulary_complete(st_index *index, st_arena *arena, const char *text, size_t length, st_word *words,
                           double *all, int *code);

/* How many messages had a word; 0: few, if any.  *code is a SQLite result code. */
double st_vocabulary_rows(st_index *index, const char *text, size_t length, int *code);

#endif
