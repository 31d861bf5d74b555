/* learned.h - what was learned from a bundle is written, or what went wrong instead. */
#ifndef ST_LEARNED_H
#define ST_LEARNED_H

#include "engine/call.h"
#include "enrich/enricher.h"

/* What holds the tickets, and how they are settled. */
typedef struct st_holding {
  st_value queue, token, now;
  st_value max_retries;         /* absent: each ticket's own number */
  st_value home, project_roots; /* for names of files; absent: unknown */
} st_holding;

/* The tickets of a bundle, as a list. */
st_value st_learned_tickets(st_call *call, const st_bundle *bundle);

/* What became of it.  The tickets of a bundle go the same way, all of them. */
typedef struct st_settled {
  int64_t learned, failed, lost, lessons;
} st_settled;

/* Inside a write transaction: the node with all that belongs to it, or nothing of it; and its tickets are completed.  If the store
** will not have the node, the tickets fail; if they are not held any more, they are lost. */
void st_learned_write(st_call *call, const st_holding *by, const st_enricher *enricher, const st_bundle *bundle, const st_learned *learned,
                      st_settled *settled);
/* Nothing was learned, and this is why. */
void st_learned_fail(st_call *call, const st_holding *by, const st_bundle *bundle, const char *problem, st_settled *settled);
/* Nothing was learned, for a reason that is not the bundle's: it waits again. */
void st_learned_release(st_call *call, const st_holding *by, const st_bundle *bundle, const char *reason, st_settled *settled);
/* There is nothing to learn from a ticket. */
void st_learned_skip(st_call *call, const st_holding *by, int64_t ticket, const char *reason, st_settled *settled);

#endif
