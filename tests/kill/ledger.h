/* ledger.h - what the writers of one cycle have told: the operations of each, in order. */
#ifndef ST_KILL_LEDGER_H
#define ST_KILL_LEDGER_H

#include "kill/op.h"

/* The operations of one writer.  All are done but the last, which may have been under way. */
typedef struct life {
  op *ops;
  int count, room;
  char wrong[300]; /* not "": what the writer found wrong */
} life;

typedef struct ledger {
  int cycle;
  int writers;
  int quota; /* not 0: nobody was killed, and each has done so many */
  life lives[WRITERS_MAX];
} ledger;

void ledger_clear(ledger *l);
void ledger_take(ledger *l, int writer, const message *m);
int ledger_done(const ledger *l); /* operations acknowledged, in all */

/* The operation of that number, or NULL. */
const op *life_op(const life *of, int number);
/* The operation that was under way, or NULL. */
const op *life_unfinished(const life *of);

#endif
