/* setup.c - stele setup: makes other programs know Stele, shows before what it changes, and can undo it. */
#include "setup.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "diff.h"
#include "file.h"
#include "places.h"
#include "suggest.h"
#include "text.h"

/* ---- Either kind of part ---- */

part_state part_look(const part *p, const char *text, char **problem) {
  *problem = NULL;
  return p->body ? block_look(p, text) : json_part_look(p, text, problem);
}

part_change part_put(const part *p, const char *text, int missing) {
  return (part_change){.text = p->body ? block_put(p, text, missing) : json_part_put(p, text)};
}

part_change part_take(const part *p, const char *text) {
  return p->body ? block_take(p, text) : json_part_take(p, text);
}

/* ---- The program ---- */

/* This program, as it can be started from anywhere: by its name on the PATH if that leads to it. */
char *setup_program(void) {
  char self[PATH_MAX], found[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  const char *path = places_environment("PATH");
  if (length <= 0) return text_format("stele");
  self[length] = '\0';
  while (path && *path) {
    size_t here = strcspn(path, ":");
    char *file = text_format("%.*s/stele", (int)here, path);
    if (*path == '/' && realpath(file, found) && strcmp(found, self) == 0) return file;
    free(file);
    path += here + (path[here] == ':');
  }
  return text_format("%s", self);
}

static void write_word(FILE *to, const char *word, char *(*write)(const char *)) {
  char *written = write(word);
  fputs(written, to);
  free(written);
}

/* Between words of JSON stands a comma; of anything else nothing but the separator. */
void setup_words(cli *c, FILE *to, const char *separator, char *(*write)(const char *word)) {
  const settings *s = &c->settings;
  const char *between = *separator ? "" : ", ";
  const setting_value *home = settings_get(s, "home");
  if (s->named) {
    char whole[PATH_MAX];
    fputs(separator, to);
    write_word(to, "--config", write);
    fprintf(to, "%s%s", between, separator);
    write_word(to, realpath(s->file, whole) ? whole : s->file, write);
    fputs(between, to);
  }
  if (home->from >= FROM_ENVIRONMENT) {
    fputs(separator, to);
    write_word(to, "--home", write);
    fprintf(to, "%s%s", between, separator);
    write_word(to, home->text, write);
    fputs(between, to);
  }
}

char *setup_command_line(cli *c, const char *program) {
  char *line = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&line, &length));
  write_word(to, program, text_shell);
  setup_words(c, to, " ", text_shell);
  fclose(to);
  return text_need(line);
}

/* ---- One target ---- */

typedef struct job {
  const setup_target *target;
  part part;
  char *path, *content;
  char *text; /* of the file; NULL: it is not there */
  part_state state;
  char *problem;
} job;

static int failed(cli *c, const char *path, const char *what, int error) {
  char *message = text_format("%s cannot be %s: %s", path, what, strerror(error));
  int status = out_failure(&c->out, &(stele_failure){STELE_IO, "", "", message, ""});
  free(message);
  return status;
}

static void free_job(job *j) {
  free(j->path);
  free(j->content);
  free(j->text);
  free(j->problem);
}

/* 0, or errno of a file that cannot be read. */
static int look(cli *c, const setup_target *target, job *j) {
  size_t length = 0;
  int error = 0;
  char *program = setup_program();
  *j = (job){.target = target, .part = target->part, .path = target->file()};
  j->content = target->content(c, program);
  free(program);
  if (!j->part.name) j->part.name = target->name;
  *(target->part.container ? &j->part.value : &j->part.body) = j->content;
  if (!j->path) return 0;
  j->text = file_read(j->path, &length, &error);
  if (error && error != ENOENT) return error;
  if (j->text && strlen(j->text) != length)
    j->problem = text_format("holds a NUL byte");
  else
    j->state = part_look(&j->part, j->text, &j->problem);
  if (j->state == PART_CURRENT && target->followed && !target->followed(target)) j->state = PART_OLD;
  return 0;
}

static const char *state_text(const job *j) {
  static const char *const words[] = {"not set up", "set up", "set up, not up to date", "edited by hand", "not ours"};
  if (!j->path || !j->target->there(j->path)) return j->state == PART_CURRENT ? words[1] : "not here";
  return words[j->state];
}

static int list(cli *c) {
  int status = 0;
  for (const setup_target *t = setup_targets; t->name; t++) {
    job j;
    int error = look(c, t, &j);
    const char *state = error ? strerror(error) : j.problem ? j.problem : state_text(&j);
    if (c->options.json) {
      char *path = text_need(text_quote(j.path && text_valid(j.path) ? j.path : ""));
      out_format(&c->out, "%s{\"name\":\"%s\",\"program\":\"%s\",\"what\":\"%s\",\"file\":%s,\"state\":\"%s\"}%s",
                 t == setup_targets ? "[" : ",", t->name, t->program, t->what, path, state, t[1].name ? "" : "]\n");
      free(path);
    } else {
      out_format(&c->out, "%-9s %-24s %s\n%-9s %s%s%s\n", t->name, state, t->what, "", c->out.dim, j.path ? j.path : "",
                 c->out.normal);
    }
    free_job(&j);
  }
  if (!c->options.json) out_notes(&c->out, "`stele setup NAME` shows the change, --yes makes it, --remove undoes it");
  return status;
}

