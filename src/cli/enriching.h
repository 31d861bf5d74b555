/* enriching.h - what the configuration says about learning, as arguments of capture.enrich. */
#ifndef CLI_ENRICHING_H
#define CLI_ENRICHING_H

#include "command.h"

#define ENRICHING_ARGUMENTS 10 /* with the NULL name at the end */

/* Each JSON is new memory; request_free() frees them. */
void enriching_arguments(const settings *s, argument out[ENRICHING_ARGUMENTS]);

#endif
