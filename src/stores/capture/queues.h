/* queues.h - how tickets of the four queues are settled. */
#ifndef ST_CAPTURE_QUEUES_H
#define ST_CAPTURE_QUEUES_H

#include "engine/call.h"

/* What came of a ticket. */
typedef struct st_outcome {
  const char *status;          /* done, skipped, failed, or pending: it was given back */
  st_value error;              /* why; null if it is done */
  const st_value *max_retries; /* of a failure: give up after so many; NULL or absent: the ticket's own number */
  st_value now;
} st_outcome;

/* Settle a ticket that is held with a token; DENIED if it is not.  Answers the status that it has now, NULL when the
** call has failed. */
const char *st_capture_settle(st_call *call, const st_value *queue, const st_value *id, const st_value *token,
                              const st_outcome *outcome);

#endif
