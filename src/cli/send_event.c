/* send_event.c - stele send-event: what hooks call when a command has ended.  It never waits for long, and loses nothing: what the server
** does not take is kept in a file. */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../ingest/send.h"
#include "event.h"
#include "home.h"
#include "ignored.h"
#include "text.h"

#define STDIN_MAX ((size_t)8 << 20)

/* ---- What was said ---- */

static void take_options(const cli *c, event *e) {
#define X(member, option, doc) e->member = c->options.local[OPTION_##option];
  EVENT_FIELDS(X)
#undef X
}

/* cmd=make test, with a NUL behind each: nobody else sees what stands there, unlike a command line. */
static void take_field(event *e, char *field) {
  char *equals = strchr(field, '=');
  if (!equals) return;
  *equals = '\0';
#define X(member, option, doc) \
  if (strcmp(field, #member) == 0) e->member = equals + 1;
  EVENT_FIELDS(X)
#undef X
}

/* The fields in new memory, which they stay in. */
static char *take_stdin(cli *c, event *e) {
  char *text = text_need(malloc(STDIN_MAX + 1));
  size_t length = fread(text, 1, STDIN_MAX, stdin);
  text[length] = '\0';
  if (length == STDIN_MAX && getc(stdin) != EOF) out_notes(&c->out, "standard input has more than 8 MiB: the rest is left out");
  for (size_t at = 0; at < length;) {
    size_t next = at + strlen(text + at) + 1;
    take_field(e, text + at);
    at = next;
  }
  return text;
}

/* ---- Whether it is to be captured ---- */

static bool is_wanted(const cli *c, const event *e) {
  const char *said = getenv("STELE_CAPTURE");
  if (said && strcmp(said, "off") == 0) return false;
  if (!e->cmd || !e->cmd[strspn(e->cmd, " \t\n")] || e->cmd[0] == ' ') return false;
  return !ignored_directory(&c->settings, e->cwd);
}

/* ---- Sending ---- */

static int tell(cli *c, const st_sent *sent) {
  if (sent->lost) return out_failure(&c->out, &(stele_failure){STELE_IO, "", "", sent->why, "is there space, and a home that can be written to?"});
  if (c->options.json) out_format(&c->out, "{\"stored\":%zu,\"kept\":%zu}\n", sent->stored, sent->kept);
  return 0;
}

static int send(cli *c, const event *e) {
  home at;
  stele_db *db = NULL;
  home_of(c, &at); /* rules that cannot be read are told; those that are built in hold then */
  char *envelope = stele_open(&at.options, &db) == STELE_OK ? event_envelope(db, e) : NULL;
  stele_close(db);
  st_sent sent = {.lost = 1, .why = "there is no home, or no random bytes"};
  if (envelope) sent = st_ingest_send(&at.options, envelope, ST_INGEST_TIMEOUT_MS);
  free(envelope);
  home_free(&at);
  return tell(c, &sent);
}

static int run(cli *c) {
  char here[PATH_MAX];
  event e = {0};
  if (strcmp(command_argument(c, 1), "shell") != 0) return command_verb(c, &send_event_command, command_argument(c, 1));
  signal(SIGHUP, SIG_IGN);          /* a terminal that is closed loses nothing */
  setpriority(PRIO_PROCESS, 0, 10); /* the prompt comes first */
  take_options(c, &e);
  char *fields = c->options.local[OPTION_STDIN] ? take_stdin(c, &e) : NULL;
  int status = 0;
  if (!e.cwd || !*e.cwd) e.cwd = getcwd(here, sizeof here) ? here : "/";
  if (!e.cmd) status = out_bad(&c->out, "usage: stele send-event shell --cmd COMMAND", "send-event needs --cmd, or cmd=... on --stdin");
  else if (is_wanted(c, &e)) status = send(c, &e);
  else if (c->options.json) out_text(&c->out, "{\"stored\":0,\"kept\":0}\n");
  free(fields);
  return status;
}

const command send_event_command = {
    .name = "send-event",
    .group = GROUP_DOORS,
    .usage = "shell",
    .summary = "tell the server of a command that ran; hooks of shells call this",
    .examples = "stele send-event shell --cmd 'make test' --exit 0 --duration-ms 1500\n"
                "printf '%s\\0' cmd='make test' exit=0 cwd=\"$PWD\" | stele send-event shell --stdin",
    .details = "It is kept when this returns: by the server, or, if that does not answer within five seconds, as a line in\n"
               "fallback/ of the home, without its secrets, which `stele replay` and the server take in later.\n\n"
               "Nothing is sent of a command that begins with a space, in a directory of capture.ignore_directories or one\n"
               "with a file .stele-ignore in it or above it, or while STELE_CAPTURE is off.",
    .least = 1,
    .most = 1,
    .unconfigured = true, /* a mistake in the configuration loses no event */
    .takes =
        (const command_option[]){
#define X(member, option, doc) {OPTION_##option, doc},
            EVENT_FIELDS(X)
#undef X
            {OPTION_STDIN, "read these from standard input, as name=value (cmd, exit, cwd, duration_ms, ...) with a NUL behind each"},
            {0, NULL}},
    .run = run,
};
