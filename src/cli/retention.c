/* retention.c - stele retention: what the stores may forget after some time. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "retaining.h"
#include "said.h"
#include "text.h"

static int retain(cli *c, bool dry) {
  static const column columns[] = {
      {"rule", "RULE", COLUMN_WHOLE},
      {"state", "STATE", COLUMN_WHOLE},
      {"before", "OLDER THAN", COLUMN_AGO | COLUMN_WHOLE | COLUMN_IF_ANY},
      {"rows", "ROWS", COLUMN_WHOLE},
      {"also", "WITH THEM", COLUMN_WHOLE | COLUMN_RANK(1)},
      {"held", "HELD", COLUMN_WHOLE},
      {"oldest", "OLDEST", COLUMN_AGO | COLUMN_IF_ANY | COLUMN_RANK(2)},
      {"newest", "NEWEST", COLUMN_AGO | COLUMN_IF_ANY | COLUMN_RANK(3)},
      {NULL, NULL, 0},
  };
  int status = 0;
  argument arguments[] = {{"keep", retaining_keep(&c->settings)},
                          {"only", said_texts(c, OPTION_ONLY, &status)},
                          {"dry_run", dry ? text_format("true") : NULL},
                          {"again", said_flag(c, OPTION_AGAIN)},
                          {"outside", said_flag(c, OPTION_INTO_FOREIGN)},
                          {NULL, NULL}};
  if (!status) status = command_reply(c, "stele.retain", arguments, columns, "there is no store that a rule is about");
  request_free(arguments);
  if (dry && !status && !c->out.json) out_notes(&c->out, "nothing was deleted; `stele retention run` does it");
  return status;
}

static int run(cli *c) {
  const char *verb = command_argument(c, 1);
  size_t given = c->options.nwords - 1;
  if (!verb || (strcmp(verb, "list") == 0 && given == 1)) return retain(c, true);
  if (strcmp(verb, "run") == 0 && given == 1) return retain(c, c->options.local[OPTION_DRY_RUN] != NULL);
  return command_verb(c, &retention_command, verb);
}

const command retention_command = {
    .name = "retention",
    .group = GROUP_STORES,
    .usage = "list | run",
    .summary = "delete what the rules of retention say is old enough",
    .examples = "stele retention\n"
                "stele retention run\n"
                "stele retention run --only telemetry,assistant.audit --dry-run\n"
                "stele --set retention.conversation_sessions=1y retention",
    .details = "The list, which comes without a word too, tells for each rule how much is due and what a legal hold (`stele hold`) keeps\n"
               "back; it deletes nothing.  run deletes it, in short steps while others read and write.\n\n"
               "How long each rule keeps is a key of [retention] in the configuration; off: for ever.  `stele serve` does the same by\n"
               "itself, every hour (retention.interval); a rule is done once an hour or a day at most, whoever calls.  docs/retention.md has\n"
               "the rules.",
    .most = 1,
    .opens = true,
    .takes = (const command_option[]){{OPTION_DRY_RUN, "run: delete nothing, tell what would be"},
                                      {OPTION_ONLY, "only these rules, or those of these stores; with commas"},
                                      {OPTION_AGAIN, "run: also what was done a short time ago"},
                                      {OPTION_INTO_FOREIGN, "also in stores outside the home (--store)"},
                                      {0, NULL}},
    .run = run,
};
