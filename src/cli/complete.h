/* complete.h - what can be typed next.  The shells ask for it; see completion.c. */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "command.h"

/* Print what the last word, which may be "", can become: a line each, with a tab and what it is.  The line
** :file asks for names of files.  What can stand where is read from the usage of the commands and options:
** words in capitals are kinds of things, others stand for themselves. */
void complete_print(cli *c, char **words, size_t count);

#endif
