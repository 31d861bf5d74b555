/* github.h - the forge as the configuration says ([github]); for the commands that ask it, and for the server. */
#ifndef CLI_GITHUB_H
#define CLI_GITHUB_H

#include "command.h"

struct forge;

/* Who waits, and who is told; as in forge_options. */
typedef struct github_user {
  bool (*wait)(void *user, int64_t ms);
  void (*note)(void *user, const char *line);
  void *user;
} github_user;

/* NULL: it cannot be asked, and *problem, in new memory, says why. */
struct forge *github_open(const settings *s, stele_db *db, const github_user *user, char **problem);

/* owner/name,... taken apart, for github_free_repos(); NULL: one is no repository, and *wrong is it, in new memory. */
char **github_repos(const char *list, char **wrong);
void github_free_repos(char **repos);

#endif
