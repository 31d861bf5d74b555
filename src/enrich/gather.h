/* gather.h - what was claimed becomes bundles. */
#ifndef ST_GATHER_H
#define ST_GATHER_H

#include "engine/call.h"
#include "enrich/bundle.h"

#define ST_CLAIMED_MOST 100

typedef struct st_ticket {
  int64_t id, source;
  bool gathered;    /* it is in a bundle */
  const char *skip; /* why nothing can be learned from it; NULL: something can */
} st_ticket;

/* Tickets of one queue that were claimed together, and what was made of them. */
typedef struct st_gathering {
  st_call *call;
  const char *queue;
  st_ticket tickets[ST_CLAIMED_MOST];
  size_t count;
  st_bundle bundles[ST_CLAIMED_MOST];
  size_t bundle_count;
} st_gathering;

/* Read what the tickets stand for, inside a transaction; everything is in the call's memory.  Afterwards each is in a bundle or to be
** skipped. */
void st_gather(st_gathering *g);

/* ---- For those that gather: gather_shell.c, gather_segments.c, gather_pages.c, gather_runs.c ---- */

void st_gather_shell(st_gathering *g, const st_value *ids);
void st_gather_segments(st_gathering *g, const st_value *ids);
void st_gather_pages(st_gathering *g, const st_value *ids);
void st_gather_runs(st_gathering *g, const st_value *ids);

/* The ticket of a source; NULL: there is none. */
st_ticket *st_gather_ticket(st_gathering *g, int64_t source);
/* A new bundle with room for so many tickets and items; NULL: the call has failed. */
st_bundle *st_gather_bundle(st_gathering *g, size_t tickets, size_t items);
/* The ticket belongs to it from now on. */
void st_gather_join(st_bundle *bundle, st_ticket *ticket);
/* One more item, of those that there is room for. */
st_item *st_gather_item(st_bundle *bundle, st_item_kind kind);

static inline st_text st_text_in(const st_value *value) {
  return value->type == ST_TEXT ? (st_text){value->bytes, value->length} : (st_text){"", 0};
}

#endif
