/* transcripts.c - see transcripts.h; and stele watch. */
#include "transcripts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config.h"
#include "../door/json.h"
#include "progress.h"
#include "said.h"
#include "text.h"

#define TOLD_MAX 20 /* bad places told one by one */

/* {"NAME":"value",...}: the variables that move the places of some harness, as far as they are set. */
static char *environment(stele_db *db) {
  char *text = NULL, *reply = NULL;
  size_t length = 0;
  const char *separator = "";
  if (stele_call(db, "conversation.list_harnesses", NULL, &reply) != STELE_OK) return NULL;
  FILE *to = text_need(open_memstream(&text, &length));
  json list = json_read(reply, strlen(reply)), one = {0};
  fputc('{', to);
  while (json_next(list, &one)) {
    json variable = {0};
    while (json_next(json_member(one, "variables"), &variable)) {
      char *name = json_text(variable);
      const char *value = getenv(name);
      if (value && *value) {
        fputs(separator, to);
        text_json(to, name);
        fputc(':', to);
        text_json(to, value);
        separator = ",";
      }
      free(name);
    }
  }
  stele_free(reply);
  fputc('}', to);
  fclose(to);
  return text_need(text);
}

/* ["path"], absolute; NULL: it has no such name, or there is none. */
static char *paths(const char *path) {
  char whole[PATH_MAX];
  if (!path || !realpath(path, whole)) return NULL;
  char *quoted = text_quote(whole);
  char *list = quoted ? text_format("[%s]", quoted) : NULL;
  free(quoted);
  return list;
}

static char *home(void) {
  const char *directory = getenv("HOME");
  return directory && *directory == '/' ? text_quote(directory) : NULL;
}

/* NULL: as it is anyway. */
static char *capture(const cli *c) {
  return settings_get(&c->settings, "import.capture")->number ? NULL : text_format("false");
}

char *transcripts_places(const cli *c, stele_db *db) {
  argument arguments[] = {{"home", home()},
                          {"environment", environment(db)},
                          {"except_harnesses", config_texts(&c->settings, "import.except")},
                          {"ignore", config_texts(&c->settings, "import.ignore")},
                          {"capture", capture(c)},
                          {NULL, NULL}};
  char *request = arguments[1].json ? request_json(arguments) : NULL;
  request_free(arguments);
  return request;
}

static int64_t count(json reply, const char *name) {
  json value = json_member(reply, name);
  return value.text ? strtoll(value.text, NULL, 10) : 0;
}

int64_t transcripts_behind(const cli *c, const char *harness, int64_t since) {
  char *places = transcripts_places(c, c->db), *reply = NULL;
  if (!places) return -1;
  places[strlen(places) - 1] = '\0'; /* the brace */
  char *request = text_format("%s,\"harness\":\"%s\",\"since\":%lld,\"dry_run\":true}", places, harness, (long long)since);
  int64_t behind = -1;
  if (stele_call(c->db, "conversation.import_transcripts", request, &reply) == STELE_OK) {
    json told = json_read(reply, strlen(reply));
    behind = count(told, "messages") + count(told, "updated");
  }
  stele_free(reply);
  free(request);
  free(places);
  return behind;
}

bool transcripts_asked(const cli *c) {
  static const local_option own[] = {OPTION_HARNESS, OPTION_SINCE, OPTION_IGNORE, OPTION_DRY_RUN, OPTION_AGAIN};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (c->options.local[own[i]]) return true;
  return false;
}

static void add_count(output *out, int64_t number, const char *one, const char *many) {
  if (number) out_format(out, ", %" PRId64 " %s", number, number == 1 ? one : many);
}

static void tell_problems(cli *c, json reply) {
  json problem = {0};
  int told = 0;
  while (told++ < TOLD_MAX && json_next(json_member(reply, "problems"), &problem)) {
    char *text = json_text(problem);
    out_notes(&c->out, text);
    free(text);
  }
}

static void tell(cli *c, json reply) {
  output *out = &c->out;
  int64_t sessions = count(reply, "sessions"), messages = count(reply, "messages");
  tell_problems(c, reply);
  out_format(out, "%" PRId64 " session%s with %" PRId64 " message%s %s", sessions, sessions == 1 ? "" : "s", messages,
             messages == 1 ? "" : "s", c->options.local[OPTION_DRY_RUN] ? "to import" : "imported");
  out_format(out, " from %" PRId64 " transcript%s", count(reply, "files"), count(reply, "files") == 1 ? "" : "s");
  add_count(out, count(reply, "unchanged"), "unchanged", "unchanged");
  add_count(out, count(reply, "ignored"), "ignored", "ignored");
  add_count(out, count(reply, "updated"), "message updated", "messages updated");
  add_count(out, count(reply, "removed"), "session stays deleted", "sessions stay deleted");
  add_count(out, count(reply, "aside"), "record set aside", "records set aside");
  add_count(out, count(reply, "redacted"), "secret removed", "secrets removed");
  add_count(out, count(reply, "unfinished"), "unfinished", "unfinished");
  add_count(out, count(reply, "bad"), "bad record", "bad records");
  out_text(out, "\n");
}

