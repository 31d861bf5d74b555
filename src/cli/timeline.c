/* timeline.c - stele timeline: what happened, in shells, with agents, in the browser and at the forge. */
#include "command.h"
#include "listing.h"
#include "ref.h"
#include "said.h"
#include "text.h"

/* What happened around something that was found, in all stores. */
static int run_around(cli *c, const char *ref) {
  static const column columns[] = {
      {"time", "WHEN", COLUMN_AGO | COLUMN_WHOLE},
      {"ref", "REF", COLUMN_WHOLE},
      {"role", "ROLE", COLUMN_IF_ANY | COLUMN_RANK(3)},
      {"snippet", "WHAT", 0},
      {"project", "WHERE", COLUMN_IF_ANY | COLUMN_RANK(2)},
      {NULL, NULL, 0},
  };
  int status = 0;
  argument arguments[] = {
      {"ref", text_quote(ref)},
      {"kinds", said_texts(c, OPTION_KIND, &status)},
      {"stores", said_texts(c, OPTION_IN, &status)},
      {"before", said_number(c, OPTION_LIMIT, &status)},
      {"after", said_number(c, OPTION_LIMIT, &status)},
      {NULL, NULL},
  };
  if (!status) status = command_reply(c, "recall.timeline", arguments, columns, "nothing happened");
  request_free(arguments);
  return status;
}

static int run(cli *c) {
  static const column columns[] = {
      {"time", "WHEN", COLUMN_AGO | COLUMN_WHOLE},
      {"source", "SOURCE", COLUMN_WHOLE | COLUMN_RANK(3)},
      {"summary", "WHAT", 0},
      {"outcome", "OUTCOME", COLUMN_IF_ANY | COLUMN_WHOLE | COLUMN_RANK(1)},
      {"exit_code", "EXIT", COLUMN_IF_ANY | COLUMN_WHOLE | COLUMN_RANK(5)},
      {"duration_ms", "MS", COLUMN_IF_ANY | COLUMN_COUNT | COLUMN_RANK(6)},
      {"cwd|repo", "WHERE", COLUMN_IF_ANY | COLUMN_RANK(2)},
      {"branch", "BRANCH", COLUMN_IF_ANY | COLUMN_RANK(4)},
      {NULL, NULL, 0},
  };
  int status = 0;
  if (command_argument(c, 1)) return run_around(c, command_argument(c, 1));
  argument arguments[] = {
      {"kinds", said_texts(c, OPTION_KIND, &status)},
      {"project", said_directory(c, OPTION_PROJECT, &status)},
      {"session", said_text(c, OPTION_SESSION, &status)},
      {"branch", said_text(c, OPTION_BRANCH, &status)},
      {"since", said_time(c, OPTION_SINCE, &status)},
      {"until", said_time(c, OPTION_UNTIL, &status)},
      {NULL, NULL},
  };
  if (!status) status = listing_print(c, "capture.timeline", arguments, columns, 50, "nothing happened");
  request_free(arguments);
  return status;
}

const command timeline_command = {
    .name = "timeline",
    .group = GROUP_WORK,
    .usage = "[REF]",
    .summary = "what happened, the newest first: commands, agents, pages, workflows; or all around a find",
    .examples = "stele timeline\n"
                "stele timeline --project . --since yesterday\n"
                "stele timeline --kind shell,ci --branch main --limit 20\n"
                "stele timeline conversation/message/12 --limit 5\n"
                "stele timeline --json",
    .details = "--project is a directory with all below it, or the name of a directory or repository: stele, me/stele.\n\n"
               "With a REF, store/kind/id as `stele search` tells it: what happened before and after it, in all stores, the oldest\n"
               "first. Then --kind takes what `stele search --kind` does, --limit is how many before and how many after (10), and\n"
               "only --in goes with them.",
    .most = 1,
    .opens = true,
    .pages = true,
    .takes = (const command_option[]){{OPTION_KIND, "only these: shell, tool, agent, browser, ci; with commas"},
                                      {OPTION_IN, "of a REF: only in these stores; with commas"},
                                      {OPTION_PROJECT, "only in this directory, or in whatever has this name"},
                                      {OPTION_SESSION, "only of this session, as the shell or the agent names it"},
                                      {OPTION_BRANCH, "only on this branch"},
                                      {OPTION_SINCE, "only from this time on"},
                                      {OPTION_UNTIL, "only before this time"},
                                      LISTING_OPTIONS("at most this many (50)"),
                                      {OPTION_OFFSET, "after leaving out this many"},
                                      {0, NULL}},
    .run = run,
};
