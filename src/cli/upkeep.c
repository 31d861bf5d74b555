/* upkeep.c - stele upkeep: what is known is kept in order. */
#include "command.h"
#include "said.h"
#include "upkeeping.h"

static int run(cli *c) {
  static const column columns[] = {
      {"chore", "CHORE", COLUMN_WHOLE}, {"what", "WHAT", 0}, {"change", "CHANGE", COLUMN_WHOLE}, {"why", "WHY", 0}, {NULL, NULL, 0},
  };
  bool dry = c->options.local[OPTION_DRY_RUN] != NULL;
  int status = 0;
  argument arguments[UPKEEPING_ARGUMENTS + 4];
  upkeeping_arguments(&c->settings, arguments);
  argument *more = arguments + UPKEEPING_ARGUMENTS - 1;
  more[0] = (argument){"only", said_texts(c, OPTION_ONLY, &status)};
  more[1] = (argument){"dry_run", said_flag(c, OPTION_DRY_RUN)};
  more[2] = (argument){"again", said_flag(c, OPTION_AGAIN)};
  more[3] = (argument){"outside", said_flag(c, OPTION_INTO_FOREIGN)};
  more[4] = (argument){NULL, NULL};
  if (!status) status = command_reply(c, "stele.upkeep", arguments, columns, "everything is in order");
  request_free(arguments);
  if (dry && !status && !c->out.json) out_notes(&c->out, "a dry run: nothing was changed");
  return status;
}

const command upkeep_command = {
    .name = "upkeep",
    .group = GROUP_STORES,
    .usage = "",
    .summary = "keep what is known in order: facts fade, learnings are promoted, lessons graduate",
    .examples = "stele upkeep --dry-run\n"
                "stele upkeep\n"
                "stele upkeep --only planner.decay,planner.archive\n"
                "stele --store planner=store.db upkeep --into-foreign",
    .details = "Every change is told, with its reason.  `stele serve` does the same by itself, every hour (upkeep.interval); call it as often as you like:\n"
               "facts fade once a day, and the other chores leave nothing to be done again.\n\n"
               "capture.graduate     what workflows meet again and again becomes a lesson\n"
               "assistant.promote    rules that were seen twice become active\n"
               "assistant.decay      facts about the user that were not meant to last are deleted\n"
               "planner.promote      what was learned in several sessions becomes a fact\n"
               "planner.supersede    of facts that say the same one stays\n"
               "planner.decay        facts that nobody uses lose confidence\n"
               "planner.archive      facts of little confidence go to the archive\n\n"
               "docs/upkeep.md has the rules.",
    .opens = true,
    .takes = (const command_option[]){{OPTION_DRY_RUN, "change nothing, tell what would be done"},
                                      {OPTION_ONLY, "only these chores, or those of these stores; with commas"},
                                      {OPTION_AGAIN, "also what was done today already"},
                                      {OPTION_INTO_FOREIGN, "also in stores outside the home (--store)"},
                                      {0, NULL}},
    .run = run,
};
