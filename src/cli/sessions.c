/* sessions.c - stele sessions: the latest conversations. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "listing.h"
#include "said.h"
#include "text.h"

static int run(cli *c) {
  static const column columns[] = {
      {"id", "SESSION", COLUMN_WHOLE},
      {"title|preview", "TITLE", 0},
      {"source", "SOURCE", COLUMN_WHOLE | COLUMN_RANK(3)},
      {"model", "MODEL", COLUMN_IF_ANY | COLUMN_RANK(4)},
      {"message_count", "MSGS", COLUMN_WHOLE | COLUMN_RANK(2)},
      {"last_active", "LAST ACTIVE", COLUMN_AGO | COLUMN_WHOLE | COLUMN_RANK(1)},
      {NULL, NULL, 0},
  };
  int status = 0;
  argument arguments[] = {
      {"source", said_text(c, OPTION_SOURCE, &status)},
      {"include_children", said_flag(c, OPTION_ALL)},
      {"include_archived", said_flag(c, OPTION_ALL)},
      {"order_by_last_active", text_format("true")},
      {NULL, NULL},
  };
  if (!status)
    status = listing_print(c, "conversation.list_sessions_rich", arguments, columns, 20, "there are no sessions");
  request_free(arguments);
  return status;
}

const command sessions_command = {
    .name = "sessions",
    .group = GROUP_WORK,
    .usage = "",
    .summary = "list conversations, the latest activity first",
    .examples = "stele sessions\n"
                "stele sessions --source telegram --limit 50\n"
                "stele sessions --all --json",
    .details = "A session without a title is told by the beginning of its first message.  One that was continued\n"
               "after a compression is told as its last continuation.",
    .opens = true,
    .pages = true,
    .takes = (const command_option[]){{OPTION_SOURCE, "only those of this source, such as cli"},
                                      LISTING_OPTIONS("at most this many (20); -1: all"),
                                      {OPTION_OFFSET, "after leaving out this many"},
                                      {OPTION_ALL, "also those that came from others, and those put away"},
                                      {0, NULL}},
    .run = run,
};
