/* ask.h - questions, asked only of a person. */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include "output.h"

/* Is somebody there to answer? */
bool ask_possible(void);

/* "question [y/N] " on the terminal; `usual` is what an empty line means.  The end of the input is a no. */
bool ask(output *out, const char *question, bool usual);

#endif
