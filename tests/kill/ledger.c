/* ledger.c - see ledger.h. */
#include "kill/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ledger_clear(ledger *l) {
  for (int i = 0; i < WRITERS_MAX; i++) free(l->lives[i].ops);
  memset(l, 0, sizeof *l);
}

void ledger_take(ledger *l, int writer, const message *m) {
  life *of = &l->lives[writer];
  switch (m->kind) {
    case MESSAGE_WRONG: snprintf(of->wrong, sizeof of->wrong, "%s", m->text); return;
    case MESSAGE_DONE:
      of->ops[of->count - 1] = m->op;
      of->ops[of->count - 1].done = true;
      return;
    case MESSAGE_BEGUN:
      if (of->count == of->room) {
        of->room = of->room ? 2 * of->room : 64;
        of->ops = realloc(of->ops, (size_t)of->room * sizeof *of->ops);
        if (!of->ops) abort();
      }
      of->ops[of->count++] = m->op;
  }
}

int ledger_done(const ledger *l) {
  int done = 0;
  for (int w = 0; w < l->writers; w++)
    for (int i = 0; i < l->lives[w].count; i++) done += l->lives[w].ops[i].done;
  return done;
}

const op *life_op(const life *of, int number) {
  return number >= 1 && number <= of->count ? &of->ops[number - 1] : NULL;
}

const op *life_unfinished(const life *of) {
  const op *last = life_op(of, of->count);
  return last && !last->done ? last : NULL;
}
