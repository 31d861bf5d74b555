/* help.c - stele help, --help of every command, and the man pages: examples first. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "suggest.h"
#include "text.h"

#define COMMAND_ROOM 24
#define OPTION_ROOM 18

static const char *const GROUP_TITLES[] = {
#define COMMAND_X(name, title) [GROUP_##name] = title,
    COMMAND_GROUPS(COMMAND_X)
#undef COMMAND_X
};

/* What people come for first. */
static const command_group GROUP_ORDER[GROUPS] = {GROUP_WORK, GROUP_DOORS, GROUP_STORES, GROUP_PROGRAM};

static void list_commands(help_page *p) {
  for (size_t n = 0; n < GROUPS; n++) {
    page_part(p, GROUP_TITLES[GROUP_ORDER[n]]);
    for (const command *const *at = command_list; *at; at++) {
      if ((*at)->group != GROUP_ORDER[n]) continue;
      char *usage = text_format("stele %s%s%s", (*at)->name, *(*at)->usage ? " " : "", (*at)->usage);
      page_item(p, usage, COMMAND_ROOM, (*at)->summary);
      free(usage);
    }
  }
}

static void list_option(help_page *p, const option *o, const char *doc) {
  char *usage = text_format("%s%s%s%s%s", o->brief ? o->brief : "", o->brief ? ", " : "", o->name, o->value ? " " : "",
                            o->value ? o->value : "");
  page_item(p, usage, OPTION_ROOM, doc);
  free(usage);
}

static void list_options(help_page *p) {
  for (const option *o = option_list; o->name; o++)
    if (o->doc) list_option(p, o, o->doc);
}

void help_short(output *out) {
  help_page p = {out, false};
  out_text(out, "usage: stele COMMAND [ARGUMENT...] [OPTION...]\n");
  list_commands(&p);
  out_text(out, "\n`stele` alone, on a terminal, searches as you type; `stele tour` shows it at work, `stele help` tells more.\n");
}

static void help_all(help_page *p) {
  page_begin(p, "stele", 1, "the durable state of AI agents", "stele COMMAND [ARGUMENT...] [OPTION...]");
  page_examples(p, "stele tour                              see it at work, on a scratch store\n"
                   "stele import                            take in the sessions of your coding agents\n"
                   "stele                                   on a terminal: search as you type, read, copy, resume\n"
                   "stele search timeout --since 7d         what was said about it\n"
                   "stele sessions                          the latest conversations\n"
                   "stele stats                             messages, tokens and costs over time\n"
                   "stele serve                             all of it over HTTP; `stele mcp` for an agent\n"
                   "stele methods                           what can be called\n"
                   "stele help telemetry.create_session     one method\n"
                   "stele call telemetry.create_session     call it\n"
                   "stele --store telemetry=old.db status   look at a file you have");
  page_usage(p, "stele COMMAND [ARGUMENT...] [OPTION...]");
  page_text(p,
            "Stele keeps what AI agents say and do: conversations, runs, their tokens and costs, in SQLite files or in "
            "PostgreSQL. Every command has a page of its own: `stele COMMAND --help`.");
  page_section(p, "Without a command, on a terminal");
  page_text(p, "What happened last is shown, and whatever is typed is searched for in all stores, as it is typed. Up and Down choose, Enter "
               "opens the session, Ctrl-Y copies to the clipboard of the terminal (OSC 52), Ctrl-R leaves and goes on with the session in its "
               "own agent, Alt-S, Alt-K, Alt-O, Alt-P and Alt-T narrow by store, kind, role, project and time, F1 tells all keys, Ctrl-C leaves. "
               "Elsewhere the commands are listed.");
  page_section(p, "Commands");
  list_commands(p);
  page_section(p, "Options, before or after the command");
  list_options(p);
  page_section(p, "Times");
  page_text(
      p, "Wherever an option takes a TIME: 90s, 15m, 36h, 7d, 2w, 3mo or 1y ago, also as \"3 hours ago\"; now, today, "
         "yesterday, monday, 18:30, \"yesterday 18:30\"; 2026-01-31, \"2026-01-31 18:30\", all local; "
         "2026-01-31T18:30:00Z, or seconds since 1970.");
  page_section(p, "JSON");
  page_text(p, "With --json a command prints what the method behind it replied, on one line: an object, or an array of "
               "objects; streams (export) are one object per line. Members keep their names and types; new ones may be "
               "added. Times are seconds since 1970, and nothing is cut.");
  page_section(p, "Environment");
  page_item(p, "STELE_CONFIG", OPTION_ROOM,
            "the configuration, if --config does not say; else $XDG_CONFIG_HOME/stele/config.toml");
  page_item(p, "STELE_HOME", OPTION_ROOM,
            "the home, if --home does not say; else $XDG_DATA_HOME/stele, ~/.local/share/stele");
  page_item(p, "STELE_DATABASE_URL", OPTION_ROOM, "the database, if neither --database nor --home is given");
  page_item(p, "STELE_PAGER, PAGER", OPTION_ROOM, "what long output is shown with on a terminal (less); cat: nothing");
  page_item(p, "NO_COLOR", OPTION_ROOM, "no colours; `stele config` names the variable of every other key");
  page_section(p, "Exit status");
  page_text(p, "0 done, 1 failed, 2 a bad call. Data goes to standard output, everything else to standard error.");
}

