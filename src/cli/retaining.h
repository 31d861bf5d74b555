/* retaining.h - what the configuration says about retention, as an argument of stele.retain. */
#ifndef CLI_RETAINING_H
#define CLI_RETAINING_H

#include "command.h"

/* How long each rule keeps: {"telemetry.executions":604800,...}; new memory. */
char *retaining_keep(const settings *s);

#endif
