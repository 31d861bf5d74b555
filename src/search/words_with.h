/* words_with.h - the words of an index on PostgreSQL that have a text inside. */
#ifndef ST_SEARCH_WORDS_WITH_H
#define ST_SEARCH_WORDS_WITH_H

#include "engine/call.h"
#include "search/query.h"

typedef struct st_words_with {
  const st_query_token *token; /* of three characters at the least */
  bool at_end;                 /* only words that end with it */
  st_value *words;             /* found, in the arena */
  size_t count, room;
} st_words_with;

void st_words_with_find(st_call *call, st_arena *arena, st_words_with *with);

#endif
