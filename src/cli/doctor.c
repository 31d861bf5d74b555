/* doctor.c - stele doctor, check: prints the checkup. */
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "command.h"
#include "progress.h"
#include "text.h"

/* One line of the checkup, as texts of its own. */
typedef struct line {
  char *name; /* "telemetry.integrity", "disk" */
  char *summary, *cause, *fix, *doc;
  int state; /* 0 ok, 1 warn, 2 fail */
} line;

typedef struct report {
  line *lines;
  size_t count;
  size_t width; /* of the longest name */
  int worst, warnings, failures;
} report;

static char *clean_member(json row, const char *name) {
  json member = json_member(row, name);
  char *text = json_kind(member) == '"' ? json_text(member) : NULL, *clean = text ? text_clean(text) : NULL;
  free(text);
  return clean;
}

static line line_of(json row) {
  char *store = clean_member(row, "store"), *check = clean_member(row, "check");
  json state = json_member(row, "state");
  line made = {.name = text_format("%s%s%s", store ? store : "", store ? "." : "", check ? check : ""),
               .summary = clean_member(row, "summary"),
               .cause = clean_member(row, "cause"),
               .fix = clean_member(row, "fix"),
               .doc = clean_member(row, "doc"),
               .state = json_is(state, "fail") ? 2 : json_is(state, "warn") ? 1 : 0};
  free(store);
  free(check);
  return made;
}

static void report_read(report *r, const char *reply) {
  json list = json_read(reply, strlen(reply)), row = {0};
  while (json_next(list, &row)) {
    r->lines = text_need(realloc(r->lines, (r->count + 1) * sizeof *r->lines));
    line *made = &r->lines[r->count++];
    *made = line_of(row);
    if (strlen(made->name) > r->width) r->width = strlen(made->name);
    r->warnings += made->state == 1;
    r->failures += made->state == 2;
  }
}

static void report_free(report *r) {
  for (size_t i = 0; i < r->count; i++) {
    char *const texts[] = {r->lines[i].name, r->lines[i].summary, r->lines[i].cause, r->lines[i].fix, r->lines[i].doc};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) free(texts[t]);
  }
  free(r->lines);
}

static void print_why(output *out, const char *word, const char *text) {
  if (text) out_format(out, "       %s%-5s%s  %s\n", out->bold, word, out->normal, text);
}

static void print_line(output *out, const line *l, size_t width, bool explain) {
  static const char *const words[] = {"ok", "warn", "fail"}, *const signs[] = {"\xe2\x9c\x93", "!", "\xe2\x9c\x97"};
  const char *const colours[] = {out->green, out->yellow, out->red};
  if (out->plain) {
    out_format(out, "%s\t%s\t%s\n", words[l->state], l->name, l->summary);
    return;
  }
  bool sign = out->terminal && out->unicode;
  out_format(out, "%s%-*s%s %-*s  %s\n", colours[l->state], sign ? 0 : 4, (sign ? signs : words)[l->state], out->normal, (int)width,
             l->name, l->summary ? l->summary : "");
  if (!explain || l->state == 0) return;
  print_why(out, "CAUSE", l->cause);
  print_why(out, "FIX", l->fix);
  print_why(out, "DOC", l->doc);
}

static void print_report(cli *c, const report *r) {
  bool explain = c->options.local[OPTION_EXPLAIN] != NULL;
  for (size_t i = 0; i < r->count; i++) print_line(&c->out, &r->lines[i], r->width, explain);
  if (explain || r->warnings + r->failures == 0) return;
  char *note = text_format("%d to look at, %d wrong: `stele %s --explain` tells why and what to do", r->warnings, r->failures, c->options.words[0]);
  out_notes(&c->out, note);
  free(note);
}

/* The stores that were named, as JSON; NULL if there is none of that name, which is told. */
static char *stores_json(cli *c) {
  char *list = text_format("[");
  for (size_t i = 1; i < c->options.nwords; i++) {
    const char *name = command_argument(c, i);
    if (!command_store(c, name)) {
      free(list);
      return NULL;
    }
    char *longer = text_format("%s%s\"%s\"", list, i > 1 ? "," : "", name);
    free(list);
    list = longer;
  }
  char *closed = text_format("%s]", list);
  free(list);
  return closed;
}

