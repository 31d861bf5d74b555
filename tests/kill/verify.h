/* verify.h - is everything that was acknowledged there, once, and nothing else? */
#ifndef ST_KILL_VERIFY_H
#define ST_KILL_VERIFY_H

#include "kill/ledger.h"
#include "kill/place.h"

/* What is known of a registration from earlier cycles. */
typedef struct registered {
  int64_t id;
  double first, last;
} registered;

typedef struct verifier {
  const place *place;
  const ledger *ledger;
  registered listeners[WRITERS_MAX], jobs[WRITERS_MAX];
  int problems; /* told on stderr */
} verifier;

/* After the writers of a cycle were killed.  Counts what is wrong in v->problems. */
void verify(verifier *v, const ledger *l);

#endif
