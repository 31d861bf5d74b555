/* hold.c - stele hold: legal holds, which nothing deletes against. */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "said.h"
#include "text.h"

static const column COLUMNS[] = {
    {"store", "STORE", COLUMN_WHOLE},
    {"id", "HOLD", COLUMN_WHOLE},
    {"session", "SESSION", COLUMN_IF_ANY},
    {"project", "PROJECT", COLUMN_IF_ANY},
    {"kind", "KIND", COLUMN_WHOLE | COLUMN_IF_ANY},
    {"since", "SINCE", COLUMN_AGO | COLUMN_IF_ANY},
    {"until", "UNTIL", COLUMN_AGO | COLUMN_IF_ANY},
    {"reason", "REASON", 0},
    {"placed_by", "BY", COLUMN_IF_ANY | COLUMN_RANK(1)},
    {"placed_at", "PLACED", COLUMN_AGO | COLUMN_WHOLE},
    {"released_at", "LIFTED", COLUMN_AGO | COLUMN_IF_ANY},
    {"release_note", "WHY", COLUMN_IF_ANY},
    {NULL, NULL, 0},
};

/* Who is at the keyboard, as JSON; NULL: the system does not know. */
static char *user(void) {
  const struct passwd *who = getpwuid(geteuid());
  return who ? text_quote(who->pw_name) : NULL;
}

static int list(cli *c) {
  argument arguments[] = {{"released", said_flag(c, OPTION_ALL)}, {NULL, NULL}};
  int status = command_reply(c, "stele.list_holds", arguments, COLUMNS, "nothing is on hold");
  request_free(arguments);
  return status;
}

static int place(cli *c) {
  int status = 0;
  argument arguments[] = {{"store", text_quote(command_argument(c, 2))},
                          {"reason", said_text(c, OPTION_REASON, &status)},
                          {"session", said_text(c, OPTION_SESSION, &status)},
                          {"project", said_directory(c, OPTION_PROJECT, &status)},
                          {"kind", said_text(c, OPTION_KIND, &status)},
                          {"since", said_time(c, OPTION_SINCE, &status)},
                          {"until", said_time(c, OPTION_UNTIL, &status)},
                          {"by", user()},
                          {NULL, NULL}};
  if (!status && !c->options.local[OPTION_REASON]) status = out_bad(&c->out, "such as --reason 'case 7'", "a hold needs a reason: --reason");
  if (!status) status = command_reply(c, "stele.hold", arguments, COLUMNS, "");
  request_free(arguments);
  return status;
}

static int release(cli *c) {
  const char *said = command_argument(c, 3);
  char *end = NULL;
  int status = 0;
  long long id = strtoll(said, &end, 10);
  if (!*said || *end) return out_bad(&c->out, "`stele hold` lists them", "a hold is a number, not %s", said);
  argument arguments[] = {{"store", text_quote(command_argument(c, 2))},
                          {"id", text_format("%lld", id)},
                          {"note", said_text(c, OPTION_NOTE, &status)},
                          {"by", user()},
                          {NULL, NULL}};
  if (!status) status = command_reply(c, "stele.release_hold", arguments, COLUMNS, "");
  request_free(arguments);
  return status;
}

static int run(cli *c) {
  const char *verb = command_argument(c, 1);
  size_t given = c->options.nwords - 1;
  if (!verb || (strcmp(verb, "list") == 0 && given == 1)) return list(c);
  if (strcmp(verb, "place") == 0 && given == 2) return place(c);
  if (strcmp(verb, "release") == 0 && given == 3) return release(c);
  return command_verb(c, &hold_command, verb);
}

const command hold_command = {
    .name = "hold",
    .group = GROUP_STORES,
    .usage = "list | place STORE | release STORE HOLD",
    .summary = "legal holds: what must not be deleted",
    .examples = "stele hold place conversation --project ~/src/app --since 2026-01-01 --reason 'case 7'\n"
                "stele hold\n"
                "stele hold release conversation 1 --note settled",
    .details = "What is under a hold is deleted by nothing: not by retention, not by `stele delete`, not by another program that writes to the\n"
               "same store.  A hold of a store is narrowed by a session, a project (and all below it), a kind of rows and times; it counts for\n"
               "what comes later, too.  A hold that was lifted stays on record (--all).  docs/retention.md has the kinds.",
    .most = 3,
    .opens = true,
    .takes = (const command_option[]){{OPTION_REASON, "place: why"},
                                      {OPTION_SESSION, "place: only what belongs to this session"},
                                      {OPTION_PROJECT, "place: only what belongs to this directory, or one below it"},
                                      {OPTION_KIND, "place: only rows of this kind: message"},
                                      {OPTION_SINCE, "place: only what is from this time or later"},
                                      {OPTION_UNTIL, "place: only what is from before this time"},
                                      {OPTION_NOTE, "release: why"},
                                      {OPTION_ALL, "list: also those that were lifted"},
                                      {0, NULL}},
    .run = run,
};
