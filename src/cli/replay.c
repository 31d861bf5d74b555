/* replay.c - stele replay: events that the server did not take are read from the files that kept them. */
#include <stdlib.h>

#include "../ingest/place.h"
#include "command.h"
#include "progress.h"
#include "text.h"

static int run(cli *c) {
  static const column columns[] = {{"files", "FILES", 0},       {"stored", "STORED", 0},   {"duplicates", "KNOWN", 0},
                                   {"refused", "REFUSED", 0},   {"partial", "PARTIAL", 0}, {NULL, NULL, 0}};
  char directory[ST_PLACE_MAX];
  if (!st_place_fallback(c->options.home, directory)) return out_bad(&c->out, NULL, "replay needs a home");
  char *quoted = text_quote(directory);
  if (!quoted) return out_bad(&c->out, NULL, "the home's path is not UTF-8");
  progress_begin();
  int status = command_reply(c, "capture.replay_fallback", (argument[]){{"directory", quoted}, {NULL, NULL}}, columns, "");
  free(quoted);
  return status;
}

const command replay_command = {
    .name = "replay",
    .group = GROUP_STORES,
    .usage = "",
    .summary = "take in the events that were kept in files while the server was away",
    .examples = "stele replay\n"
                "stele replay --json",
    .details = "The server does this by itself when it starts and once a minute.  A file that was taken in is called .done\n"
               "afterwards; lines that nobody understands are in a file .partial.  What is there already is known by its\n"
               "envelope, so that nothing is stored twice.",
    .opens = true,
    .run = run,
};
