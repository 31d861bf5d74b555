/* asking.h - a command that asks the forge: it waits until Ctrl-C, and tells what keeps it. */
#ifndef CLI_ASKING_H
#define CLI_ASKING_H

#include "command.h"

struct forge;

/* NULL: it cannot be asked, which is told. */
struct forge *asking_open(cli *c, int *status);
/* Tell why the forge's last answer was none.  Returns the exit status. */
int asking_failed(cli *c, const struct forge *f);
/* False: it was stopped. */
bool asking_wait(void *user, int64_t ms);
/* owner/name,... taken apart, for github_free_repos(); NULL: one is none, which is told. */
char **asking_repos(cli *c, const char *list, int *status);

#endif
