/* ref.h - what `stele search` found, by its ref: store/kind/id. */
#ifndef CLI_REF_H
#define CLI_REF_H

#include "command.h"

/* Is it one?  Its store must exist. */
bool ref_is(const char *text);

/* Print all of it.  Returns the exit status. */
int ref_show(cli *c, const char *ref);

#endif
