/* ask.c - see ask.h. */
#include "ask.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "progress.h"

bool ask_possible(void) {
  return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

bool ask(output *out, const char *question, bool usual) {
  char *line = NULL;
  size_t room = 0;
  progress_clear(out);
  fflush(stdout);
  fprintf(stderr, "%s [%s] ", question, usual ? "Y/n" : "y/N");
  ssize_t length = getline(&line, &room, stdin);
  bool yes = length > 0 && (*line == 'y' || *line == 'Y' || (*line == '\n' && usual));
  if (length <= 0) fputc('\n', stderr);
  free(line);
  return yes;
}

/* ---- What is typed and not shown ---- */

static const int ENDINGS[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define NENDINGS (sizeof ENDINGS / sizeof *ENDINGS)

static struct termios shown; /* the terminal as it was */

/* Whoever ends the program meanwhile gets back a terminal that shows what is typed. */
static void show_and_end(int signal_number) {
  tcsetattr(STDIN_FILENO, TCSANOW, &shown);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static bool hide(struct sigaction before[NENDINGS]) {
  struct sigaction handler = {.sa_handler = show_and_end};
  if (tcgetattr(STDIN_FILENO, &shown) != 0) return false;
  for (size_t i = 0; i < NENDINGS; i++) sigaction(ENDINGS[i], &handler, &before[i]);
  struct termios hidden = shown;
  hidden.c_lflag &= ~(tcflag_t)ECHO;
  hidden.c_lflag |= ECHONL;
  return tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0;
}

static void show(const struct sigaction before[NENDINGS]) {
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
  for (size_t i = 0; i < NENDINGS; i++) sigaction(ENDINGS[i], &before[i], NULL);
}

char *ask_line(output *out, const char *question, bool secret) {
  struct sigaction before[NENDINGS];
  bool person = ask_possible(), hidden = person && secret && hide(before);
  char *line = NULL;
  size_t room = 0;
  progress_clear(out);
  fflush(stdout);
  if (person) fprintf(stderr, "%s: ", question);
  ssize_t length = getline(&line, &room, stdin);
  if (hidden) show(before);
  if (length >= 0 && strlen(line) == (size_t)length) {
    line[strcspn(line, "\r\n")] = '\0';
    return line;
  }
  free(line);
  return NULL;
}
