/* terminal.h - the interactive stele: what `stele` alone does on a terminal. */
#ifndef CLI_TERMINAL_TERMINAL_H
#define CLI_TERMINAL_TERMINAL_H

#include "../command.h"

/* Is there a terminal for it? */
bool terminal_there(void);

/* Search and read until the user leaves; the stores are open.  Returns the exit status; does not return where a session is gone on
** with, whose agent takes the place of the program. */
int terminal_run(cli *c);

#endif
