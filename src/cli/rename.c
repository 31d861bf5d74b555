/* rename.c - stele rename, archive: what people change of a session. */
#include <stdint.h>
#include <stdlib.h>

#include "command.h"
#include "resolve.h"
#include "text.h"

static int run_rename(cli *c) {
  static const column columns[] = {{"title", "TITLE", COLUMN_WHOLE}, {NULL, NULL, 0}};
  int status = 0;
  char *title = text_quote(command_argument(c, 2));
  if (!title) return out_bad(&c->out, NULL, "the title is not UTF-8");
  char *id = resolve_session(c, command_argument(c, 1), &status);
  argument arguments[] = {{"session_id", id ? text_quote(id) : NULL}, {"title", title}, {NULL, NULL}};
  if (!status) status = command_reply(c, "conversation.set_session_title", arguments, columns, "");
  request_free(arguments);
  free(id);
  return status;
}

static int run_archive(cli *c) {
  static const column none[] = {{NULL, NULL, 0}};
  bool undo = c->options.local[OPTION_UNDO] != NULL;
  int status = 0;
  char *id = resolve_session(c, command_argument(c, 1), &status);
  argument arguments[] = {{"session_id", id ? text_quote(id) : NULL},
                          {"archived", text_format("%s", undo ? "false" : "true")},
                          {NULL, NULL}};
  char *done =
      id ? text_format("%s is %s", id, undo ? "listed again" : "put away: `stele sessions --all` lists it") : NULL;
  if (!status) status = command_reply(c, "conversation.set_session_archived", arguments, none, done);
  request_free(arguments);
  free(done);
  free(id);
  return status;
}

const command rename_command = {
    .name = "rename",
    .group = GROUP_WORK,
    .usage = "SESSION TITLE",
    .summary = "give a session a title",
    .examples = "stele rename 20260131_12 'Weather in Lisbon'\n"
                "stele rename 'Weather in Lisbon' ''",
    .details = RESOLVE_WORDS "  An empty title takes the title away.  No two sessions have the same one.",
    .least = 2,
    .most = 2,
    .opens = true,
    .run = run_rename,
};

const command archive_command = {
    .name = "archive",
    .group = GROUP_WORK,
    .usage = "SESSION",
    .summary = "put a session away, so that lists leave it out",
    .examples = "stele archive 20260131_12\n"
                "stele archive 20260131_12 --undo",
    .details = RESOLVE_WORDS "  Nothing of it is deleted, and search still finds it.",
    .least = 1,
    .most = 1,
    .opens = true,
    .takes = (const command_option[]){{OPTION_UNDO, "take it back"}, {0, NULL}},
    .run = run_archive,
};
