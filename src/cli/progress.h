/* progress.h - long work: shown on a terminal while it lasts, and stopped by Ctrl-C in good order. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "output.h"

/* From now on Ctrl-C asks the work to stop, and a second Ctrl-C ends the program. */
void progress_begin(void);
bool progress_stopped(void);

/* Callback for stele_options.progress; user is the output. */
int progress_show(void *user, const char *what, int64_t done, int64_t total);

/* Take it off the screen, before anything else is written there. */
void progress_clear(output *out);

#endif
