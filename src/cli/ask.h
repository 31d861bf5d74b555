/* ask.h - questions, asked only of a person. */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include "output.h"

/* Is somebody there to answer? */
bool ask_possible(void);

/* "question [y/N] " on the terminal; `usual` is what an empty line means.  The end of the input is a no. */
bool ask(output *out, const char *question, bool usual);

/* A line of standard input without its end, in new memory; NULL: there is none.  A person is asked for it: "question: ".
** What is typed is not shown if it is secret. */
char *ask_line(output *out, const char *question, bool secret);

#endif
