/* redact.c - stele redact: what would be taken out of a text, by which rules, and out of what is stored. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "input.h"
#include "../door/json.h"
#include "progress.h"
#include "said.h"
#include "text.h"

/* "github-token 2, jwt 1", from a list of {rule, count}. */
static char *rules_text(const char *rules) {
  char *text = NULL;
  size_t size = 0;
  FILE *to = text_need(open_memstream(&text, &size));
  json list = json_read(rules, strlen(rules)), one = {NULL, 0};
  const char *separator = "";
  while (json_next(list, &one)) {
    char *name = json_text(json_member(one, "rule")), *count = json_text(json_member(one, "count"));
    fprintf(to, "%s%s %s", separator, name ? name : "", count ? count : "");
    separator = ", ";
    free(name);
    free(count);
  }
  fclose(to);
  return text_need(text);
}

static void tell_rules(cli *c, const char *rules) {
  char *text = rules_text(rules), *line = *text ? text_format("redacted: %s", text) : text_format("nothing to redact");
  out_notes(&c->out, line);
  free(line);
  free(text);
}

/* The only row of a method; NULL: that was told. */
static stele_stmt *row_of(cli *c, const char *method, const argument *arguments) {
  stele_stmt *stmt = request_prepare(c->db, method, arguments);
  if (stmt && stele_step(stmt) == STELE_ROW) return stmt;
  command_failed(c);
  stele_finalize(stmt);
  return NULL;
}

static const char *column_text(const char *method, stele_stmt *stmt, const char *name) {
  return stele_column_text(stmt, table_index(stele_method_find(method), name));
}

static int64_t column_int(const char *method, stele_stmt *stmt, const char *name) {
  return stele_column_int(stmt, table_index(stele_method_find(method), name));
}

/* ---- test ---- */

/* What was said: a text, a file of that name, or - or nothing for standard input. */
static char *sample(cli *c, int *status) {
  const char *said = command_argument(c, 2);
  struct stat found;
  if (!said || strcmp(said, "-") == 0) return input_read(&c->out, NULL, INPUT_MAX, status);
  if (stat(said, &found) == 0 && !S_ISDIR(found.st_mode)) return input_read(&c->out, said, INPUT_MAX, status);
  return text_format("%s", said);
}

static int run_test(cli *c) {
  int status = 0;
  char *text = sample(c, &status);
  if (!text) return status;
  char *quoted = text_quote(text);
  argument arguments[] = {{"text", quoted}, {NULL, NULL}};
  if (!quoted) {
    status = out_bad(&c->out, NULL, "the text is not UTF-8");
  } else if (c->options.json) {
    status = command_reply(c, "stele.redact", arguments, NULL, "");
  } else {
    stele_stmt *stmt = row_of(c, "stele.redact", arguments);
    status = stmt ? 0 : 1;
    const char *redacted = stmt ? column_text("stele.redact", stmt, "text") : "";
    out_lines(&c->out, redacted);
    if (*redacted && redacted[strlen(redacted) - 1] != '\n') out_text(&c->out, "\n");
    if (stmt) tell_rules(c, column_text("stele.redact", stmt, "rules"));
    stele_finalize(stmt);
  }
  free(quoted);
  free(text);
  return status;
}

/* ---- apply ---- */

static int run_apply(cli *c) {
  static const char method[] = "conversation.redact_stored";
  bool dry = c->options.local[OPTION_DRY_RUN] != NULL;
  argument arguments[] = {{"dry_run", said_flag(c, OPTION_DRY_RUN)}, {NULL, NULL}};
  int status = 0;
  progress_begin();
  if (c->options.json) {
    status = command_reply(c, method, arguments, NULL, "");
  } else {
    stele_stmt *stmt = row_of(c, method, arguments);
    status = stmt ? 0 : 1;
    if (stmt) {
      int64_t messages = column_int(method, stmt, "messages"), sessions = column_int(method, stmt, "sessions");
      out_notes(&c->out, stele_notes(c->db));
      out_format(&c->out, "%" PRId64 " secret%s %s %" PRId64 " message%s and %" PRId64 " session%s\n",
                 column_int(method, stmt, "count"), column_int(method, stmt, "count") == 1 ? "" : "s",
                 dry ? "would be taken out of" : "taken out of", messages, messages == 1 ? "" : "s", sessions,
                 sessions == 1 ? "" : "s");
      tell_rules(c, column_text(method, stmt, "rules"));
    }
    stele_finalize(stmt);
  }
  request_free(arguments);
  return status;
}

static int run_rules(cli *c) {
  static const column columns[] = {{"name", "RULE", 0}, {"family", "FAMILY", 0}, {"disabled", "DISABLED", 0},
                                   {"replacement", "REPLACEMENT", 0}, {NULL, NULL, 0}};
  return command_reply(c, "stele.redaction_rules", (argument[]){{NULL, NULL}}, columns, "");
}

static int run(cli *c) {
  const char *what = command_argument(c, 1);
  bool dry = c->options.local[OPTION_DRY_RUN] != NULL, more = command_argument(c, 2) != NULL;
  if (strcmp(what, "test") == 0 && !dry) return run_test(c);
  if (strcmp(what, "rules") == 0 && !dry && !more) return run_rules(c);
  if (strcmp(what, "apply") == 0 && !more) return run_apply(c);
  return command_verb(c, &redact_command, what);
}

const command redact_command = {
    .name = "redact",
    .group = GROUP_STORES,
    .usage = "test [TEXT|FILE|-] | rules | apply",
    .summary = "see what is redacted, and redact what is stored already",
    .examples = "stele redact test 'curl -u bob:secret https://host'\n"
                "stele redact test session.jsonl\n"
                "git diff | stele redact test\n"
                "stele redact rules\n"
                "stele redact apply --dry-run\n"
                "stele redact apply --json",
    .details = "test prints a text without its secrets, and which rules found them.  apply takes them out of stored\n"
               "conversations, then makes the search index and the file anew; if it is stopped, another call does the\n"
               "rest.  Rules of your own are in redact.toml in the home, or in the file that --redact names.",
    .least = 1,
    .most = 2,
    .opens = true,
    .takes = (const command_option[]){{OPTION_DRY_RUN, "apply: change nothing, tell what would be"}, {0, NULL}},
    .run = run,
};
