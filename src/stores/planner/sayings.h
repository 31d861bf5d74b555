/* sayings.h - which facts, or learnings, say the same: the same words, whatever their case and punctuation. */
#ifndef ST_PLANNER_SAYINGS_H
#define ST_PLANNER_SAYINGS_H

#include "engine/call.h"

typedef struct st_saying {
  int64_t id;
  const char *among;   /* only those of one such group are compared */
  const char *words;   /* as a search sees them, a space between two */
  const char *session; /* where it comes from; "": that does not matter */
  double confidence;
  st_value text;
} st_saying;

typedef struct st_sayings {
  st_saying *items;
  size_t count, room;
} st_sayings;

/* The words of a text, into out, which is cleared first. */
void st_planner_words(st_call *call, const st_value *text, st_str *out);

/* Add one; its text is copied, its words are made of it.  What has no word says nothing, and is left out. */
void st_planner_add_saying(st_call *call, st_sayings *to, st_saying saying);

/* Put those that say the same beside each other: the most trusted first, then by session, then the oldest. */
void st_planner_sort_sayings(st_sayings *of);

/* Behind the last one that says the same as the one at `from`, in the order of sorting. */
size_t st_planner_same_until(const st_sayings *of, size_t from);

#endif
