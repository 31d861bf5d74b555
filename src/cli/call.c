/* call.c - stele call: any method, with JSON in and JSON out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "text.h"

#define INPUT_MAX ((size_t)256 << 20)

/* All of standard input, up to the limit, with a NUL behind it.  NULL: told, and *status set. */
static char *read_input(cli *c, int *status) {
  size_t length = 0, room = 1 << 16;
  char *text = text_need(malloc(room + 1));
  ssize_t got;
  while ((got = read(STDIN_FILENO, text + length, room - length)) > 0 || (got < 0 && errno == EINTR)) {
    length += got > 0 ? (size_t)got : 0;
    if (length < room) continue;
    room = room * 2 < INPUT_MAX ? room * 2 : INPUT_MAX + 1; /* that one byte tells that there is more */
    text = text_need(realloc(text, room + 1));
  }
  text[length] = '\0';
  *status = 0;
  if (got < 0)
    *status =
        out_failure(&c->out, &(stele_failure){STELE_IO, "", "", "standard input cannot be read", strerror(errno)});
  else if (length > INPUT_MAX)
    *status = out_bad(&c->out, "send it in several calls", "standard input holds more than 256 MiB");
  else if (strlen(text) < length)
    *status = out_bad(&c->out, NULL, "standard input is not JSON: it holds a NUL byte");
  if (!*status) return text;
  free(text);
  return NULL;
}

static int call(cli *c, const char *method, const char *arguments) {
  char *reply = NULL;
  stele_status status = stele_call(c->db, method, arguments, &reply);
  if (status != STELE_OK) return command_failed(c);
  out_notes(&c->out, stele_notes(c->db));
  out_text(&c->out, reply);
  out_text(&c->out, "\n");
  stele_free(reply);
  return 0;
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
    input = read_input(c, &status);
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
    .usage = "METHOD [JSON|-]",
    .summary = "call a method; its arguments are a JSON object (-: from standard input)",
    .examples = "stele call telemetry.create_session\n"
                "stele call telemetry.get_slow_handlers '{\"threshold_ms\":250}'\n"
                "stele call telemetry.persist_batch - < batch.json",
    .details = "The reply is one line of JSON: an object or null, or an array when there can be many rows.\n"
               "`stele methods` lists the methods, `stele help METHOD` explains one.",
    .least = 1,
    .most = 2,
    .opens = true,
    .run = run,
};
