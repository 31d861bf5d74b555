/* trial.h - before something is deleted: --dry-run does it and takes it back, and a question is asked. */
#ifndef CLI_TRIAL_H
#define CLI_TRIAL_H

#include "command.h"

#define TRIAL_YES "do not ask"

/* Begin what a call of this method is part of, if --dry-run was said: a transaction that will be taken back.
** False: the method cannot be taken back, which is told, and *status is set. */
bool trial_begin(cli *c, const char *method, int *status);

/* Take it back, and say so. */
void trial_end(cli *c);

/* May it be done?  Asked on a terminal, unless --yes or --dry-run was said; where nobody can be asked, --yes
** must be said.  False: no, which is told, and *status is set. */
bool trial_agreed(cli *c, const char *question, int *status);

#endif
