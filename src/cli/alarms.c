/* alarms.c - stele alarms, watchdog: whether capturing keeps what it promises. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "command.h"
#include "said.h"
#include "text.h"

/* ---- alarms ---- */

/* 1 while there is an active alarm, which a script can ask for; otherwise as the list itself ended. */
static int list(cli *c) {
  static const column columns[] = {
      {"id", "ALARM", COLUMN_WHOLE},
      {"state", "STATE", COLUMN_WHOLE},
      {"invariant_id", "PROMISE", COLUMN_WHOLE},
      {"source", "SOURCE", COLUMN_WHOLE},
      {"since_ms", "SINCE", COLUMN_AGO | COLUMN_WHOLE | COLUMN_RANK(1)},
      {"details", "WHAT IS WRONG", 0},
      {NULL, NULL, 0},
  };
  static const argument nothing[] = {{NULL, NULL}};
  int status = command_reply(c, "capture.list_alarms", nothing, columns, "there are no alarms");
  char *reply = command_ask(c, "capture.count_alarms", nothing, &status);
  if (reply && json_int(json_member(json_read(reply, strlen(reply)), "active"), 0) > 0) status = 1;
  stele_free(reply);
  return status;
}

static int acknowledge(cli *c) {
  static const column columns[] = {
      {"id", "ALARM", COLUMN_WHOLE}, {"acked_at", "ACKNOWLEDGED", COLUMN_WHOLE}, {"ack_note", "NOTE", COLUMN_IF_ANY}, {NULL, NULL, 0}};
  const char *said = command_argument(c, 2);
  char *end = NULL;
  int status = 0;
  long long id = strtoll(said, &end, 10);
  if (!*said || *end) return out_bad(&c->out, "`stele alarms` lists them", "an alarm is a number, not %s", said);
  argument arguments[] = {{"id", text_format("%lld", id)}, {"note", said_text(c, OPTION_NOTE, &status)}, {NULL, NULL}};
  if (!status) status = command_reply(c, "capture.ack_alarm", arguments, columns, "");
  request_free(arguments);
  return status;
}

static int prune(cli *c) {
  int status = 0;
  char *reply = command_ask(c, "capture.prune_alarms", (argument[]){{NULL, NULL}}, &status);
  if (!reply) return status;
  int64_t acked = json_int(json_member(json_read(reply, strlen(reply)), "acked"), 0);
  if (c->options.json)
    out_format(&c->out, "%s\n", reply);
  else
    out_format(&c->out, "%" PRId64 " resolved alarm%s acknowledged\n", acked, acked == 1 ? "" : "s");
  stele_free(reply);
  return 0;
}

static int run_alarms(cli *c) {
  const char *verb = command_argument(c, 1);
  size_t given = c->options.nwords - 1;
  if (!verb || (strcmp(verb, "list") == 0 && given == 1)) return list(c);
  if (strcmp(verb, "ack") == 0 && given == 2) return acknowledge(c);
  if (strcmp(verb, "prune") == 0 && given == 1) return prune(c);
  return command_verb(c, &alarms_command, verb);
}

const command alarms_command = {
    .name = "alarms",
    .group = GROUP_STORES,
    .usage = "list | ack ALARM | prune",
    .summary = "what the watchdog found wrong with capturing",
    .examples = "stele alarms\n"
                "stele alarms ack 12 --note 'the disk was full'\n"
                "stele alarms prune",
    .details = "The list, which comes without a word too, has what nobody has acknowledged: active alarms, the oldest first, then\n"
               "those that were resolved by themselves.  The exit status is 1 if there is an active one.  docs/capture-store.md tells what each promise is.\n\n"
               "ack acknowledges an alarm, prune all that are resolved.  No alarm is deleted.",
    .most = 2,
    .opens = true,
    .pages = true,
    .takes = (const command_option[]){{OPTION_NOTE, "ack: what to remember about it"}, {0, NULL}},
    .run = run_alarms,
};

/* ---- watchdog ---- */

static int run_watchdog(cli *c) {
  static const column columns[] = {
      {"invariant_id", "PROMISE", COLUMN_WHOLE},
      {"source", "SOURCE", COLUMN_WHOLE},
      {"outcome", "OUTCOME", COLUMN_WHOLE},
      {"alarm_id", "ALARM", COLUMN_WHOLE | COLUMN_IF_ANY},
      {"since_ms", "SINCE", COLUMN_AGO | COLUMN_WHOLE | COLUMN_RANK(1)},
      {"details", "WHAT IS WRONG", 0},
      {NULL, NULL, 0},
  };
  return command_reply(c, "capture.run_watchdog", (argument[]){{NULL, NULL}}, columns, "nothing is wrong with capturing");
}

const command watchdog_command = {
    .name = "watchdog",
    .group = GROUP_STORES,
    .usage = "",
    .summary = "look once whether capturing keeps what it promises",
    .examples = "stele watchdog\n"
                "stele watchdog && stele alarms",
    .details = "What is wrong raises an alarm, one in an hour for the same promise and source; two looks in a row that find\n"
               "nothing wrong resolve it.  `stele serve` looks every minute.  The exit status says whether the look succeeded:\n"
               "that of `stele alarms` says whether anything is wrong.",
    .opens = true,
    .run = run_watchdog,
};
