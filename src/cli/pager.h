/* pager.h - long output on a terminal, through the program that the user likes to read with. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

/* Start the one that was said, $PAGER or less (said NULL: nobody said); what is written to stdout from now on goes there.  Returns its
** process, or 0: there is none, or none is wanted, and stdout is what it was. */
pid_t pager_start(const char *said);

/* Close stdout and wait until the reader is done. */
void pager_end(pid_t pager);

#endif