static char *quoted(const char *text) { return text ? text_quote(text) : NULL; }

/* Ask, print the lines, and judge by the worst. */
static int run_checkup(cli *c, const char *method, const argument *arguments) {
  report r = {0};
  int status = 0;
  progress_begin();
  char *reply = command_ask(c, method, arguments, &status);
  if (reply) report_read(&r, reply);
  if (reply && c->options.json) out_format(&c->out, "%s\n", reply);
  else if (reply) print_report(c, &r);
  if (!status && r.failures) status = 1;
  stele_free(reply);
  report_free(&r);
  return status;
}

static int run(cli *c) {
  const settings *s = &c->settings;
  char *stores = stores_json(c);
  if (!stores) return 2;
  argument arguments[] = {{"stores", stores},
                          {"full", c->options.local[OPTION_FULL] ? "true" : NULL},
                          {"config_file", s->there ? quoted(s->file) : NULL},
                          {"config_problem", quoted(s->problem)},
                          {"config_hint", quoted(s->hint)},
                          {NULL, NULL}};
  int status = run_checkup(c, "stele.doctor", arguments);
  for (size_t i = 2; i < 5; i++) free((char *)arguments[i].json);
  free(stores);
  return status;
}

static int run_check(cli *c) {
  char *stores = stores_json(c);
  if (!stores) return 2;
  argument arguments[] = {{"stores", stores}, {"quick", c->options.local[OPTION_QUICK] ? "true" : NULL}, {NULL, NULL}};
  int status = run_checkup(c, "stele.check", arguments);
  free(stores);
  return status;
}

const command doctor_command = {
    .name = "doctor",
    .group = GROUP_STORES,
    .usage = "[STORE...] [--explain] [--full]",
    .summary = "look for everything that is wrong or soon will be, and say what to do",
    .examples = "stele doctor\n"
                "stele doctor --explain\n"
                "stele doctor --full telemetry planner\n"
                "stele doctor --json | jq '.[] | select(.state == \"fail\")'",
    .details = "A line for each check; docs/doctor.md has a section for each.  Nothing is changed: stores are opened for\n"
               "reading only, and one that cannot be opened is a line as well.  A look at a file in WAL mode may leave its\n"
               "-wal and -shm beside it.  The exit status is 1 if any check failed; warnings alone leave it 0.",
    .most = 100,
    .opens = true,
    .pages = true,
    .unconfigured = true,
    .takes = (const command_option[]){{OPTION_EXPLAIN, "under each warning and failure: its cause, what to do, where to read"},
                                      {OPTION_FULL, "read every page, index and reference, not only the structure"},
                                      {0, NULL}},
    .run = run,
};

const command check_command = {
    .name = "check",
    .group = GROUP_STORES,
    .usage = "[STORE...] [--quick] [--explain]",
    .summary = "read every page, row, index and reference of the stores",
    .examples = "stele check\n"
                "stele check conversation --explain\n"
                "stele --store conversation=backups/conversation-2026-01-31T12-00-00Z.db check conversation\n"
                "stele check --json | jq -e 'all(.[]; .state != \"fail\")'",
    .details = "What the stores hold, and nothing around them: that is `stele doctor`.  Rows are counted, search tables compared with what\n"
               "they index, and the store's own rules looked at.  Nothing is changed.  The exit status is 1 if anything is wrong.\n\n"
               "A damaged file: `stele restore`, and `stele repair --salvage` for what is not in a backup.",
    .most = 100,
    .opens = true,
    .pages = true,
    .takes = (const command_option[]){{OPTION_QUICK, "the structure of the files only, not every index and reference"},
                                      {OPTION_EXPLAIN, "under each warning and failure: its cause, what to do, where to read"},
                                      {0, NULL}},
    .run = run_check,
};
