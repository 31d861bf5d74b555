/* embed.c - stele embed: everything gets its embedding, so that it is found by what it means. */
#include "command.h"
#include "progress.h"
#include "said.h"

static int run(cli *c) {
  static const column columns[] = {
      {"store", "STORE", COLUMN_WHOLE},        {"kind", "KIND", COLUMN_WHOLE},
      {"done", "DONE", COLUMN_COUNT},          {"failed", "FAILED", COLUMN_COUNT},
      {"empty", "EMPTY", COLUMN_COUNT},        {"remaining", "REMAINING", COLUMN_COUNT},
      {"problem", "PROBLEM", COLUMN_IF_ANY},   {NULL, NULL, 0},
  };
  int status = 0;
  argument arguments[] = {
      {"stores", said_texts(c, OPTION_IN, &status)},
      {"kinds", said_texts(c, OPTION_KIND, &status)},
      {"rate", said_number(c, OPTION_RATE, &status)},
      {"limit", said_number(c, OPTION_LIMIT, &status)},
      {"clear", said_flag(c, OPTION_CLEAR)},
      {"dry_run", said_flag(c, OPTION_DRY_RUN)},
      {NULL, NULL},
  };
  progress_begin();
  if (!status) status = command_reply(c, "recall.embed_backfill", arguments, columns, "there is nothing to embed");
  request_free(arguments);
  return status;
}

const command embed_command = {
    .name = "embed",
    .group = GROUP_STORES,
    .usage = "",
    .summary = "embed whatever is not embedded yet, so that searches find it by meaning",
    .examples = "stele embed\n"
                "stele embed --dry-run\n"
                "stele embed --in conversation,assistant --limit 1000\n"
                "stele embed --clear",
    .details = "A model on this machine, or an endpoint, must be configured: `stele model`, docs/embeddings.md.  It can be stopped\n"
               "and called again: what is done stays done.  A row whose text has changed is embedded anew.",
    .opens = true,
    .takes = (const command_option[]){{OPTION_IN, "only in these stores; with commas"},
                                      {OPTION_KIND, "only these: message, event, note, fact, task, ...; with commas"},
                                      {OPTION_RATE, "at most so many rows a second; 0: no limit (10 for an endpoint)"},
                                      {OPTION_LIMIT, "at most so many rows"},
                                      {OPTION_CLEAR, "forget the embeddings of this dimension first: those of another model"},
                                      {OPTION_DRY_RUN, "only count them"},
                                      {0, NULL}},
    .run = run,
};
