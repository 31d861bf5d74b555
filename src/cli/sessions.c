/* sessions.c - stele sessions: the latest conversations. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "said.h"
#include "text.h"

static int run(cli *c) {
  static const column columns[] = {
      {"id", "SESSION", COLUMN_WHOLE},
      {"title|preview", "TITLE", 0},
      {"source", "SOURCE", 0},
      {"model", "MODEL", COLUMN_IF_ANY},
      {"message_count", "MSGS", 0},
      {"last_active", "LAST ACTIVE", COLUMN_AGO | COLUMN_WHOLE},
      {NULL, NULL, 0},
  };
  int status = 0;
  argument arguments[] = {
      {"source", said_text(c, OPTION_SOURCE, &status)},
      {"limit", said_number(c, OPTION_LIMIT, &status)},
      {"offset", said_number(c, OPTION_OFFSET, &status)},
      {"include_children", said_flag(c, OPTION_ALL)},
      {"include_archived", said_flag(c, OPTION_ALL)},
      {"order_by_last_active", text_format("true")},
      {NULL, NULL},
  };
  if (!status)
    status = command_reply(c, "conversation.list_sessions_rich", arguments, columns, "there are no sessions");
  request_free(arguments);
  return status;
}

const command sessions_command = {
    .name = "sessions",
    .usage = "",
    .summary = "list conversations, the latest activity first",
    .examples = "stele sessions\n"
                "stele sessions --source telegram --limit 50\n"
                "stele sessions --all --json",
    .details = "A session without a title is told by the beginning of its first message.  One that was continued\n"
               "after a compression is told as its last continuation.",
    .opens = true,
    .takes = (const command_option[]){{OPTION_SOURCE, "only those of this source, such as cli"},
                                      {OPTION_LIMIT, "at most this many (20); -1: all"},
                                      {OPTION_OFFSET, "after leaving out this many"},
                                      {OPTION_ALL, "also those that came from others, and those put away"},
                                      {0, NULL}},
    .run = run,
};
