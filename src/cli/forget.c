/* forget.c - stele forget, forgotten: erasure. */
#include <stdint.h>

#include "command.h"
#include "said.h"
#include "text.h"

static int run(cli *c) {
  static const column columns[] = {
      {"store", "STORE", COLUMN_WHOLE}, {"action", "ACTION", COLUMN_WHOLE}, {"name", "NAME", 0},  {"rows", "ROWS", COLUMN_WHOLE | COLUMN_IF_ANY},
      {"bytes", "BYTES", COLUMN_BYTES | COLUMN_IF_ANY}, {"found", "FOUND", COLUMN_WHOLE | COLUMN_IF_ANY}, {"note", "NOTE", COLUMN_IF_ANY}, {NULL, NULL, 0},
  };
  bool does = c->options.local[OPTION_YES] && !c->options.local[OPTION_DRY_RUN];
  int status = 0;
  argument arguments[] = {
      {"text", command_argument(c, 1) ? said_words(c) : NULL},
      {"session", said_text(c, OPTION_SESSION, &status)},
      {"project", said_directory(c, OPTION_PROJECT, &status)},
      {"source", said_text(c, OPTION_SOURCE, &status)},
      {"since", said_time(c, OPTION_SINCE, &status)},
      {"until", said_time(c, OPTION_UNTIL, &status)},
      {"stores", said_texts(c, OPTION_IN, &status)},
      {"kinds", said_texts(c, OPTION_KIND, &status)},
      {"backups", text_quote(settings_text(&c->settings, "forget.backups"))},
      {"dry_run", text_format("%s", does ? "false" : "true")},
      {NULL, NULL},
  };
  if (!status && command_argument(c, 1) && !arguments[0].json) status = out_bad(&c->out, NULL, "the text is not UTF-8");
  if (!status) status = command_reply(c, "stele.forget", arguments, columns, "there is nothing of it");
  request_free(arguments);
  if (!does && !status && !c->out.json) out_notes(&c->out, "a dry run: nothing was changed; --yes forgets it");
  return status;
}

const command forget_command = {
    .name = "forget",
    .group = GROUP_STORES,
    .usage = "[TEXT...]",
    .most = SIZE_MAX,
    .summary = "remove something from everywhere, and prove that it is gone",
    .examples = "stele forget 'sk-live-4711'\n"
                "stele forget 'sk-live-4711' --yes\n"
                "stele forget --session 20260131_120000_a1b2c3 --yes\n"
                "stele forget --project ~/projects/secret --since 30d\n"
                "stele forget 'sk-live-4711' --yes --set forget.backups=rewrite",
    .details = "By itself it shows what would go, and changes nothing; with --yes it is done.  What is said together must all be true of a row.  A text is\n"
               "looked for letter for letter, in every column of every table.  Rows go with all that was made of them; then the files are written anew, their\n"
               "bytes are searched, and the words of the index are compared with what is left.  Stopped, it can be called again.\n\n"
               "Backups stay, and are named: forget.backups says otherwise.  docs/erasure.md has the rest.",
    .opens = true,
    .takes = (const command_option[]){{OPTION_SESSION, "of this session"},
                                      {OPTION_PROJECT, "of this project, or below this directory"},
                                      {OPTION_SOURCE, "from this source: cli, claude-code, shell, browser"},
                                      {OPTION_SINCE, "from then on: 30d, 2026-01-31"},
                                      {OPTION_UNTIL, "before then"},
                                      {OPTION_IN, "only of these stores; with commas"},
                                      {OPTION_KIND, "only of these kinds or tables: message, event, note, audit_log; with commas"},
                                      {OPTION_DRY_RUN, "change nothing, tell what would go"},
                                      {OPTION_YES, "do it"},
                                      {0, NULL}},
    .run = run,
};

static int run_forgotten(cli *c) {
  static const column columns[] = {
      {"forgotten_at", "WHEN", COLUMN_AGO},  {"store", "STORE", COLUMN_WHOLE},     {"criteria", "BY", COLUMN_WHOLE}, {"rows", "ROWS", COLUMN_WHOLE},
      {"redacted", "REDACTED", COLUMN_WHOLE}, {"proven_at", "PROVEN", COLUMN_AGO}, {NULL, NULL, 0},
  };
  int status = 0;
  argument arguments[] = {{"limit", said_number(c, OPTION_LIMIT, &status)}, {NULL, NULL}};
  if (!status) status = command_reply(c, "stele.forgotten", arguments, columns, "nothing was forgotten");
  request_free(arguments);
  return status;
}

const command forgotten_command = {
    .name = "forgotten",
    .group = GROUP_STORES,
    .usage = "",
    .summary = "when something was forgotten, and how much; never what",
    .examples = "stele forgotten",
    .details = "What was never proven to be gone has no time there: call `stele forget` again, as it was called then.",
    .opens = true,
    .takes = (const command_option[]){{OPTION_LIMIT, "of each store at most this many"}, {0, NULL}},
    .run = run_forgotten,
};
