/* ci_status.c - stele ci-status: how the workflows of a commit or a branch went, as far as they were taken in. */
#include "command.h"
#include "said.h"
#include "text.h"

static int run(cli *c) {
  static const column columns[] = {
      {"conclusion|status", "STATE", COLUMN_WHOLE},
      {"event", "EVENT", COLUMN_WHOLE | COLUMN_RANK(3)},
      {"head_branch", "BRANCH", COLUMN_IF_ANY | COLUMN_RANK(2)},
      {"head_sha", "COMMIT", COLUMN_RANK(4)},
      {"started_at", "STARTED", COLUMN_AGO | COLUMN_WHOLE | COLUMN_RANK(1)},
      {"html_url", "ADDRESS", 0},
      {NULL, NULL, 0},
  };
  const char *sha = command_argument(c, 1);
  int status = 0;
  argument arguments[] = {
      {"repo", said_text(c, OPTION_REPO, &status)},
      {"sha", sha ? text_quote(sha) : NULL},
      {"branch", said_text(c, OPTION_BRANCH, &status)},
      {"limit", said_number(c, OPTION_LIMIT, &status)},
      {NULL, NULL},
  };
  if (!status && !arguments[0].json) status = out_bad(&c->out, NULL, "ci-status needs --repo OWNER/NAME");
  if (!status && sha && !arguments[1].json) status = out_bad(&c->out, NULL, "the commit is not UTF-8");
  if (!status) status = command_reply(c, "capture.get_ci_status", arguments, columns, "no runs are known; `stele gh-poll` takes them in");
  request_free(arguments);
  return status;
}

const command ci_status_command = {
    .name = "ci-status",
    .group = GROUP_WORK,
    .usage = "[SHA]",
    .summary = "how the workflows of a commit, or of a branch, went",
    .examples = "stele ci-status 0123abc --repo OWNER/NAME\n"
                "stele ci-status --repo OWNER/NAME --branch main --json",
    .details = "What `stele gh-poll`, `stele watch-sha` or the server have taken in, the newest first; nobody is asked. With --json come\n"
               "the jobs, and what each found wrong.",
    .most = 1,
    .opens = true,
    .pages = true,
    .takes = (const command_option[]){{OPTION_REPO, "in this repository"},
                                      {OPTION_BRANCH, "on this branch"},
                                      {OPTION_LIMIT, "at most this many (10)"},
                                      {0, NULL}},
    .run = run,
};
