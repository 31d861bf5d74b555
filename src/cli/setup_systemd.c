/* setup_systemd.c - see setup.h: the unit of the user's own service manager, and what must be told to it. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "places.h"
#include "setup.h"
#include "text.h"

extern char **environ;

/* A word of a unit: in quotes, with % and $ meaning themselves. */
static char *unit_word(const char *word) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&text, &length));
  fputc('"', to);
  for (; *word; word++) {
    if (*word == '"' || *word == '\\') fputc('\\', to);
    if (*word == '%' || *word == '$') fputc(*word, to);
    fputc(*word, to);
  }
  fputc('"', to);
  fclose(to);
  return text_need(text);
}

static void writable(FILE *to, const char *path) {
  char *word = unit_word(path);
  fprintf(to, "ReadWritePaths=%s\n", word);
  free(word);
}

/* Whatever the server writes to: its home, and the directories of stores that are files elsewhere. */
static void writable_places(cli *c, FILE *to) {
  const options *o = &c->options;
  if (o->home) writable(to, o->home);
  for (size_t i = 0; i < o->nplaces; i++) {
    const char *location = o->places[i].location, *slash = location ? strrchr(location, '/') : NULL;
    if (!location || location[0] != '/' || slash == location) continue;
    char *directory = text_need(strndup(location, (size_t)(slash - location)));
    writable(to, directory);
    free(directory);
  }
  fputs("ReadWritePaths=%t\n", to);
}

char *setup_unit(cli *c, const char *program) {
  char *unit = NULL, *word = unit_word(program);
  size_t length = 0;
  FILE *to = text_need(open_memstream(&unit, &length));
  fprintf(to,
          "[Unit]\n"
          "Description=Stele, the durable state of AI agents\n"
          "\n"
          "[Service]\n"
          "Type=notify\n"
          "ExecStart=%s",
          word);
  setup_words(c, to, " ", unit_word);
  fputs(" serve --socket %t/stele.sock\n"
        "WatchdogSec=30\n"
        "Restart=on-failure\n"
        "UMask=0077\n"
        "MemoryMax=1G\n"
        "NoNewPrivileges=true\n"
        "PrivateTmp=true\n"
        "ProtectSystem=strict\n"
        "ProtectKernelTunables=true\n"
        "ProtectControlGroups=true\n"
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6\n"
        "RestrictRealtime=true\n"
        "LockPersonality=true\n"
        "SystemCallArchitectures=native\n",
        to);
  writable_places(c, to);
  fputs("\n[Install]\nWantedBy=default.target\n", to);
  fclose(to);
  free(word);
  return text_need(unit);
}

/* Does the user's own manager run? */
static bool manager_runs(void) {
  const char *runtime = places_environment("XDG_RUNTIME_DIR");
  char *socket = runtime ? text_format("%s/systemd/private", runtime) : NULL;
  bool runs = socket && access(socket, F_OK) == 0;
  free(socket);
  return runs;
}

static int run_command(cli *c, char *const *words) {
  pid_t child;
  int status = 0, error = posix_spawnp(&child, words[0], NULL, NULL, words, environ);
  if (!error)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  if (!error && WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  char *message = text_format("systemctl --user %s failed%s%s", words[2], error ? ": " : "", error ? strerror(error) : "");
  int failed = out_failure(&c->out, &(stele_failure){STELE_IO, "", "", message, ""});
  free(message);
  return failed;
}

static void make_home(const char *home) {
  char *path = text_format("%s/", home);
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0700); /* what cannot be made is told by the service */
    *slash = '/';
  }
  free(path);
}

int setup_systemctl(cli *c, const setup_target *target, bool put, bool run) {
  static char *const lists[][6] = {{"systemctl", "--user", "daemon-reload", NULL},
                                   {"systemctl", "--user", "enable", "--now", "stele.service", NULL},
                                   {"systemctl", "--user", "disable", "--now", "stele.service", NULL}};
  int status = 0;
  (void)target;
  run = run && manager_runs();
  if (put && run && c->options.home) make_home(c->options.home); /* only what exists can be made writable */
  for (int i = put ? 0 : 2; i < (put ? 2 : 3) && !status; i++) {
    if (run) status = run_command(c, lists[i]);
    else out_format(&c->out, "$ systemctl --user %s%s\n", lists[i][2], i ? " --now stele.service" : "");
  }
  return status;
}
