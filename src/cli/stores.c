/* stores.c - stele status, migrate, backup: the stores as a whole. */
#include <stdlib.h>

#include "command.h"
#include "progress.h"
#include "text.h"

static int run_status(cli *c) {
  static const column columns[] = {
      {"store", "STORE", COLUMN_WHOLE},
      {"state", "STATE", COLUMN_WHOLE},
      {"version", "VER", COLUMN_WHOLE},
      {"engine", "ENGINE", COLUMN_WHOLE},
      {"durability", "DURABILITY", 0},
      {"bytes", "SIZE", COLUMN_BYTES | COLUMN_IF_ANY | COLUMN_WHOLE},
      {"location", "LOCATION", 0},
      {"problem", "PROBLEM", COLUMN_IF_ANY},
      {NULL, NULL, 0},
  };
  return command_reply(c, "stele.status", (argument[]){{NULL, NULL}}, columns, "there are no stores");
}

/* A method that takes one store or means all of them. */
static int on_store(cli *c, const char *method, const column *columns, const char *none) {
  const char *store = command_argument(c, 1);
  if (store && !command_store(c, store)) return 2;
  char *quoted = store ? text_quote(store) : NULL, *to = c->options.to ? text_quote(c->options.to) : NULL;
  if (c->options.to && !to) {
    free(quoted);
    return out_bad(&c->out, NULL, "--to is not UTF-8");
  }
  argument arguments[] = {{"store", quoted}, {to ? "to" : NULL, to}, {NULL, NULL}};
  progress_begin();
  int status = command_reply(c, method, arguments, columns, none);
  free(quoted);
  free(to);
  return status;
}

static int run_migrate(cli *c) {
  static const column columns[] = {
      {"store", "STORE", 0}, {"before", "BEFORE", 0}, {"after", "NOW", 0}, {NULL, NULL, 0}};
  return on_store(c, "stele.migrate", columns, "nothing to migrate: the store does not exist yet");
}

static int run_backup(cli *c) {
  static const column columns[] = {
      {"store", "STORE", 0},
      {"bytes", "SIZE", COLUMN_BYTES},
      {"path", "COPY", COLUMN_WHOLE},
      {NULL, NULL, 0},
  };
  return on_store(c, "stele.backup", columns, "nothing to copy: the store does not exist yet");
}

const command status_command = {
    .name = "status",
    .usage = "",
    .summary = "where each store is and how it is",
    .examples = "stele status\n"
                "stele status --json\n"
                "stele --store telemetry=old.db status",
    .details = "Looking changes nothing, and creates nothing.",
    .opens = true,
    .run = run_status,
};

const command migrate_command = {
    .name = "migrate",
    .usage = "[STORE]",
    .summary = "bring stores to the version this Stele works with",
    .examples = "stele migrate\n"
                "stele --store telemetry=old.db migrate telemetry",
    .details =
        "A file that holds data is copied first, and the copy is verified.\n"
        "Stores in the home are migrated when they are opened; a file elsewhere only by this, or with --migrate.",
    .most = 1,
    .opens = true,
    .run = run_migrate,
};

const command backup_command = {
    .name = "backup",
    .usage = "[STORE] [--to DIR]",
    .summary = "copy stores while they are in use",
    .examples = "stele backup\n"
                "stele backup telemetry --to /mnt/backups",
    .details = "Each copy is of one moment, and is read back and verified.  An existing file is never replaced.",
    .most = 1,
    .opens = true,
    .takes = (const command_option[]){{OPTION_TO, "directory of the copies; else backups, in the home"}, {0, NULL}},
    .run = run_backup,
};
