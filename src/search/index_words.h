/* index_words.h - words of the index on PostgreSQL, as it has them in its parts (postings.sql). */
#ifndef ST_SEARCH_INDEX_WORDS_H
#define ST_SEARCH_INDEX_WORDS_H

#include "engine/call.h"
#include "search/occurrences.h"
#include "search/query.h"

/* A word as it is in all parts that were read. */
typedef struct st_index_word {
  const char *text;
  double rows, room; /* that have it; bytes of places */
  char *packed, *places, *beside;
  size_t packed_length, places_length, beside_length;
} st_index_word;

typedef struct st_words {
  st_index_word *all; /* in the order of their bytes */
  size_t count, room;
} st_words;

/* What is read of a word besides its rows. */
typedef struct st_words_more {
  bool places, beside;
} st_words_more;

/* Parts of the index, told by their first numbers. */
typedef struct st_part_range {
  int64_t first, last;
} st_part_range;
#define ST_PARTS_FROM(number) ((st_part_range){(number), INT64_MAX})

typedef struct st_words_reader {
  st_call *call;
  st_arena *arena;     /* where all is that was read */
  st_part_range parts; /* in which is looked */
} st_words_reader;

/* Memory of the arena.  NULL: the call has failed. */
void *st_words_need(st_words_reader *r, size_t size);

/* Words of the caller's; all that begin with a token. */
st_words st_words_list(st_words_reader *r, const st_value *words, size_t count, st_words_more wanted);
st_words st_words_beginning(st_words_reader *r, const st_query_token *token, bool placed);

/* How many rows have some words, of a part and later ones: one that has several counts for each. */
double st_words_count(st_call *call, const st_value *words, size_t count, int64_t part);

/* Who said a message is kept as if it were a word of it: this one.  In the call's memory. */
st_value st_words_role(st_call *call, const st_value *role);

/* NULL: no row has it. */
const st_index_word *st_words_find(const st_words *words, const char *text);

/* Begin to read its rows; of NULL there are none. */
void st_words_start(const st_index_word *word, st_occurrences *out);

/* The rows that have some of the words, with their places if these were read; how many. */
void st_words_any(st_words_reader *r, const st_words *words, bool placed, st_occurrences *out, double *rows);

/* Rows that were made of others are read as if they had come from the index; how many.  written: false if there was no memory. */
void st_words_made(st_words_reader *r, st_occurrences_writer *writer, bool written, st_occurrences *out, double *rows);

/* Fail the call: the index is damaged. */
void st_words_damaged(st_call *call);

/* Fails the call if bytes that were read are none of occurrences. */
void st_words_check(st_call *call, const st_occurrences *of);

#endif
