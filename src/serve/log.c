/* log.c - see log.h. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

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

static void put(stele_log_level level, const char *message) {
  static int terminal = -1;
  sv_text line = {0};
  if (terminal < 0) terminal = isatty(STDERR_FILENO);
  sv_addz(&line, terminal ? "" : "{\"time\":\"");
  add_time(&line);
  if (terminal)
    sv_addf(&line, " %s: %s\n", WORDS[level], message);
  else
    sv_addf(&line, "\",\"level\":\"%s\",\"message\":", WORDS[level]);
  if (!terminal) sv_add_quoted(&line, message);
  if (!terminal) sv_addz(&line, "}\n");
  if (!line.failed && write(STDERR_FILENO, line.bytes, line.length) < 0) { /* there is nobody to tell */
  }
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
