/* import_history.c - stele import-history: commands from before there was a hook. */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "places.h"
#include "progress.h"
#include "said.h"
#include "text.h"

/* Where each keeps its history, below the directory that a variable names, else below the user's. */
static const struct {
  const char *shell, *variable, *below, *name;
} PLACES[] = {
    {"zsh", "ZDOTDIR", "", ".zsh_history"},
    {"bash", NULL, "", ".bash_history"},
    {"fish", "XDG_DATA_HOME", ".local/share/", "fish/fish_history"},
    {"atuin", "XDG_DATA_HOME", ".local/share/", "atuin/history.db"},
};

/* In new memory; NULL: there is no user's directory, or no such shell. */
static char *usual_path(const char *shell) {
  const char *user = places_user();
  for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
    if (strcmp(PLACES[i].shell, shell) != 0) continue;
    const char *moved = PLACES[i].variable ? places_environment(PLACES[i].variable) : NULL;
    if (moved && *moved == '/') return text_format("%s/%s", moved, PLACES[i].name);
    return user ? text_format("%s/%s%s", user, PLACES[i].below, PLACES[i].name) : NULL;
  }
  return NULL;
}

static int import(cli *c, const char *shell, const char *path) {
  static const column columns[] = {
      {"commands", "COMMANDS", 0}, {"stored", "STORED", 0}, {"duplicates", "KNOWN", 0}, {"refused", "REFUSED", 0}, {NULL, NULL, 0}};
  char hostname[256] = "";
  const struct passwd *user = getpwuid(getuid());
  char *quoted = text_quote(path), *name = text_quote(shell);
  gethostname(hostname, sizeof hostname - 1);
  argument arguments[] = {{"shell", name},
                          {"path", quoted},
                          {"dry_run", said_flag(c, OPTION_DRY_RUN)},
                          {"hostname", text_quote(hostname)},
                          {"username", text_quote(user ? user->pw_name : "")},
                          {NULL, NULL}};
  progress_begin();
  int status = quoted && name ? command_reply(c, "capture.import_history", arguments, columns, "")
                              : out_bad(&c->out, NULL, "the path is not UTF-8");
  request_free(arguments);
  return status;
}

static int run(cli *c) {
  const char *shell = command_argument(c, 1), *said = command_argument(c, 2);
  char *usual = usual_path(shell);
  if (!usual) return command_verb(c, &import_history_command, shell);
  int status = import(c, shell, said ? said : usual);
  free(usual);
  return status;
}

const command import_history_command = {
    .name = "import-history",
    .group = GROUP_WORK,
    .usage = "zsh [FILE] | bash [FILE] | fish [FILE] | atuin [FILE]",
    .summary = "take in the commands of a shell's history",
    .examples = "stele import-history zsh --dry-run\n"
                "stele import-history zsh\n"
                "stele import-history bash old/.bash_history\n"
                "stele import-history atuin",
    .details = "Without FILE it is where the shell keeps it.  Secrets are taken out.  What was imported before is known again,\n"
               "so that the same history, grown or not, can be imported at any time.  The file is only read.",
    .least = 1,
    .most = 2,
    .opens = true,
    .takes = (const command_option[]){{OPTION_DRY_RUN, "change nothing, tell what would be"}, {0, NULL}},
    .run = run,
};
