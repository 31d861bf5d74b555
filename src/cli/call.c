/* call.c - stele call: any method, with JSON in and JSON out. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input.h"
#include "trial.h"

static int call(cli *c, const char *method, const char *arguments) {
  char *reply = NULL;
  int status = 0;
  if (!trial_begin(c, method, &status)) return status;
  if (stele_call(c->db, method, arguments, &reply) == STELE_OK) {
    out_notes(&c->out, stele_notes(c->db));
    out_text(&c->out, reply);
    out_text(&c->out, "\n");
  } else {
    status = command_failed(c);
  }
  stele_free(reply);
  trial_end(c);
  return status;
}

static int run(cli *c) {
  const char *method = command_argument(c, 1), *arguments = command_argument(c, 2);
  char *input = NULL;
  int status = 0;
  if (!stele_method_find(method)) {
    stele_stmt *none = NULL;
    stele_prepare(c->db, method, &none); /* for its message, which names the nearest method */
    command_failed(c);
    return 2;
  }
  if (arguments && strcmp(arguments, "-") == 0) {
    input = input_read(&c->out, NULL, INPUT_MAX, &status);
    if (!input) return status;
    arguments = input;
  }
  /* Nothing where something was announced is a mistake, not a call without arguments. */
  if (arguments && !arguments[strspn(arguments, " \t\r\n")])
    status = out_bad(&c->out, "send a JSON object, or leave the arguments out", "%s: the arguments are empty", method);
  else
    status = call(c, method, arguments);
  free(input);
  return status;
}

const command call_command = {
    .name = "call",
    .group = GROUP_DOORS,
    .usage = "METHOD [JSON|-]",
    .summary = "call a method; its arguments are a JSON object (-: from standard input)",
    .examples = "stele call telemetry.create_session\n"
                "stele call telemetry.get_slow_handlers '{\"threshold_ms\":250}'\n"
                "stele call telemetry.persist_batch - < batch.json\n"
                "stele call --dry-run conversation.delete_session '{\"session_id\":\"20260131_120000_a1b2c3\"}'",
    .details = "The reply is one line of JSON: an object or null, or an array when there can be many rows.\n"
               "`stele methods` lists the methods, `stele help METHOD` explains one.\n"
               "\n"
               "With --dry-run the call is made in a transaction that is then taken back: the reply is what it would be.  A\n"
               "method that makes its own transactions is refused; some of these take \"dry_run\":true themselves.",
    .least = 1,
    .most = 2,
    .opens = true,
    .takes = (const command_option[]){{OPTION_DRY_RUN, "make the call and take it back: the store stays as it was"}, {0, NULL}},
    .run = run,
};
