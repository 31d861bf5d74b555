/* gh_poll.c - stele gh-poll: take in the newest runs of workflows, once. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../forge/forge.h"
#include "asking.h"
#include "command.h"
#include "github.h"
#include "text.h"

static int poll_once(cli *c, char *const *repos) {
  forge_counts counts = {0};
  int status = 0;
  forge *f = asking_open(c, &status);
  if (!f) return status;
  bool good = forge_tend(f, repos, true, &counts);
  if (good && c->options.json)
    out_format(&c->out, "{\"runs\":%" PRId64 ",\"new\":%" PRId64 ",\"fetched\":%" PRId64 "}\n", counts.runs, counts.fresh,
               counts.fetched);
  else if (good)
    out_format(&c->out, "%" PRId64 " runs, %" PRId64 " of them new; of %" PRId64 " everything was fetched\n", counts.runs,
               counts.fresh, counts.fetched);
  else
    status = asking_failed(c, f);
  forge_close(f);
  return status;
}

static int run(cli *c) {
  const char *said = c->options.local[OPTION_REPO], *list = said ? said : settings_text(&c->settings, "github.watched_repos");
  int status = 0;
  if (!list) return out_bad(&c->out, "stele config set github.watched_repos OWNER/NAME, or --repo OWNER/NAME", "no repository is named");
  char **repos = asking_repos(c, list, &status);
  if (repos) status = poll_once(c, repos);
  github_free_repos(repos);
  return status;
}

const command gh_poll_command = {
    .name = "gh-poll",
    .group = GROUP_WORK,
    .usage = "",
    .summary = "take in the newest runs of GitHub's workflows, once",
    .examples = "stele gh-poll --repo OWNER/NAME\n"
                "stele gh-poll --json",
    .details = "The newest 20 runs of each repository, and the commits that are watched. Of a run that has ended come its jobs, what they\n"
               "found wrong, and the ends of the logs of those that failed, without secrets. Without --repo: github.watched_repos.\n"
               "`stele serve` does the same now and then, with `github.enabled`.\n\n"
               "The token is $STELE_GITHUB_TOKEN, $HIPPO_GITHUB_TOKEN, $GITHUB_TOKEN, or what `gh auth token` says.",
    .opens = true,
    .takes = (const command_option[]){{OPTION_REPO, "these repositories; with commas"}, {0, NULL}},
    .run = run,
};
