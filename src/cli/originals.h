/* originals.h - files of the programs that Stele's stores come from, where these document them. */
#ifndef CLI_ORIGINALS_H
#define CLI_ORIGINALS_H

#include "command.h"

/* Tell what is there and how Stele works on it, through `say`; if `ask`, offer to.  Such a file is changed only by who
** says yes to working on it. */
void originals_offer(cli *c, bool ask, void (*say)(cli *c, const char *line));

#endif
