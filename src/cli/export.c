/* export.c - stele export: conversations as lines of JSON, one session each. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "progress.h"
#include "resolve.h"
#include "said.h"
#include "text.h"

/* Where the lines go: a file, or stdout when that is NULL. */
typedef struct target {
  cli *c;
  const char *path;
  FILE *file;
  int error; /* errno of the file's first failure, or 0 */
} target;

static int file_failed(target *to, const char *what) {
  char *message = text_format("%s %s: %s", to->path, what, strerror(to->error ? to->error : EIO));
  int status = out_failure(&to->c->out, &(stele_failure){STELE_IO, "", "", message, ""});
  free(message);
  return status;
}

/* Make the file.  One that is there is never replaced. */
static int open_target(target *to) {
  if (!to->path) return 0;
  int fd = open(to->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  to->error = fd < 0 ? errno : 0;
  if (fd >= 0) to->file = text_need(fdopen(fd, "w"));
  return fd < 0 ? file_failed(to, "cannot be made") : 0;
}

static bool put_line(target *to, const char *line) {
  if (to->file) {
    errno = 0;
    if (fputs(line, to->file) == EOF || fputc('\n', to->file) == EOF) to->error = errno ? errno : EIO;
    return !to->error;
  }
  out_text(&to->c->out, line);
  out_text(&to->c->out, "\n");
  return !to->c->out.error;
}

/* On the disk, or not there at all. */
static int close_target(target *to, int status) {
  if (!to->file) return status;
  errno = 0;
  if (!to->error && !status && (fflush(to->file) != 0 || fsync(fileno(to->file)) != 0)) to->error = errno ? errno : EIO;
  if (fclose(to->file) != 0 && !to->error) to->error = errno ? errno : EIO;
  if (to->error && !status) status = file_failed(to, "cannot be written");
  if (status) unlink(to->path);
  return status;
}

static int stopped(cli *c) {
  return out_failure(&c->out, &(stele_failure){STELE_CANCELLED, "", "", "stopped", ""});
}

/* Row by row: memory for one session is enough. */
static int write_rows(target *to, const char *name, const argument *arguments, int64_t *rows) {
  cli *c = to->c;
  stele_stmt *stmt = request_prepare(c->db, name, arguments);
  stele_status status = stmt ? STELE_ROW : STELE_INVALID;
  bool going = true;
  while (going && status == STELE_ROW && (status = stele_step(stmt)) == STELE_ROW) {
    char *line = NULL;
    if (stele_row_json(stmt, &line) != STELE_OK) text_need(NULL);
    going = put_line(to, line) && (!to->file || !progress_show(&c->out, "export", ++*rows, 0)) && !progress_stopped();
    stele_free(line);
  }
  stele_finalize(stmt);
  if (status != STELE_ROW && status != STELE_DONE) return command_failed(c);
  return progress_stopped() ? stopped(c) : 0;
}

static int run_to(target *to, const char *method, const argument *arguments) {
  int64_t rows = 0;
  int status = open_target(to);
  if (status) return status;
  status = close_target(to, write_rows(to, method, arguments, &rows));
  if (!status && to->path) {
    char *note = text_format("%" PRId64 " session%s in %s", rows, rows == 1 ? "" : "s", to->path);
    out_notes(&to->c->out, note);
    free(note);
  }
  return status;
}

static int run(cli *c) {
  const char *session = command_argument(c, 1);
  target to = {.c = c, .path = c->options.to};
  int status = 0;
  if (session && c->options.local[OPTION_SOURCE])
    return out_bad(&c->out, NULL, "export takes SESSION or --source, not both");
  char *id = session ? resolve_session(c, session, &status) : NULL;
  argument one[] = {{"session_id", id ? text_quote(id) : NULL}, {NULL, NULL}};
  argument all[] = {{"source", said_text(c, OPTION_SOURCE, &status)}, {NULL, NULL}};
  progress_begin();
  if (!status && session)
    status = run_to(&to, "conversation.export_session", one);
  else if (!status)
    status = run_to(&to, "conversation.export_all", all);
  free(id);
  request_free(one);
  request_free(all);
  return status;
}

const command export_command = {
    .name = "export",
    .group = GROUP_WORK,
    .usage = "[SESSION]",
    .summary = "write conversations as lines of JSON",
    .examples = "stele export > conversations.jsonl\n"
                "stele export --source cli --to cli.jsonl\n"
                "stele export 20260131_120000_a1b2c3",
    .details = "One session per line, with its messages, the first started first; `stele import` takes it back.\n"
               "All of it is of one moment.  " RESOLVE_WORDS,
    .most = 1,
    .opens = true,
    .takes = (const command_option[]){{OPTION_SOURCE, "only sessions of this source"},
                                      {OPTION_TO, "write this file, which must not exist yet"},
                                      {0, NULL}},
    .run = run,
};
