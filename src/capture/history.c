/* history.c - capture.import_history: commands from before there was a hook.
**
** Each command gets an envelope whose id follows from what it is, so that the same history can be imported as often as one likes: by the
** file's own id, or by its time and text, and the how-manieth of its kind it is. */
#include "capture/history.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/uuid.h"
#include "capture/capture.h"
#include "capture/intake.h"
#include "capture/numbers.h"
#include "engine/handle.h"

#define SPACE "2b1f3f0e-7d0a-4c39-9e5c-4b1d0f6a7c11" /* of the ids made here */
#define ENVELOPE_MAX (64u << 20)

#define P(name) ST_P_CAPTURE_IMPORT_HISTORY_##name

struct st_history {
  st_call *call;
  const char *shell;
  int64_t otherwise_ms; /* when the file was last written to: for commands without a time */
  char session[ST_UUID_SIZE];
  st_intake intake;
  st_numbers seen; /* which of a kind have come */
  int64_t commands;
};

FILE *st_history_open(st_call *call, const char *path) {
  FILE *file = st_ok(call) ? fopen(path, "re") : NULL;
  if (!file && st_ok(call)) st_fail(call, errno == ENOENT ? STELE_NOTFOUND : STELE_IO, "path", "%.300s: %s", path, strerror(errno));
  return file;
}

/* ---- Which one it is ---- */

/* The same command in the same second comes again: the second of its kind, the third, ... */
static bool number_of(st_history *h, const st_past *past, uint64_t *number) {
  uint64_t kind = st_hash64((uint64_t)past->when_ms, past->command.bytes, past->command.length);
  bool added = false, good = true;
  for (*number = 0; good && !added; ++*number) good = st_numbers_add(&h->seen, st_hash64(kind, number, sizeof *number), &added);
  if (!good) st_fail(h->call, STELE_NOMEM, NULL, "out of memory");
  return good;
}

static bool id_of(st_history *h, const st_past *past, char out[ST_UUID_SIZE]) {
  uint64_t number = 0;
  st_str name;
  if (!past->id.length && !number_of(h, past, &number)) return false;
  st_str_init(&name, ENVELOPE_MAX);
  st_str_addf(&name, "%s:", h->shell);
  if (past->id.length) st_str_add(&name, past->id.bytes, past->id.length);
  else st_str_addf(&name, "%lld:%llu:", (long long)past->when_ms, (unsigned long long)number);
  if (!past->id.length) st_str_add(&name, past->command.bytes, past->command.length);
  bool good = !name.failed && st_uuid_v5(SPACE, name.text, name.length, out);
  if (!good) st_fail(h->call, STELE_NOMEM, NULL, "out of memory");
  st_str_free(&name);
  return good;
}

/* ---- Its envelope ---- */

static void add_text(st_str *out, const char *name, st_text text, const char *otherwise) {
  st_str_addf(out, ",\"%s\":", name);
  if (text.length) st_json_add_string(out, text.bytes, text.length);
  else st_json_add_string(out, otherwise, strlen(otherwise));
}

static void write_envelope(st_history *h, const st_past *past, const char *id, st_str *out) {
  const char *shell = strcmp(h->shell, "atuin") == 0 ? "unknown" : h->shell;
  st_str_addf(out, "{\"envelope_id\":\"%s\",\"timestamp\":%lld,\"payload\":{\"type\":\"Shell\",\"data\":{\"duration_ms\":%lld", id,
              (long long)(past->when_ms ? past->when_ms + past->duration_ms : h->otherwise_ms), (long long)past->duration_ms);
  if (past->exit_code) st_str_addf(out, ",\"exit_code\":%lld", (long long)*past->exit_code);
  add_text(out, "shell", (st_text){0}, shell);
  add_text(out, "command", past->command, "");
  add_text(out, "cwd", past->cwd, "");
  add_text(out, "session_id", past->session, h->session);
  add_text(out, "hostname", past->hostname, st_arg_text(h->call, P(HOSTNAME)));
  add_text(out, "username", past->username, st_arg_text(h->call, P(USERNAME)));
  st_str_addz(out, "}}}");
}

static bool is_stopped(st_history *h) {
  stele_db *db = h->call->db;
  if (!db->progress || db->progress(db->user, "history", h->commands, 0) == 0) return false;
  st_fail(h->call, STELE_CANCELLED, NULL, "stopped; what was read so far is kept");
  st_hint(h->call, "another call does the rest");
  return true;
}

bool st_history_tell(st_history *h, const st_past *past) {
  char id[ST_UUID_SIZE];
  st_str envelope;
  if (!st_ok(h->call) || !id_of(h, past, id)) return false;
  h->commands++;
  st_str_init(&envelope, ENVELOPE_MAX);
  write_envelope(h, past, id, &envelope);
  if (!envelope.failed) st_intake_add(&h->intake, envelope.text, envelope.length);
  else st_fail(h->call, STELE_NOMEM, NULL, "out of memory");
  st_str_free(&envelope);
  return st_ok(h->call) && (h->intake.count > 0 || !is_stopped(h));
}

/* ---- The method ---- */

static st_history_reader *reader_of(const char *shell) {
  if (strcmp(shell, "zsh") == 0) return st_history_zsh;
  if (strcmp(shell, "bash") == 0) return st_history_bash;
  return strcmp(shell, "fish") == 0 ? st_history_fish : st_history_atuin;
}

static void reply_with(const st_history *h) {
  st_value *reply = st_reply(h->call);
  if (!reply) return;
  reply[ST_R_CAPTURE_IMPORT_HISTORY_COMMANDS] = st_int(h->commands);
  reply[ST_R_CAPTURE_IMPORT_HISTORY_STORED] = st_int(h->intake.stored);
  reply[ST_R_CAPTURE_IMPORT_HISTORY_DUPLICATES] = st_int(h->intake.duplicates);
  reply[ST_R_CAPTURE_IMPORT_HISTORY_REFUSED] = st_int(h->intake.refused);
}

void st_capture_import_history(st_call *call) {
  const char *path = st_arg_text(call, P(PATH));
  st_history h = {.call = call, .shell = st_arg_text(call, P(SHELL))};
  struct stat found;
  h.intake = (st_intake){.call = call, .now = call->args[P(NOW)], .dry_run = st_arg_int(call, P(DRY_RUN)) != 0};
  st_intake_begin(&h.intake);
  if (stat(path, &found) == 0) h.otherwise_ms = (int64_t)found.st_mtim.tv_sec * 1000;
  if (!st_uuid_v5(SPACE, h.shell, strlen(h.shell), h.session)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(call)) reader_of(h.shell)(&h, call, path);
  st_intake_flush(&h.intake);
  reply_with(&h);
  st_intake_free(&h.intake);
  st_numbers_free(&h.seen);
}