/* Why nothing can be done; 0: it can. */
static int refuse(cli *c, const job *j, bool remove) {
  bool force = c->options.local[OPTION_FORCE] != NULL;
  if (!j->path) return out_bad(&c->out, NULL, "there is no home directory: $HOME is not set");
  if (j->problem) return out_bad(&c->out, "nothing was changed", "%s %s", j->path, j->problem);
  if (j->state == PART_FOREIGN)
    return out_bad(&c->out, "nothing was changed; take it out by hand if it is not needed",
                   "%s has something called stele that `stele setup` did not make", j->path);
  if (j->state == PART_EDITED && !force)
    return out_bad(&c->out, remove ? "nothing was changed; --force takes it out" : "nothing was changed; --force replaces it",
                   "the part of Stele in %s has been edited", j->path);
  if (!remove && !j->text && !j->target->makes && file_missing_directories(j->path) > 0)
    return out_bad(&c->out, "use it once, or make the directory", "%s is not here: there is no directory for %s",
                   j->target->program, j->path);
  return 0;
}

/* What is to become of the file. */
static part_change plan(const job *j, bool remove) {
  part_change change = {.text = NULL};
  if (j->state != PART_ABSENT) change = part_take(&j->part, j->text);
  if (remove) return change;
  const char *before = j->state == PART_ABSENT ? j->text : change.text;
  int missing = change.remove ? change.directories : file_missing_directories(j->path);
  part_change put = part_put(&j->part, before, missing);
  free(change.text);
  return put;
}

/* Somebody else may have written meanwhile: agents do so all the time. */
static bool is_unchanged(const job *j) {
  size_t length;
  int error;
  char *now = file_read(j->path, &length, &error);
  bool same = now && j->text ? strcmp(now, j->text) == 0 : now == j->text;
  free(now);
  return same;
}

static int make(cli *c, const job *j, const part_change *change, bool remove) {
  int error, status = 0;
  if (!is_unchanged(j)) return out_bad(&c->out, "call again", "%s was changed meanwhile", j->path);
  if (remove && j->target->follow) status = j->target->follow(c, j->target, false, true);
  if (change->remove)
    error = file_remove(j->path, change->directories);
  else
    error = file_write(j->path, change->text, strlen(change->text), NULL);
  if (error) return failed(c, j->path, "written", error);
  if (!c->options.json)
    out_format(&c->out, "%s: %s %s\n", j->target->program, remove ? "taken out of" : "put into", j->path);
  if (!remove && j->target->follow) status = j->target->follow(c, j->target, true, true);
  return status;
}

static void tell_json(cli *c, const job *j, bool changed) {
  char *path = text_need(text_quote(text_valid(j->path) ? j->path : ""));
  out_format(&c->out, "{\"name\":\"%s\",\"file\":%s,\"changed\":%s}\n", j->target->name, path, changed ? "true" : "false");
  free(path);
}

static int change(cli *c, const job *j, bool remove) {
  part_change planned = plan(j, remove);
  bool yes = c->options.local[OPTION_YES] != NULL, asked = !yes && !c->options.json && ask_possible();
  int status = 0;
  if (!c->options.json) {
    diff_print(&c->out, j->path, j->text, planned.text);
    if (!yes && j->target->follow) j->target->follow(c, j->target, !remove, false);
  }
  if (asked) yes = ask(&c->out, "Make this change?", false);
  if (yes) status = make(c, j, &planned, remove);
  else if (!c->options.json) out_notes(&c->out, asked ? "nothing was changed" : "nothing was changed; --yes makes this change");
  if (c->options.json && !status) tell_json(c, j, yes);
  free(planned.text);
  return status;
}

static int run_target(cli *c, const setup_target *target) {
  bool remove = c->options.local[OPTION_REMOVE] != NULL;
  part_state done = remove ? PART_ABSENT : PART_CURRENT;
  job j;
  int error = look(c, target, &j), status = error ? failed(c, j.path, "read", error) : 0;
  bool settled = !status && !j.problem && j.path && j.state == done;
  if (settled && c->options.json)
    tell_json(c, &j, false);
  else if (settled)
    out_format(&c->out, "%s: %s %s\n", target->program, remove ? "nothing to take out of" : "already there, in", j.path);
  else if (!status)
    status = refuse(c, &j, remove);
  if (!status && !settled) status = change(c, &j, remove);
  free_job(&j);
  return status;
}

static int run(cli *c) {
  const char *name = command_argument(c, 1);
  if (!name) return list(c);
  suggestion near = suggest(name);
  for (const setup_target *t = setup_targets; t->name; t++) {
    if (strcmp(t->name, name) == 0) return run_target(c, t);
    suggest_offer(&near, t->name);
  }
  char *hint = suggest_hint(&near, "`stele setup` lists them");
  int status = out_bad(&c->out, hint, "%s cannot be set up", name);
  free(hint);
  return status;
}

const command setup_command = {
    .name = "setup",
    .group = GROUP_DOORS,
    .usage = "[claude|codex|cursor|opencode|bash|zsh|fish|bash-hook|zsh-hook|fish-hook|systemd|firefox|chromium|chrome]",
    .summary = "make your agents, shell, browser and service manager know Stele",
    .examples = "stele setup\n"
                "stele setup claude\n"
                "stele setup claude --yes\n"
                "stele setup zsh --remove --yes\n"
                "stele setup systemd --yes\n"
                "stele setup firefox",
    .details = "claude, codex, cursor, opencode: the agent gets the tools of `stele mcp`.  bash, zsh, fish: completion.\n"
               "systemd: `stele serve` as a service of yours.  firefox, chromium, chrome: the browser's extension can tell\n"
               "which pages you read (docs/browser.md).  The change is shown as a diff; it is made after a yes.\n"
               "--remove leaves the file byte for byte as it was.  What you edited stays, unless --force is given.",
    .most = 1,
    .takes = (const command_option[]){{OPTION_YES, "make the change without asking"},
                                      {OPTION_REMOVE, "undo it"},
                                      {OPTION_FORCE, "also if the part has been edited"},
                                      {0, NULL}},
    .run = run,
};
