/* ask.c - see ask.h. */
#include "ask.h"

#include <stdio.h>
#include <stdlib.h>
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
