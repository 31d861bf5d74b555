/* hits.h - what was found, or what happened last: the rows of the list. */
#ifndef CLI_TERMINAL_HITS_H
#define CLI_TERMINAL_HITS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../door/json.h"

/* X(member of the reply).  A text, or NULL. */
#define HIT_TEXTS(X) X(ref) X(store) X(kind) X(id) X(title) X(snippet) X(project) X(session) X(role) X(mark)

typedef struct hit {
#define HIT_X(name) char *name;
  HIT_TEXTS(HIT_X)
#undef HIT_X
  double time; /* 0: none */
} hit;

typedef struct hits {
  hit *list;
  size_t count;
} hits;

/* One row of recall.search, recall.timeline or recall.get. */
hit hit_read(json row);
hit hit_copy(const hit *of);
void hit_free(hit *h);

/* A reply; `turned`: its last row first. */
hits hits_read(const char *reply, bool turned);
void hits_free(hits *h);

/* A message of a conversation has a session that can be read and resumed. */
bool hit_is_message(const hit *h);

/* The next match that a snippet marks: from *begin to *end, without the marks.  False: there is none behind `at`. */
bool hit_match(const char *at, const char **begin, const char **end);
#define HIT_MARK 3 /* bytes of a mark, >>> and <<< */

#endif
