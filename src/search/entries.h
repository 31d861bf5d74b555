/* entries.h - from the numbers of the index on PostgreSQL (postings.sql) to messages, within a filter. */
#ifndef ST_SEARCH_ENTRIES_H
#define ST_SEARCH_ENTRIES_H

#include "search/candidates.h"
#include "search/find.h"
#include "search/nameset.h"

/* Messages of one filter, whose roles are not looked at. */
typedef struct st_entries {
  st_call *call;
  st_arena *arena;
  const st_filter *filter;
  st_nameset sessions; /* its sessions, where they are too many for the server to look at each time; else it has no slots */
  st_ids left_out;     /* messages that are not to be found */
} st_entries;

st_entries st_entries_of(st_call *call, st_arena *arena, const st_filter *filter);

/* Does the filter leave any out? */
bool st_entries_are_narrowed(const st_entries *entries);

/* The numbers of all that the filter lets through, if these are few; else `all`. */
st_ids st_entries_few(const st_entries *entries);

/* The same however many they are. */
st_ids st_entries_within(const st_entries *entries);

/* Of hits whose ids are numbers, those that are messages within the filter, in the order they have: their ids and times.  How
** many. */
int st_entries_of_hits(const st_entries *entries, st_hit *hits, int count);
/* The same, and which numbers they are. */
int st_entries_numbered(const st_entries *entries, st_hit *hits, int count, int64_t *numbers);

#endif