static char *usage_of(const command *of) {
  return text_format("stele %s%s%s%s", of->name, *of->usage ? " " : "", of->usage, of->takes ? " [OPTION...]" : "");
}

void help_of_command(help_page *p, const command *of) {
  char *name = text_format("stele-%s", of->name), *usage = usage_of(of);
  char *text = text_format("%c%s.%s%s", toupper((unsigned char)of->summary[0]), of->summary + 1,
                           *of->details ? "\n\n" : "", of->details);
  page_begin(p, name, 1, of->summary, usage);
  page_examples(p, of->examples);
  page_usage(p, usage);
  page_text(p, text);
  if (of->takes) page_section(p, "Options");
  for (const command_option *taken = of->takes; taken && taken->doc; taken++)
    list_option(p, option_of(taken->id), taken->doc);
  page_section(p, "See also");
  page_text(p, p->man ? "stele(1), also for the options that all commands take, and for how a TIME is written."
                      : "`stele help` lists the options that all commands take, and how a TIME is written.");
  free(name);
  free(usage);
  free(text);
}

/* Neither a command nor a method. */
static int unknown(cli *c, const char *name) {
  const stele_method *method;
  suggestion near = suggest(name);
  for (const command *const *at = command_list; *at; at++) suggest_offer(&near, (*at)->name);
  for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) suggest_offer(&near, method->name);
  char *hint = suggest_hint(&near, "`stele help` lists the commands, `stele methods` the methods");
  int status = out_bad(&c->out, hint, "there is no command or method %s", name);
  free(hint);
  return status;
}

static int run(cli *c) {
  const char *name = command_argument(c, 1);
  const command *found = name ? command_find(name) : NULL;
  const stele_method *method = name && !found ? stele_method_find(name) : NULL;
  help_page p = {&c->out, c->options.local[OPTION_MAN] != NULL};
  if (name && !found && !method) return unknown(c, name);
  if (c->options.json)
    help_json(&c->out, found, method);
  else if (found)
    help_of_command(&p, found);
  else if (method)
    help_of_method(&p, method);
  else
    help_all(&p);
  return 0;
}

const command help_command = {
    .name = "help",
    .usage = "[METHOD|COMMAND]",
    .summary = "explain a method or a command",
    .examples = "stele help\n"
                "stele help telemetry.persist_batch\n"
                "stele help backup\n"
                "stele help search --man | man -l -",
    .details = "With --json: the commands with their options, or what is asked for, as one object.",
    .most = 1,
    .pages = true,
    .takes = (const command_option[]){{OPTION_MAN, "as a man page"}, {0, NULL}},
    .unconfigured = true,
    .run = run,
};
