/* documents.h - what can be found in a store, whatever it is: one search for every store that has sources
** (sql/<store>/sources.sql), on both engines.
**
** The store that is asked is the call's.  Everything that was written is found as soon as it is written, by every
** process: a search brings the index up to date first. */
#ifndef ST_DOCUMENTS_H
#define ST_DOCUMENTS_H

#include <math.h>

#include "engine/call.h"
#include "search/query.h"
#include "search/rank.h"

/* Which documents may be found.  A list that is empty allows none. */
typedef struct st_document_filter {
  const st_value *kinds, *roles, *sessions, *projects; /* ST_LIST of texts, or NULL: all */
  double since, until; /* time >= since, time < until; a document without a time is as old as can be */
} st_document_filter;

#define ST_DOCUMENTS_ALL ((st_document_filter){.since = -HUGE_VAL, .until = HUGE_VAL})

typedef struct st_document_hit {
  int64_t doc; /* its number in the index; on PostgreSQL only messages have one, others 0 */
  const char *kind, *id;
  double score, time;
} st_document_hit;

typedef struct st_documents_found {
  st_document_hit *hits; /* best first, in the call's memory */
  int count;
  int64_t matches; /* where it is known how many there are: that many; else as many as were found */
} st_documents_found;

/* Does the index tell, or can it be brought to tell, all that there is?  Not on PostgreSQL where the store is open for reading,
** and changes wait for a writer to index them. */
bool st_documents_current(st_call *call);

/* Find up to k documents. */
void st_documents_find(st_call *call, const st_query *query, const st_document_filter *filter, st_order order, int k,
                       st_documents_found *found);

/* Without a query: those within the filter, newest or oldest first. */
void st_documents_list(st_call *call, const st_document_filter *filter, st_order order, int k, st_documents_found *found);

/* One as its source has it. */
typedef struct st_document {
  st_value id, title, text, extra, time, project, session, role, url;
  const char *kind;
} st_document;

/* Whole rows, in the order asked for, in the call's memory; one that is gone has id.type ST_NULL. */
void st_documents_read(st_call *call, const char *kind, const st_value *ids, size_t count, st_document *out);

/* Bring the index up to date, or make it anew; *indexed counts documents.  For idle time: a store outside the home in
** which nothing was searched yet is left as it is, unless its index is to be made anew. */
void st_documents_index(st_call *call, bool rebuild, int64_t *indexed);

#endif
