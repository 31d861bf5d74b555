/* filter.h - what the list is narrowed to: each filter goes round what it can be. */
#ifndef CLI_TERMINAL_FILTER_H
#define CLI_TERMINAL_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "hits.h"

/* X(name, what it narrows to). */
#define FILTERS(X)                              \
  X(STORE, "store")                             \
  X(KIND, "kind")                               \
  X(ROLE, "role")                               \
  X(PROJECT, "project")                         \
  X(SINCE, "since")

typedef enum filter_name {
#define FILTER_X(name, label) FILTER_##name,
  FILTERS(FILTER_X)
#undef FILTER_X
      FILTER_COUNT
} filter_name;

typedef struct filter {
  char **choices; /* what it can be, in the order in which it goes round */
  size_t count;
  size_t chosen; /* which, from 1 on; 0: any */
} filter;

typedef struct filters {
  filter list[FILTER_COUNT];
} filters;

extern const char *const filter_labels[FILTER_COUNT];

/* What is known from the beginning: the times, who speaks, and this directory. */
void filters_begin(filters *f);
void filters_free(filters *f);

/* More that it can be.  What is known already is not added. */
void filter_offer(filters *f, filter_name name, const char *choice);
/* The stores and kinds of a reply of recall.sources; roles and projects of what was found. */
void filters_offer_sources(filters *f, const char *reply);
void filters_offer_hits(filters *f, const hits *found);

/* Go to the next choice; behind the last comes any. */
void filter_turn(filters *f, filter_name name);
/* All of them: any. */
void filters_clear(filters *f);
bool filters_any(const filters *f);

/* What it is narrowed to; NULL: nothing. */
const char *filter_value(const filters *f, filter_name name);

#endif
