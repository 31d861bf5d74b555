/* upkeeping.h - what the configuration says about upkeep, as arguments of stele.upkeep. */
#ifndef CLI_UPKEEPING_H
#define CLI_UPKEEPING_H

#include "command.h"

#define UPKEEPING_ARGUMENTS 8 /* with the NULL name at the end */

/* Each JSON is new memory; request_free() frees them. */
void upkeeping_arguments(const settings *s, argument out[UPKEEPING_ARGUMENTS]);

#endif
