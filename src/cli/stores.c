/* stores.c - stele status, migrate, repair: the stores as a whole. */
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "command.h"
#include "progress.h"
#include "said.h"
#include "text.h"

static double number(json row, const char *name) {
  return json_number(json_member(row, name));
}

/* "120 sessions, 1.3 k messages, 3.8 M tokens": counters of the sessions, so that it costs little. */
static void print_conversations(cli *c, int *status) {
  char *reply = command_ask(c, "conversation.usage_over_time", (argument[]){{"bucket", "\"month\""}, {NULL, NULL}}, status);
  json list = reply ? json_read(reply, strlen(reply)) : (json){0}, row = {0};
  double sessions = 0, messages = 0, tokens = 0;
  while (json_next(list, &row)) {
    sessions += number(row, "sessions");
    messages += number(row, "messages");
    tokens += number(row, "input_tokens") + number(row, "output_tokens");
  }
  char *counts[] = {table_counted(sessions, "session"), table_counted(messages, "message"),
                    table_counted(tokens, "token")};
  if (reply) out_format(&c->out, "conversations: %s, %s, %s\n", counts[0], counts[1], counts[2]);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) free(counts[i]);
  stele_free(reply);
}

/* "search index: 1.2 MB, 12 messages to take in" */
static void print_index(cli *c, int *status) {
  char *reply = command_ask(c, "conversation.index_status", (argument[]){{NULL, NULL}}, status);
  json row = reply ? json_read(reply, strlen(reply)) : (json){0}, problem = json_member(row, "problem");
  double missing = number(row, "missing");
  char *size = table_number(number(row, "bytes"), "B"), *due = table_counted(missing, "message");
  char *why = json_kind(problem) == '"' ? json_text(problem) : NULL, *clean = why ? text_clean(why) : NULL;
  if (row.text) {
    out_format(&c->out, "search index: %s%s", number(row, "bytes") > 0 ? size : "",
               number(row, "bytes") > 0 ? ", " : "");
    if (missing > 0)
      out_format(&c->out, "%s%s to take in", missing >= 1000 ? "at least " : "", due);
    else
      out_text(&c->out, "up to date");
    out_format(&c->out, "%s%s\n", clean ? "; it cannot be read: " : "", clean ? clean : "");
  }
  char *const texts[] = {size, due, why, clean};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
  stele_free(reply);
}

/* What all stores take together, what is in them, and which program looks at them. */
static int print_summary(cli *c) {
  int status = 0;
  char *reply = command_ask(c, "stele.status", (argument[]){{NULL, NULL}}, &status);
  char *about = command_ask(c, "stele.version", (argument[]){{NULL, NULL}}, &status);
  json list = reply ? json_read(reply, strlen(reply)) : (json){0}, row = {0};
  json versions = about ? json_read(about, strlen(about)) : (json){0};
  double bytes = 0;
  bool talks = false;
  while (json_next(list, &row)) {
    bytes += number(row, "bytes");
    if (json_is(json_member(row, "store"), "conversation") && json_is(json_member(row, "state"), "current"))
      talks = true;
  }
  char *size = table_number(bytes, "B"), *version = json_text(json_member(versions, "version"));
  char *sqlite = json_text(json_member(versions, "sqlite"));
  out_text(&c->out, "\n");
  if (talks) print_conversations(c, &status);
  if (talks) print_index(c, &status);
  out_format(&c->out, "all together: %s; stele %s, SQLite %s\n", size, version ? version : "?", sqlite ? sqlite : "?");
  free(size);
  free(version);
  free(sqlite);
  stele_free(reply);
  stele_free(about);
  return status;
}

static int run_status(cli *c) {
  static const column columns[] = {
      {"store", "STORE", COLUMN_WHOLE},
      {"state", "STATE", COLUMN_WHOLE},
      {"version", "VER", COLUMN_WHOLE},
      {"engine", "ENGINE", COLUMN_WHOLE | COLUMN_RANK(1)},
      {"durability", "DURABILITY", COLUMN_RANK(3)},
      {"bytes", "SIZE", COLUMN_BYTES | COLUMN_IF_ANY | COLUMN_WHOLE},
      {"wal_bytes", "LOG", COLUMN_BYTES | COLUMN_IF_ANY | COLUMN_WHOLE | COLUMN_RANK(2)},
      {"location", "LOCATION", 0},
      {"problem", "PROBLEM", COLUMN_IF_ANY},
      {NULL, NULL, 0},
  };
  int status = command_reply(c, "stele.status", (argument[]){{NULL, NULL}}, columns, "there are no stores");
  return status || c->options.json || c->options.plain ? status : print_summary(c);
}

