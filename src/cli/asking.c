/* asking.c - see asking.h. */
#include "asking.h"

#include <stdlib.h>
#include <time.h>

#include "../forge/forge.h"
#include "github.h"
#include "progress.h"

bool asking_wait(void *user, int64_t ms) {
  struct timespec left = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
  (void)user;
  while (!progress_stopped() && (left.tv_sec || left.tv_nsec) && nanosleep(&left, &left) != 0) continue;
  return !progress_stopped();
}

static void note(void *user, const char *line) {
  cli *c = user;
  out_notes(&c->out, line);
}

forge *asking_open(cli *c, int *status) {
  char *problem = NULL;
  progress_begin();
  forge *f = github_open(&c->settings, c->db, &(github_user){asking_wait, note, c}, &problem);
  if (!f) *status = out_bad(&c->out, NULL, "%s", problem);
  free(problem);
  return f;
}

int asking_failed(cli *c, const forge *f) {
  return out_failure(&c->out, &(stele_failure){.status = progress_stopped() ? STELE_CANCELLED : STELE_UNAVAILABLE,
                                               .method = "",
                                               .field = "",
                                               .message = forge_problem(f),
                                               .hint = ""});
}

char **asking_repos(cli *c, const char *list, int *status) {
  char *wrong = NULL, **repos = github_repos(list, &wrong);
  if (!repos) *status = out_bad(&c->out, NULL, "a repository is OWNER/NAME, not %s", wrong);
  free(wrong);
  return repos;
}
