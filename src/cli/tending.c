/* tending.c - see tending.h. */
#include "tending.h"

#include <stdlib.h>
#include <time.h>

#include "../forge/forge.h"
#include "asking.h"
#include "github.h"
#include "text.h"

struct tending {
  const settings *settings;
  char **repos;
  forge *forge; /* opened by the first look, on the server's thread */
  bool (*wait)(void *waiter, int64_t ms);
  void *waiter;
  time_t next_all; /* when the repositories are looked at again */
};

tending *tending_open(cli *c, int *status) {
  char **repos = asking_repos(c, settings_get(&c->settings, "github.watched_repos")->text, status);
  if (!repos) return NULL;
  tending *t = text_need(calloc(1, sizeof *t));
  t->settings = &c->settings;
  t->repos = repos;
  return t;
}

void tending_close(tending *t) {
  if (!t) return;
  forge_close(t->forge);
  github_free_repos(t->repos);
  free(t);
}

int64_t tending_every_s(const tending *t) {
  int64_t tight = settings_get(t->settings, "github.tight_poll_interval_secs")->number / 1000;
  return tight > 0 ? tight : 1;
}

static bool wait_on(void *user, int64_t ms) {
  const tending *t = user;
  return t->wait(t->waiter, ms);
}

bool tending_run(void *user, stele_db *db, bool (*wait)(void *waiter, int64_t ms), void *waiter, char *problem, size_t room) {
  tending *t = user;
  struct timespec now;
  forge_counts counts = {0};
  char *wrong = NULL;
  clock_gettime(CLOCK_MONOTONIC, &now);
  t->wait = wait;
  t->waiter = waiter;
  if (!t->forge) t->forge = github_open(t->settings, db, &(github_user){.wait = wait_on, .user = t}, &wrong);
  bool all = now.tv_sec >= t->next_all, good = t->forge && forge_tend(t->forge, t->repos, all, &counts);
  if (!good) snprintf(problem, room, "%s", wrong ? wrong : forge_problem(t->forge));
  if (all) t->next_all = now.tv_sec + (time_t)(settings_get(t->settings, "github.poll_interval_secs")->number / 1000);
  free(wrong);
  return good;
}
