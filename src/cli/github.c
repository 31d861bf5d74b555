/* github.c - see github.h.  With ci.c, the one place where the command line meets the forge. */
#include "github.h"

#include <stdlib.h>
#include <string.h>

#include "../forge/forge.h"
#include "../forge/token.h"
#include "text.h"

struct forge *github_open(const settings *s, stele_db *db, const github_user *user, char **problem) {
  char *api = text_format("%s", settings_get(s, "github.api_url")->text);
  size_t length = strlen(api);
  while (length && api[length - 1] == '/') api[--length] = '\0';
  const char *wrong = forge_api_problem(api);
  char *token = wrong ? NULL : token_find(api);
  forge *f = wrong ? NULL
                   : forge_open(
                         &(forge_options){
                             .api = api,
                             .token = token,
                             .log_bytes = settings_get(s, "github.log_excerpt_max_bytes")->number,
                             .longest_wait_ms = settings_get(s, "github.longest_wait")->number,
                             .wait = user->wait,
                             .note = user->note,
                             .user = user->user,
                         },
                         db);
  if (!f) *problem = text_format("github.api_url: %s", wrong ? wrong : "out of memory");
  if (token) explicit_bzero(token, strlen(token));
  free(token);
  free(api);
  return f;
}

char **github_repos(const char *list, char **wrong) {
  size_t count = 0;
  char **repos = text_need(calloc(strlen(list) + 2, sizeof *repos));
  *wrong = NULL;
  while (*list && !*wrong) {
    size_t length = strcspn(list, ",");
    char *repo = text_need(strndup(list, length));
    if (forge_is_repo(repo))
      repos[count++] = repo;
    else
      *wrong = repo;
    list += length + (list[length] == ',');
  }
  if (!*wrong) return repos;
  github_free_repos(repos);
  return NULL;
}

void github_free_repos(char **repos) {
  for (char **at = repos; at && *at; at++) free(*at);
  free(repos);
}
