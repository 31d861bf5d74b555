/* log.c - see log.h. */
#include "log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "logfile.h"
#include "text.h"

static const char *const WORDS[] = {"debug", "info", "warning", "error"};

static void add_time(sv_text *line) {
  struct timespec now;
  struct tm parts;
  char text[32];
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &parts);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  sv_addf(line, "%s.%03ldZ", text, now.tv_nsec / 1000000);
}

static void say(const char *bytes, size_t length) {
  if (write(STDERR_FILENO, bytes, length) < 0) { /* there is nobody to tell */
  }
}

/* ---- server.log ---- */

static struct {
  pthread_mutex_t mutex;
  sv_logfile file; /* without a directory: not wanted */
  char directory[4096];
  bool failing; /* told */
} log_file = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void sv_log_to(const char *home) {
  pthread_mutex_lock(&log_file.mutex);
  sv_logfile_close(&log_file.file);
  if (home) snprintf(log_file.directory, sizeof log_file.directory, "%s/logs", home);
  log_file.file.directory = home ? log_file.directory : NULL;
  pthread_mutex_unlock(&log_file.mutex);
}

static void put_file(const sv_text *line) {
  static const char why[] = "logs/server.log cannot be written\n";
  pthread_mutex_lock(&log_file.mutex);
  bool failed = log_file.file.directory && !sv_logfile_add(&log_file.file, "server.log", line->bytes, line->length);
  if (failed && !log_file.failing) say(why, sizeof why - 1);
  log_file.failing = failed;
  pthread_mutex_unlock(&log_file.mutex);
}

/* ---- A line ---- */

static struct {
  void (*show)(void *user, stele_log_level level, const char *message);
  void *user;
} shown_by;

void sv_log_shown_by(void (*show)(void *user, stele_log_level level, const char *message), void *user) {
  shown_by.show = show;
  shown_by.user = user;
}

static void put(stele_log_level level, const char *message) {
  static int terminal = -1;
  sv_text words = {0}, line = {0};
  if (terminal < 0) terminal = isatty(STDERR_FILENO);
  add_time(&words);
  sv_addf(&words, " %s: ", WORDS[level]);
  sv_add_words(&words, message);
  sv_addz(&words, "\n");
  sv_addz(&line, "{\"time\":\"");
  add_time(&line);
  sv_addf(&line, "\",\"level\":\"%s\",\"message\":", WORDS[level]);
  sv_add_quoted(&line, message);
  sv_addz(&line, "}\n");
  const sv_text *shown = terminal ? &words : &line;
  if (shown_by.show)
    shown_by.show(shown_by.user, level, message);
  else if (!shown->failed)
    say(shown->bytes, shown->length);
  if (!words.failed) put_file(&words);
  sv_text_free(&words);
  sv_text_free(&line);
}

void sv_log(stele_log_level level, const char *format, ...) {
  char message[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  put(level, message);
}

void sv_log_library(void *user, stele_log_level level, const char *message) {
  (void)user;
  if (level >= STELE_LOG_INFO) put(level, message);
}
