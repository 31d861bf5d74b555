/* import.c - stele import: take back what stele export wrote, or take in transcripts (transcripts.h).
**
** Lines are read until there is a batch of them, and a batch is one call, so one commit.  If a line of
** it is refused, each is sent alone: the good ones are taken, the bad ones told with their numbers. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "../door/json.h"
#include "lines.h"
#include "progress.h"
#include "text.h"
#include "transcripts.h"

#define BATCH_BYTES ((size_t)1 << 20) /* a batch is full with this: some hundred messages, some ms */
#define TOLD_MAX 20                   /* bad lines told one by one */

/* What the method replies, summed up. */
static const char *const COUNTS[] = {"imported", "skipped", "messages", "orphaned", "retitled"};
enum { IMPORTED, SKIPPED, MESSAGES, ORPHANED, RETITLED, NCOUNTS };

typedef struct record {
  char *text; /* a JSON object */
  int64_t number;
} record;

typedef struct import {
  cli *c;
  const char *name; /* of the file, for people */
  int64_t size;     /* of the file; 0: unknown */
  record *records;  /* the batch */
  size_t nrecords;
  size_t bytes; /* of their texts */
  int64_t counts[NCOUNTS];
  int64_t bad;
  int status; /* exit status: set by a failure that ends it all */
} import;

/* errno tells why. */
static int file_failed(cli *c, const char *name) {
  char *message = text_format("%s cannot be read: %s", name, strerror(errno));
  int status = out_failure(&c->out, &(stele_failure){STELE_IO, "", "", message, ""});
  free(message);
  return status;
}

static void bad_line(import *im, int64_t number, const stele_failure *why) {
  if (im->bad++ >= TOLD_MAX) return;
  char *message = text_format("%s:%" PRId64 ": %s", im->name, number, why->message);
  stele_failure told = *why;
  told.message = message;
  out_failure(&im->c->out, &told);
  free(message);
}

static void not_a_session(import *im, int64_t number, const char *what) {
  bad_line(im, number,
           &(stele_failure){STELE_INVALID, "", "", what, "each line is one session, as `stele export` writes it"});
}

/* One call; INVALID is the caller's business, any other failure the end. */
static bool call(import *im, const char *method, const char *arguments) {
  char *reply = NULL;
  stele_status status = stele_call(im->c->db, method, arguments, &reply);
  json counts = reply ? json_read(reply, strlen(reply)) : (json){NULL, 0};
  for (size_t i = 0; status == STELE_OK && i < NCOUNTS; i++)
    im->counts[i] += strtoll(json_member(counts, COUNTS[i]).text, NULL, 10);
  if (status != STELE_OK && status != STELE_INVALID) im->status = command_failed(im->c);
  stele_free(reply);
  return status == STELE_OK;
}

/* {"sessions":[...]} */
static char *batch_arguments(const import *im) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&text, &length));
  for (size_t i = 0; i < im->nrecords; i++) fprintf(to, "%s%s", i ? "," : "{\"sessions\":[", im->records[i].text);
  fputs("]}", to);
  fclose(to);
  return text_need(text);
}

static void send_batch(import *im) {
  if (!im->nrecords || im->status) return;
  char *arguments = batch_arguments(im);
  bool taken = call(im, "conversation.import_sessions", arguments);
  free(arguments);
  for (size_t i = 0; i < im->nrecords && !taken && !im->status; i++)
    if (!call(im, "conversation.import_session", im->records[i].text) && !im->status)
      bad_line(im, im->records[i].number, stele_error(im->c->db));
}

static void clear_batch(import *im) {
  for (size_t i = 0; i < im->nrecords; i++) free(im->records[i].text);
  im->nrecords = im->bytes = 0;
}

static void add_record(import *im, json session, int64_t number) {
  im->records = text_need(realloc(im->records, (im->nrecords + 1) * sizeof *im->records));
  im->records[im->nrecords++] = (record){text_need(strndup(session.text, session.length)), number};
  im->bytes += session.length;
}

static void take_line(import *im, const lines *in) {
  json session = json_read(in->text, in->length);
  if (!in->text[strspn(in->text, " \t\r")] && strlen(in->text) == in->length) return;
  if (json_kind(session) == '{')
    add_record(im, session, in->number);
  else
    not_a_session(im, in->number, session.text ? "this is JSON, but no session" : "this is not JSON");
}

static void read_all(import *im, lines *in) {
  line_status got = LINE_READ;
  while (!im->status && !progress_stopped() && (got = lines_next(in)) != LINE_END && got != LINE_FAILED) {
    if (got == LINE_LONG)
      not_a_session(im, in->number, "this line is longer than 256 MiB");
    else
      take_line(im, in);
    if (im->bytes < BATCH_BYTES) continue;
    send_batch(im);
    clear_batch(im);
    progress_show(&im->c->out, "import", in->taken, im->size);
  }
  if (!progress_stopped()) send_batch(im);
  clear_batch(im);
  if (im->status) return;
  if (got == LINE_FAILED)
    im->status = file_failed(im->c, im->name);
  else if (progress_stopped())
    im->status = out_failure(&im->c->out, &(stele_failure){STELE_CANCELLED, "", "", "stopped", ""});
}

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

