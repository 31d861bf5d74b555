/* git_state.h - the repository that a directory is in, as git tells it. */
#ifndef CLI_GIT_STATE_H
#define CLI_GIT_STATE_H

#include <stdbool.h>

typedef struct git_state {
  char *repo;   /* owner/name of its origin, else the name of its directory */
  char *branch; /* NULL: none is checked out */
  char *commit; /* short; NULL: there is none yet */
  int dirty;    /* 1: tracked files are changed; -1: not known */
} git_state;

/* False: the directory is in none, or there is no git, or it took longer than so many milliseconds. */
bool git_state_read(const char *directory, int limit_ms, git_state *out);
void git_state_free(git_state *state);

/* owner/name of https://host/owner/name.git, ssh://..., git@host:owner/name and the like, in new memory; NULL: it has none. */
char *git_state_repo(const char *url);

#endif