/* A method that takes one store or means all of them. */
static int on_store(cli *c, const char *method, const column *columns, const char *none) {
  const char *store = command_argument(c, 1);
  if (store && !command_store(c, store)) return 2;
  char *quoted = store ? text_quote(store) : NULL;
  argument arguments[] = {{"store", quoted}, {NULL, NULL}, {NULL, NULL}};
  if (c->options.local[OPTION_DRY_RUN]) arguments[1] = (argument){"dry_run", "true"};
  progress_begin();
  int status = command_reply(c, method, arguments, columns, none);
  free(quoted);
  return status;
}

static int run_migrate(cli *c) {
  static const column columns[] = {
      {"store", "STORE", 0}, {"before", "BEFORE", 0}, {"after", "NOW", 0}, {NULL, NULL, 0}};
  return on_store(c, "stele.migrate", columns, "nothing to migrate: the store does not exist yet");
}

static int run_salvage(cli *c) {
  static const column columns[] = {
      {"table", "TABLE", COLUMN_WHOLE}, {"rows", "ROWS", 0}, {"lost", "LOST", 0}, {"refused", "REFUSED", 0}, {"pages", "DAMAGED PAGES", 0}, {NULL, NULL, 0}};
  const char *store = command_argument(c, 1);
  int status = 0;
  if (!store) return out_bad(&c->out, "such as `stele repair conversation --salvage`", "say of which store the file is");
  if (!command_store(c, store)) return 2;
  argument arguments[] = {{"store", text_quote(store)},
                          {"source", said_directory(c, OPTION_FROM, &status)},
                          {"to", said_text(c, OPTION_TO, &status)},
                          {"without_log", said_flag(c, OPTION_WITHOUT_LOG)},
                          {NULL, NULL}};
  progress_begin();
  if (!status) status = command_reply(c, "stele.salvage", arguments, columns, "no table was found");
  request_free(arguments);
  return status;
}

static int run_repair(cli *c) {
  const char *const *said = c->options.local;
  static const column columns[] = {
      {"store", "STORE", 0},   {"action", "ACTION", COLUMN_WHOLE},           {"rows", "ROWS", COLUMN_IF_ANY}, {"name", "OF", COLUMN_WHOLE},
      {"reason", "REASON", COLUMN_IF_ANY}, {"backup", "COPY FROM BEFORE", COLUMN_IF_ANY}, {NULL, NULL, 0}};
  if (said[OPTION_SALVAGE] && said[OPTION_DRY_RUN]) return out_bad(&c->out, NULL, "--salvage changes nothing that is there: it has no --dry-run");
  if (said[OPTION_SALVAGE]) return run_salvage(c);
  if (said[OPTION_FROM] || said[OPTION_TO] || said[OPTION_WITHOUT_LOG]) return out_bad(&c->out, NULL, "--from, --to and --without-log go with --salvage");
  return on_store(c, "stele.repair", columns, "nothing to repair");
}

const command status_command = {
    .name = "status",
    .group = GROUP_STORES,
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
    .group = GROUP_STORES,
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

const command repair_command = {
    .name = "repair",
    .group = GROUP_STORES,
    .usage = "[STORE] [--dry-run] [--salvage [--from FILE] [--to FILE] [--without-log]]",
    .summary = "put aside rows whose parent is gone, add what a store lacks, salvage a damaged file",
    .examples = "stele repair --dry-run\n"
                "stele repair capture\n"
                "stele call capture.list_quarantine\n"
                "stele repair conversation --salvage\n"
                "stele repair conversation --salvage --from damaged.db --to salvaged.db",
    .details =
        "Rows without the row they refer to move to the table stele_quarantine; tables, columns, indexes, triggers and first\n"
        "rows that are missing are made.  All or nothing, after a copy beside the file.  A store that is well is not touched.\n\n"
        "--salvage is for a file with damaged pages.  It is read page by page and never written; every row that can still be read goes\n"
        "into a new file, FILE.salvaged-TIME, which is then a store: `stele restore STORE --from FILE.salvaged-TIME --replace`.  What was\n"
        "lost is told, table by table.  docs/backup.md has the rest.",
    .most = 1,
    .opens = true,
    .takes = (const command_option[]){{OPTION_DRY_RUN, "tell what would be done, and change nothing"},
                                      {OPTION_SALVAGE, "get the rows of a damaged file into a new one"},
                                      {OPTION_FROM, "salvage: the damaged file; else the store's own"},
                                      {OPTION_TO, "salvage: the new file; else FILE.salvaged-TIME"},
                                      {OPTION_WITHOUT_LOG, "salvage: do not read its log (-wal), which is not its own or damaged"},
                                      {0, NULL}},
    .run = run_repair,
};
