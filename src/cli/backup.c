/* backup.c - stele backup, restore: copies of the stores, and back. */
#include <stdlib.h>

#include "command.h"
#include "progress.h"
#include "said.h"
#include "text.h"

/* The store that the argument names, as JSON; NULL: all, or *status is set. */
static char *said_store(cli *c, int *status) {
  const char *store = command_argument(c, 1);
  if (!store) return NULL;
  if (!command_store(c, store)) *status = 2;
  return *status ? NULL : text_quote(store);
}

static char *said_to(cli *c, int *status) {
  char *quoted = c->options.to ? text_quote(c->options.to) : NULL;
  if (c->options.to && !quoted) *status = out_bad(&c->out, NULL, "--to is not UTF-8");
  return quoted;
}

/* A wrong pair of options is told before anything is done. */
static int mismatch(cli *c, bool wrong, const char *what) { return wrong ? out_bad(&c->out, NULL, "%s", what) : 0; }

static int list_backups(cli *c) {
  static const column columns[] = {
      {"store", "STORE", COLUMN_WHOLE},       {"made_at", "MADE", COLUMN_AGO | COLUMN_WHOLE}, {"state", "STATE", COLUMN_WHOLE},
      {"bytes", "SIZE", COLUMN_BYTES | COLUMN_WHOLE}, {"rows", "ROWS", COLUMN_COUNT | COLUMN_IF_ANY},  {"path", "BACKUP", COLUMN_WHOLE},
      {NULL, NULL, 0},
  };
  int status = mismatch(c, c->options.to, "--to says where to copy; a list is --from a directory");
  argument arguments[] = {{"store", said_store(c, &status)},
                          {"source", said_directory(c, OPTION_FROM, &status)},
                          {"until", said_time(c, OPTION_UNTIL, &status)},
                          {"full", said_flag(c, OPTION_FULL)},
                          {NULL, NULL}};
  progress_begin();
  if (!status) status = command_reply(c, "stele.list_backups", arguments, columns, "there is no backup: `stele backup` makes one");
  request_free(arguments);
  return status;
}

static int run_backup(cli *c) {
  static const column columns[] = {
      {"store", "STORE", 0}, {"bytes", "SIZE", COLUMN_BYTES}, {"rows", "ROWS", COLUMN_COUNT}, {"path", "COPY", COLUMN_WHOLE}, {NULL, NULL, 0},
  };
  if (c->options.local[OPTION_LIST]) return list_backups(c);
  bool listing = c->options.local[OPTION_FROM] || c->options.local[OPTION_UNTIL] || c->options.local[OPTION_FULL];
  int status = mismatch(c, listing, "--from, --until and --full are of a list: --list");
  argument arguments[] = {{"store", said_store(c, &status)}, {"to", status ? NULL : said_to(c, &status)}, {NULL, NULL}};
  progress_begin();
  if (!status) status = command_reply(c, "stele.backup", arguments, columns, "nothing to copy: the store does not exist yet");
  request_free(arguments);
  return status;
}

static int run_restore(cli *c) {
  static const column columns[] = {
      {"store", "STORE", 0},          {"bytes", "SIZE", COLUMN_BYTES},          {"rows", "ROWS", COLUMN_COUNT | COLUMN_IF_ANY},
      {"backup", "OF", COLUMN_WHOLE}, {"location", "RESTORED AS", COLUMN_WHOLE}, {"replaced", "PUT ASIDE", COLUMN_IF_ANY | COLUMN_WHOLE},
      {NULL, NULL, 0},
  };
  int status = 0;
  argument arguments[] = {{"store", said_store(c, &status)},
                          {"source", said_directory(c, OPTION_FROM, &status)},
                          {"until", said_time(c, OPTION_UNTIL, &status)},
                          {"replace", said_flag(c, OPTION_REPLACE)},
                          {"dry_run", said_flag(c, OPTION_DRY_RUN)},
                          {NULL, NULL}};
  progress_begin();
  if (!status) status = command_reply(c, "stele.restore", arguments, columns, "there is no backup");
  request_free(arguments);
  if (!status && c->options.local[OPTION_DRY_RUN] && !c->out.json) out_notes(&c->out, "a dry run: they are whole, and nothing was restored");
  return status;
}

const command backup_command = {
    .name = "backup",
    .group = GROUP_STORES,
    .usage = "[STORE] [--to DIR] [--list [--from DIR] [--until TIME] [--full]]",
    .summary = "copy stores while they are in use, or list the copies",
    .examples = "stele backup\n"
                "stele backup telemetry --to /mnt/backups\n"
                "stele backup --list\n"
                "stele backup --list --from /mnt/backups --full",
    .details = "Each copy is of one moment.  It is read back, checked and compared with the store, table by table, before it gets its name;\n"
               "STORE-TIME.db.json beside it tells what it holds.  An existing file is never replaced.\n\n"
               "In a backup: every row of the store, secrets of the vault as the tokens they are.  Not in it: the configuration, redact.toml,\n"
               "server.key, the key of the vault (VAULT_MASTER_KEY), and indexes, which are made anew.\n\n"
               "`stele restore` makes stores of them; docs/backup.md has the rest.",
    .most = 1,
    .opens = true,
    .takes = (const command_option[]){{OPTION_TO, "directory of the copies; else backups, in the home"},
                                      {OPTION_LIST, "tell which there are, the newest first"},
                                      {OPTION_FROM, "list: the directory; else backups, in the home"},
                                      {OPTION_UNTIL, "list: only those made before this time"},
                                      {OPTION_FULL, "list: read each, and tell whether it is what it was"},
                                      {0, NULL}},
    .run = run_backup,
};

const command restore_command = {
    .name = "restore",
    .group = GROUP_STORES,
    .usage = "[STORE] [--from PATH] [--until TIME] [--replace] [--dry-run]",
    .summary = "make stores of backups",
    .examples = "stele --home new restore --from old/backups\n"
                "stele restore --dry-run --replace\n"
                "stele restore conversation --replace\n"
                "stele restore conversation --replace --until yesterday\n"
                "stele backup --list",
    .details = "The newest backup of each store, or the file that --from names.  All are verified, byte by byte, page by page and table by table,\n"
               "before the first takes its place.  A store that is there is refused, or with --replace put aside as STORE.db.replaced-TIME, with\n"
               "its log; nothing is deleted.  What uses the stores must be stopped first: a store that is open anywhere is refused.",
    .most = 1,
    .opens = true,
    .takes = (const command_option[]){{OPTION_FROM, "a backup, or a directory of them; else backups, in the home"},
                                      {OPTION_UNTIL, "the newest made before this time"},
                                      {OPTION_REPLACE, "put aside a store that is there, and take its place"},
                                      {OPTION_DRY_RUN, "verify the backups, and restore nothing"},
                                      {0, NULL}},
    .run = run_restore,
};
