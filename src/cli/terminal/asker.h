/* asker.h - a thread with a handle of its own that calls methods, so that whoever types never waits.
**
** It has one question at a time.  A newer one takes the place of the one that waits, and stops the one under way: only the
** answer to the last is ever told. */
#ifndef CLI_TERMINAL_ASKER_H
#define CLI_TERMINAL_ASKER_H

#include <stdbool.h>

#include "stele.h"

typedef struct asker asker;

typedef struct answer {
  int purpose;  /* as it was asked for */
  char *reply;  /* JSON; NULL: it failed */
  char *remark; /* why it failed, or what was remarked on it; "" if nothing */
} answer;

/* Start it.  A byte is written to `bell` whenever there is something to look at.  NULL: there is no thread to be had. */
asker *asker_start(const stele_options *options, int bell);

/* Stop what it does and end it.  False: it is at something that cannot be stopped, and will end with the process; nothing of what it
** uses may be torn down. */
bool asker_stop(asker *a);

/* Ask a method.  The arguments, JSON in memory of their own, are taken. */
void asker_ask(asker *a, int purpose, const char *method, char *arguments);
/* Ask nothing more: what is under way is of no interest. */
void asker_forget(asker *a);

/* The answer to the last question, if it has come and was not taken.  For answer_free(). */
bool asker_take(asker *a, answer *out);
void answer_free(answer *a);

/* Is a question under way?  What it is at, as "index 43 %", in new memory; NULL: nothing to tell. */
bool asker_busy(asker *a, char **at);

#endif
