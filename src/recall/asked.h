/* asked.h - the stores that a call of recall asks, and a part of the call in each.
**
** Searching makes nothing: a store that is not there is passed over.  So is one that cannot be read, which is noted;
** the others answer all the same. */
#ifndef ST_ASKED_STORES_H
#define ST_ASKED_STORES_H

#include "engine/call.h"
#include "search/documents.h"

/* What may be found.  The lists are ST_LISTs of texts; one that was not sent allows everything. */
typedef struct st_wanted {
  const st_value *stores, *kinds, *projects, *sessions, *roles;
  double since, until;
  const char *also; /* a store that is opened, even if nothing in it is wanted; NULL: none */
} st_wanted;

#define ST_WANTED_ALL ((st_wanted){.since = -HUGE_VAL, .until = HUGE_VAL})

/* A store that is asked. */
typedef struct st_asked_store {
  st_call part;
  st_error error;
  st_value kinds; /* a list */
  st_document_filter filter;
  bool failed; /* or left out: it is not asked any more */
} st_asked_store;

typedef struct st_asked_stores {
  st_call *call;
  st_asked_store *stores;
  int count;
  st_error problem; /* of the last one that was passed over; STELE_OK: none was */
} st_asked_stores;

/* Open the stores that have something of what is wanted.  What is private or untrusted is so only where sessions are
** named: of these alone it is then found, as everything is. */
void st_asked_open(st_call *call, const st_wanted *wanted, st_asked_stores *out);

/* The place of a store among them, or -1. */
int st_asked_find_store(const st_asked_stores *asked, const char *name);

/* Run something in one of them.  A conflict is tried again.  False: it failed, which is noted, and the store is not
** asked again; without memory, or stopped, the whole call has failed. */
typedef void st_asked_fn(st_asked_store *store, void *with);
bool st_asked_run(st_asked_stores *asked, int store, st_asked_fn *fn, void *with);

/* What a call wants by its lists: from that parameter on stores, kinds, projects, sessions and roles. */
enum { ST_WANTED_LISTS = 5 };
st_wanted st_wanted_of(const st_call *call, int stores);

/* The list that was sent, or NULL. */
const st_value *st_wanted_list(const st_call *call, int param);

#endif
