/* narrowing.h - the options that say where recall looks, as arguments of its methods. */
#ifndef CLI_NARROWING_H
#define CLI_NARROWING_H

#include "command.h"

enum { NARROWING_ARGUMENTS = 8 }; /* without an end: more may follow */

/* Each JSON is new memory, or NULL where the option was not given; request_free() frees them. */
void narrowing_arguments(cli *c, argument out[NARROWING_ARGUMENTS], int *status);

#endif
