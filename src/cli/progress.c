/* progress.c - see progress.h. */
#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

#define REDRAW_MS 100

static volatile sig_atomic_t stopped;

static void stop(int number) {
  (void)number;
  stopped = 1;
}

void progress_begin(void) {
  struct sigaction action = {.sa_handler = stop, .sa_flags = (int)(SA_RESTART | SA_RESETHAND)};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool progress_stopped(void) {
  return stopped != 0;
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1; /* never 0 */
}

/* Bytes, and how fast they come: "[####------]  43 %  85 MB/s  0:12 left". */
static void show_bytes(const output *out, int64_t now, int64_t done, int64_t total) {
  static const char full[] = "####################", none[] = "--------------------";
  int part = (int)((double)done * (double)(sizeof full - 1) / (double)total);
  double seconds = (double)(now - out->began_at) / 1000;
  fprintf(stderr, " [%.*s%.*s] %3d %%", part, full, (int)(sizeof none - 1) - part, none, (int)((double)done * 100 / (double)total));
  if (seconds < 0.5 || done <= 0) return;
  double rate = (double)done / seconds;
  int left = (int)((double)(total - done) / rate);
  fprintf(stderr, "  %.1f MB/s  %d:%02d left", rate / 1e6, left / 60, left % 60);
}

int progress_show(void *user, const char *what, int64_t done, int64_t total) {
  output *out = user;
  int64_t now = now_ms();
  if (!out->quiet && !out->held && isatty(STDERR_FILENO) && (!out->drawn_at || now - out->drawn_at >= REDRAW_MS)) {
    char *clean = text_clean(what);
    fprintf(stderr, "\r%s", clean);
    if (!out->began_at || done < out->last_done) out->began_at = now;
    out->last_done = done;
    if (total > 0 && strcmp(what, "import") == 0) show_bytes(out, now, done < total ? done : total, total);
    else if (total > 0) fprintf(stderr, " %d %%", (int)((double)done * 100 / (double)total));
    fputs("\033[K", stderr);
    free(clean);
    out->drawn_at = now;
  }
  return progress_stopped();
}

void progress_clear(output *out) {
  if (out->drawn_at) fputs("\r\033[K", stderr);
  out->drawn_at = 0;
}