static void remark(import *im, int64_t sessions, const char *what) {
  if (!sessions) return;
  char *note = text_format("%" PRId64 " session%s %s", sessions, plural(sessions), what);
  out_notes(&im->c->out, note);
  free(note);
}

static void tell(import *im) {
  const int64_t *n = im->counts;
  output *out = &im->c->out;
  if (im->c->options.json) {
    for (size_t i = 0; i < NCOUNTS; i++) out_format(out, "%s\"%s\":%" PRId64, i ? "," : "{", COUNTS[i], n[i]);
    out_format(out, ",\"bad\":%" PRId64 "}\n", im->bad);
    return;
  }
  out_format(out, "%" PRId64 " session%s with %" PRId64 " message%s imported, %" PRId64 " skipped", n[IMPORTED],
             plural(n[IMPORTED]), n[MESSAGES], plural(n[MESSAGES]), n[SKIPPED]);
  if (im->bad) out_format(out, ", %" PRId64 " bad line%s", im->bad, plural(im->bad));
  out_text(out, "\n");
  remark(im, n[ORPHANED], "without the parent, which is not there");
  remark(im, n[RETITLED], "with another number in the title, which was taken");
}

static int import_from(cli *c, FILE *file, const char *name) {
import im = {.c = c, .name = name };
  lines in = {.file = file};
  struct stat found;
  if (fstat(fileno(file), &found) == 0 && S_ISREG(found.st_mode)) {
    im.size = found.st_size;
    progress_begin(); /* not where a read may wait for ever: Ctrl-C must end that */
  }
  read_all(&im, &in);
  tell(&im);
  free(im.records);
  lines_free(&in);
  return im.status ? im.status : im.bad ? 1 : 0;
}

/* An export of ours: its first line begins as export_session tells a session. */
static bool is_export(FILE *file) {
  static const char begin[] = "{\"id\":";
  char head[4096];
  size_t length = fread(head, 1, sizeof head - 1, file);
  head[length] = '\0';
  rewind(file);
  return strncmp(head, begin, sizeof begin - 1) == 0 && strstr(head, "\"source\":") && strstr(head, "\"started_at\":");
}

/* A file is an export, a transcript, or nothing that is known, which is then told line by line. */
static int import_file(cli *c, const char *path, FILE *file) {
  int status = 0;
  if (!is_export(file) && transcripts_take(c, path, &status)) return status;
  if (transcripts_asked(c))
    return out_bad(&c->out, "what `stele export` wrote is taken back whole", "%s is not a transcript", path);
  return import_from(c, file, path);
}

static bool is_directory(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static int run(cli *c) {
  const char *path = command_argument(c, 1);
  int status = 0;
  if (!path || strcmp(path, "auto") == 0 || is_directory(path)) {
    transcripts_take(c, path && strcmp(path, "auto") != 0 ? path : NULL, &status);
    return status;
  }
  if (strcmp(path, "-") == 0) return import_from(c, stdin, "standard input");
  FILE *file = fopen(path, "re");
  if (!file) return file_failed(c, path);
  status = import_file(c, path, file);
  fclose(file);
  return status;
}

const command import_command = {
    .name = "import",
    .group = GROUP_WORK,
    .usage = "[FILE|DIR|auto|-]",
    .summary = "take in the sessions of your coding agents, or what `stele export` wrote",
    .examples = "stele import\n"
                "stele import --since 30d --dry-run\n"
                "stele import ~/.claude/projects/-home-me-project\n"
                "stele import conversations.jsonl\n"
                "stele --home old export | stele --home new import -",
    .details = "Without a file, or with `auto`, the transcripts of all agents that are found in their usual places.  They\n"
               "can be taken in again at any time: only what is new is read, and nothing is written twice.  Secrets are\n"
               "removed from every text.  A directory or project with a file .stele-ignore is left alone.\n"
               "\n"
               "Of an export (- is one from standard input), a session whose id is there already is skipped.  A line that\n"
               "cannot be taken is told with its number; the others are taken, and the exit status is 1.\n"
               "With --json the counts are one object.",
    .most = 1,
    .opens = true,
    .takes = (const command_option[]){{OPTION_HARNESS, "only of this agent: claude-code, codex, cursor, opencode, ..."},
                                      {OPTION_SINCE, "only transcripts changed since then: 30d, 2026-01-31"},
                                      {OPTION_IGNORE, "leave these files, directories or projects alone"},
                                      {OPTION_DRY_RUN, "read, but write nothing"},
                                      {OPTION_AGAIN, "read everything anew, also sessions that were deleted here"},
                                      {OPTION_INTO_FOREIGN, "also into a store outside the home (--store)"},
                                      {0, NULL}},
    .run = run,
};
