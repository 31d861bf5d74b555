/* main.c - the command line of Stele: a door.  It takes the words apart, calls the library and prints
** what comes back; what can be done is in the library, and only there. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "config.h"
#include "home.h"
#include "progress.h"
#include "suggest.h"
#include "terminal/terminal.h"
#include "text.h"

const command *const command_list[] = {
    &call_command,
    &methods_command,
    &help_command,
    &sessions_command,
    &show_command,
    &search_command,
    &ask_command,
    &export_command,
    &import_command,
    &watch_command,
    &resume_command,
    &timeline_command,
    &ci_status_command,
    &gh_poll_command,
    &watch_sha_command,
    &stats_command,
    &rename_command,
    &archive_command,
    &delete_command,
    &prune_command,
    &index_command,
    &reindex_command,
    &embed_command,
    &import_history_command,
    &replay_command,
    &enrich_command,
    &upkeep_command,
    &forget_command,
    &forgotten_command,
    &retention_command,
    &hold_command,
    &probe_command,
    &redact_command,
    &model_command,
    &status_command,
    &doctor_command,
    &check_command,
    &schema_command,
    &migrate_command,
    &repair_command,
    &backup_command,
    &copy_command,
    &tenant_command,
    &restore_command,
    &mcp_command,
    &serve_command,
    &native_host_command,
    &token_command,
    &hook_command,
    &send_event_command,
    &vault_command,
    &alarms_command,
    &watchdog_command,
    &completion_command,
    &config_command,
    &setup_command,
    &version_command,
    &tour_command,
    NULL,
};

/* A file that got the number of a closed stdout would receive our output.  What stands in its place
** cannot be used, so that using it fails. */
static void hold_descriptors(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) _exit(1);
}

/* Returns the exit status. */
static int open_home(cli *c) {
  home at;
  int status = home_of(c, &at);
  at.options.log = out_log;
  at.options.progress = progress_show;
  at.options.user = &c->out;
  if (!status && stele_open(&at.options, &c->db) != STELE_OK) status = command_failed(c);
  home_free(&at);
  return status;
}

static int unknown_command(cli *c, const char *name) {
  suggestion near = suggest(name);
  for (const command *const *at = command_list; *at; at++) suggest_offer(&near, (*at)->name);
  const char *otherwise = stele_method_find(name) ? "to call a method: stele call METHOD" : "`stele help` lists them";
  char *hint = suggest_hint(&near, otherwise);
  int status = out_bad(&c->out, hint, "there is no command %s", name);
  free(hint);
  return status;
}

/* The first option said that the command does not take, or NULL. */
static const option *unwanted(const options *o, const command *by) {
  for (int id = 0; id < OPTION_LOCALS; id++) {
    const command_option *taken = by->takes;
    while (taken && taken->doc && (int)taken->id != id) taken++;
    if (o->local[id] && (!taken || !taken->doc)) return option_of((local_option)id);
  }
  return NULL;
}

static int run(cli *c, const command *wanted) {
  size_t given = c->options.nwords - 1;
  const char *problem = given < wanted->least ? "too few" : given > wanted->most ? "too many" : NULL;
  const option *odd = unwanted(&c->options, wanted);
  char usage[200];
  snprintf(usage, sizeof usage, "usage: stele %s%s%s", wanted->name, *wanted->usage ? " " : "", wanted->usage);
  if (problem) return out_bad(&c->out, usage, "%s: %s arguments", wanted->name, problem);
  if (odd) return out_bad(&c->out, usage, "%s takes no %s", wanted->name, odd->name);
  if (c->settings.problem && !wanted->unconfigured) return out_bad(&c->out, c->settings.hint, "%s", c->settings.problem);
  if (wanted->pages) output_page(&c->out, &c->options);
  int status = wanted->opens ? open_home(c) : 0;
  return status ? status : wanted->run(c);
}

static int help_asked(cli *c, const command *of) {
  const char *name = command_argument(c, 1);
  const stele_method *method = name && of == &call_command ? stele_method_find(name) : NULL;
  help_page p = {&c->out, false};
  output_page(&c->out, &c->options);
  if (c->options.json)
    help_json(&c->out, method ? NULL : of, method);
  else if (method)
    help_of_method(&p, method);
  else
    help_of_command(&p, of);
  return 0;
}

/* No command: on a terminal, search and read there; elsewhere there is nothing to do but to say what there is. */
static int run_nothing(cli *c) {
  if (c->options.json) return out_bad(&c->out, "`stele help` lists them", "there is no command");
  if (c->options.plain || !terminal_there()) {
    help_short(&c->out);
    return 2;
  }
  if (c->settings.problem) return out_bad(&c->out, c->settings.hint, "%s", c->settings.problem);
  int status = open_home(c);
  return status ? status : terminal_run(c);
}

static int dispatch(cli *c) {
  static char *const version[] = {"version"}, *const help[] = {"help"};
  options *o = &c->options;
  if (o->problem) return out_bad(&c->out, o->hint, "%s", o->problem);
  if (o->nwords == 0 && (o->version || o->help)) {
    o->words = (char **)(o->help ? help : version);
    o->nwords = 1;
    o->help = false;
  }
  if (o->nwords == 0) return run_nothing(c);
  const command *wanted = command_find(o->words[0]);
  if (!wanted) return unknown_command(c, o->words[0]);
  return o->help ? help_asked(c, wanted) : run(c, wanted);
}

int main(int argc, char **argv) {
  cli c = {.db = NULL};
  hold_descriptors();
  signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of writing, like a full disk */
  setlocale(LC_CTYPE, "");
  options_parse(&c.options, argc, argv);
  config_load(&c.settings, &c.options);
  options_settle(&c.options, &c.settings);
  output_init(&c.out, &c.options);
  int status = dispatch(&c);
  stele_close(c.db);
  options_free(&c.options);
  settings_free(&c.settings);
  return output_end(&c.out, status);
}
