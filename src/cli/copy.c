/* copy.c - stele copy: the stores, or one of them, in another home or database. */
#include <stdlib.h>

#include "command.h"
#include "progress.h"
#include "said.h"
#include "text.h"

static int run(cli *c) {
  static const column columns[] = {
      {"store", "STORE", 0},        {"table", "TABLE", COLUMN_WHOLE},         {"state", "STATE", COLUMN_WHOLE}, {"rows", "ROWS", 0},
      {"written", "WRITTEN", 0}, {"left_out", "LEFT OUT", COLUMN_IF_ANY}, {NULL, NULL, 0},
  };
  const char *store = command_argument(c, 2);
  if (store && !command_store(c, store)) return 2;
  argument arguments[] = {{"to", text_quote(command_argument(c, 1))},
                          {"store", store ? text_quote(store) : NULL},
                          {"leave_out", said_flag(c, OPTION_LEAVE_OUT)},
                          {"again", said_flag(c, OPTION_AGAIN)},
                          {NULL, NULL}};
  progress_begin();
  int status = arguments[0].json ? command_reply(c, "stele.copy", arguments, columns, "nothing to copy: there are no stores yet")
                                 : out_bad(&c->out, NULL, "the name of the target is not UTF-8");
  request_free(arguments);
  return status;
}

const command copy_command = {
    .name = "copy",
    .group = GROUP_STORES,
    .usage = "TO [STORE] [--again] [--leave-out]",
    .summary = "copy stores to PostgreSQL, back to files, or to other files",
    .examples = "stele copy postgres://localhost/stele\n"
                "stele --database postgres://localhost/stele copy ~/from-postgres\n"
                "stele copy ~/other-home planner\n"
                "stele copy postgres://localhost/stele --again",
    .details = "TO is the directory of another home, or the address of its database.  Every table of the stores goes along, with its numbers,\n"
               "and every value is compared once it is there; search indexes are made anew when they are first needed.\n\n"
               "Stopped or killed, it goes on when the same command is given again.  Until it is finished, the copy cannot be used.\n"
               "A target that holds something else is refused.  Who writes meanwhile is not disturbed: what they wrote is brought along.\n\n"
               "PostgreSQL cannot keep some texts (with a NUL in them) that a file can: such rows are counted and named.\n"
               "docs/scaling.md tells more.",
    .least = 1,
    .most = 2,
    .opens = true,
    .takes = (const command_option[]){{OPTION_AGAIN, "bring a finished copy up to date"},
                                      {OPTION_LEAVE_OUT, "do without rows that cannot be kept there"},
                                      {0, NULL}},
    .run = run,
};
