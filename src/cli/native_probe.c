/* native_probe.c - see native_probe.h. */
#include "native_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../door/json.h"
#include "../ingest/frame.h"
#include "native_host.h"
#include "text.h"

extern char **environ;

char *native_probe_message(cli *c, const char *tag) {
  const char *domain = settings_get(&c->settings, "browser.probe_domain")->text;
  char *url = text_format("https://%s/synthetic", domain), *address = text_need(text_quote(url)), *at = text_need(text_quote(domain));
  char *message = text_format("{\"url\":%s,\"timestamp\":%lld,\"probe_tag\":\"%s\",\"probe_domain\":%s}", address,
                              (long long)time(NULL) * 1000, tag, at);
  free(url);
  free(address);
  free(at);
  return message;
}

char *native_probe_envelope(cli *c, const char *message, char why[ST_FALLBACK_WHY]) {
  char *reply = NULL, *envelope = NULL;
  if (stele_call(c->db, "stele.read_visit", message, &reply) != STELE_OK)
    snprintf(why, ST_FALLBACK_WHY, "%s", stele_error(c->db)->message);
  else
    envelope = json_text(json_member(json_read(reply, strlen(reply)), "envelope"));
  stele_free(reply);
  return envelope;
}

/* ---- The host ---- */

typedef struct child {
  pid_t id;
  int to, from; /* its input and output */
} child;

/* With the same home and configuration.  0, or errno. */
static int start(cli *c, child *host) {
  char *words[8] = {"stele"}, **next = words + 1;
  int in[2], out[2] = {-1, -1};
  posix_spawn_file_actions_t files;
  if (c->options.home) *next++ = "--home", *next++ = (char *)c->options.home;
  if (c->settings.named) *next++ = "--config", *next++ = c->settings.file;
  *next = "native-messaging-host";
  if (pipe2(in, O_CLOEXEC) != 0) return errno;
  int error = pipe2(out, O_CLOEXEC) == 0 ? posix_spawn_file_actions_init(&files) : errno;
  if (!error) {
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    error = posix_spawn(&host->id, "/proc/self/exe", &files, NULL, words, environ);
    posix_spawn_file_actions_destroy(&files);
  }
  close(in[0]);
  if (out[1] >= 0) close(out[1]);
  host->to = in[1];
  host->from = out[0];
  return error;
}

/* It ends with its input, unless it hangs. */
static void end(const child *host, bool answered) {
  if (host->to >= 0) close(host->to);
  if (host->from >= 0) close(host->from);
  if (host->id <= 0) return;
  if (!answered) kill(host->id, SIGKILL);
  while (waitpid(host->id, NULL, 0) < 0 && errno == EINTR) continue;
}

/* What is kept in the fallback files has not arrived. */
static bool is_stored(const char *answer, size_t length, char why[ST_FALLBACK_WHY]) {
  static const char *const reasons[] = {"kept", "error", "reason"};
  json read = json_read(answer, length);
  bool stored = json_is(json_member(read, "status"), "ok");
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
    char *reason = json_text(json_member(read, reasons[i]));
    if (reason) snprintf(why, ST_FALLBACK_WHY, "%s", reason);
    stored = stored && !reason;
    free(reason);
  }
  return stored;
}

bool native_probe_send(cli *c, const char *message, int64_t until, char why[ST_FALLBACK_WHY]) {
  child host = {.to = -1, .from = -1};
  st_frames frames = {.form = NATIVE_FORM};
  char *answer;
  size_t length;
  int error = start(c, &host);
  if (error) {
    snprintf(why, ST_FALLBACK_WHY, "the host cannot be started: %s", strerror(error));
    end(&host, false);
    return false;
  }
  st_frame_status status = st_frame_send(host.to, &frames.form, message, strlen(message), until);
  if (status == ST_FRAME_OK) status = st_frame_receive(host.from, &frames, until, &answer, &length);
  bool stored = status == ST_FRAME_OK && is_stored(answer, length, why);
  if (status != ST_FRAME_OK) snprintf(why, ST_FALLBACK_WHY, "%s", st_frame_why(status));
  end(&host, status == ST_FRAME_OK);
  st_frames_free(&frames);
  return stored;
}