/* One call and what it replies, unless nothing was known and that is not told.  *known: some file was a transcript. */
static int take(cli *c, const char *method, const argument *arguments, bool told, bool *known) {
  char *request = request_json(arguments), *reply = NULL;
  progress_begin();
  stele_status status = stele_call(c->db, method, request, &reply);
  free(request);
  *known = true;
  if (status == STELE_CANCELLED) {
    int ended = command_failed(c);
    out_notes(&c->out, "run the same command again: it goes on where it was stopped");
    return ended;
  }
  if (status != STELE_OK) return command_failed(c);
  json counts = json_read(reply, strlen(reply));
  *known = count(counts, "files") + count(counts, "ignored") > 0;
  if (*known || told) {
    if (c->options.json)
      out_format(&c->out, "%s\n", reply);
    else
      tell(c, counts);
  }
  stele_free(reply);
  return 0;
}

static bool is_file(const char *path) {
  struct stat found;
  return path && stat(path, &found) == 0 && !S_ISDIR(found.st_mode);
}

static int take_from(cli *c, const char *method, const char *path, char *duration, bool told, bool *known) {
  int status = 0;
  argument arguments[] = {
      {"paths", paths(path)},
      {"home", home()},
      {"environment", environment(c->db)},
      {"harness", said_text(c, OPTION_HARNESS, &status)},
      {"since", said_time(c, OPTION_SINCE, &status)},
      {"except_harnesses", path || c->options.local[OPTION_HARNESS] ? NULL : config_texts(&c->settings, "import.except")},
      {"ignore", config_texts(&c->settings, "import.ignore")},
      {"capture", capture(c)},
      {"dry_run", said_flag(c, OPTION_DRY_RUN)},
      {"again", said_flag(c, OPTION_AGAIN)},
      {"into_foreign", said_flag(c, OPTION_INTO_FOREIGN)},
      {"duration", duration},
      {NULL, NULL},
  };
  *known = true;
  if (!status && !arguments[2].json) status = command_failed(c);
  if (!status && path && !arguments[0].json)
    status = out_bad(&c->out, NULL, "%s cannot be found, or is not UTF-8", path);
  if (!status) status = take(c, method, arguments, told, known);
  request_free(arguments);
  return status;
}

bool transcripts_take(cli *c, const char *path, int *status) {
  bool known = true;
  *status = take_from(c, "conversation.import_transcripts", path, NULL, c->options.json && !is_file(path), &known);
  if (known || is_file(path)) return known;
  if (!c->options.json) out_notes(&c->out, "there are no transcripts");
  return true;
}

static int run_watch(cli *c) {
  int status = 0;
  bool known;
  char *duration = said_text(c, OPTION_FOR, &status);
  if (status) return status;
  out_notes(&c->out, "watching; Ctrl-C ends it");
  return take_from(c, "conversation.watch_transcripts", command_argument(c, 1), duration, true, &known);
}

const command watch_command = {
    .name = "watch",
    .group = GROUP_WORK,
    .usage = "[FILE|DIR]",
    .summary = "take in the sessions of your coding agents as they go on",
    .examples = "stele watch\n"
                "stele watch --harness claude-code\n"
                "stele watch --for 8h",
    .details = "First what `stele import` would take in, then what is appended, at once, until Ctrl-C.  While nothing\n"
               "happens it costs nothing.",
    .most = 1,
    .opens = true,
    .takes =
        (const command_option[]){{OPTION_FOR, "how long: 90s, 15m, 8h (until Ctrl-C)"},
                                 {OPTION_HARNESS, "only of this agent: claude-code, codex, cursor, opencode, ..."},
                                 {OPTION_SINCE, "only transcripts changed since then: 30d, 2026-01-31"},
                                 {OPTION_IGNORE, "leave these files, directories or projects alone"},
                                 {OPTION_AGAIN, "first read everything anew, also sessions that were deleted here"},
                                 {OPTION_INTO_FOREIGN, "also into a store outside the home (--store)"},
                                 {0, NULL}},
    .run = run_watch,
};
