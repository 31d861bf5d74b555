/* home.h - how the stores are opened, by what the options said: the same for every command that opens them. */
#ifndef CLI_HOME_H
#define CLI_HOME_H

#include "command.h"

typedef struct home {
  stele_options options; /* callbacks not set */
  stele_embedding embedding;
  stele_chat chat;
  char *rules;           /* the user's rules of redaction, which the options point to; NULL: none */
} home;

/* Returns the exit status: 0, or why the rules could not be read, which was told. */
int home_of(cli *c, home *out);
void home_free(home *h);

#endif
