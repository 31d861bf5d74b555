/* resolve.h - the session that somebody means. */
#ifndef CLI_RESOLVE_H
#define CLI_RESOLVE_H

#include "command.h"

#define RESOLVE_WORDS "SESSION is an id, the beginning of one, or a title."

/* The id of a session from its id, the beginning of its id, or its title, in new memory.  NULL: there
** is none, which is told, and *status is the exit status. */
char *resolve_session(cli *c, const char *what, int *status);

/* Tell that there is no such session.  Returns the exit status. */
int resolve_missing(cli *c, const char *what);

#endif
