/* pager.c - see pager.h. */
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Start it with `from` as its input; 0: it cannot be started. */
static pid_t spawn(const char *command, int from) {
  char *const shell[] = {"sh", "-c", (char *)command, NULL}, *const less[] = {"less", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t usual;
  pid_t pager = 0;
  if (posix_spawn_file_actions_init(&actions) != 0) return 0;
  if (posix_spawnattr_init(&attributes) == 0) {
    /* We ignore what it must not. */
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    if (posix_spawnp(&pager, command ? "sh" : "less", &actions, &attributes, command ? shell : less, environ) != 0)
      pager = 0;
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return pager;
}

pid_t pager_start(const char *said) {
  const char *command = said ? said : getenv("PAGER");
  int ends[2];
  pid_t pager = 0;
  if (command && (!*command || strcmp(command, "cat") == 0)) return 0;
  setenv("LESS", "FRX", 0); /* ends by itself when all fits, keeps colours, leaves the text on the screen */
  if (pipe2(ends, O_CLOEXEC) != 0) return 0;
  pager = spawn(command, ends[0]);
  if (pager && dup2(ends[1], STDOUT_FILENO) < 0) pager = 0;
  close(ends[0]);
  close(ends[1]);
  if (pager) signal(SIGINT, SIG_IGN); /* Ctrl-C is for the pager: it asks to be obeyed there */
  return pager;
}

void pager_end(pid_t pager) {
  fclose(stdout);
  while (waitpid(pager, NULL, 0) < 0 && errno == EINTR) continue;
}
