/* help.c - stele help, and --help of every command: examples first. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "suggest.h"
#include "text.h"

static void heading(output *out, const char *text) {
  out_format(out, "\n%s%s%s\n", out->bold, text, out->plain);
}

/* Lines, each indented. */
static void indented(output *out, const char *lines) {
  while (*lines) {
    size_t length = strcspn(lines, "\n");
    out_format(out, "  %.*s\n", (int)length, lines);
    lines += length + (lines[length] != '\0');
  }
}

static void list_commands(output *out) {
  for (const command *const *at = command_list; *at; at++) {
    char *usage = text_format("%s %s", (*at)->name, (*at)->usage);
    out_format(out, "  stele %-25s  %s\n", usage, (*at)->summary);
    free(usage);
  }
}

static void list_option(output *out, const option *o, const char *doc) {
  char *usage = text_format("%s%s%s%s%s", o->brief ? o->brief : "", o->brief ? ", " : "", o->name, o->value ? " " : "",
                            o->value ? o->value : "");
  out_format(out, "  %-18s  %s\n", usage, doc);
  free(usage);
}

static void list_options(output *out) {
  for (const option *o = option_list; o->name; o++)
    if (o->doc) list_option(out, o, o->doc);
}

void help_short(output *out) {
  out_text(out, "usage: stele COMMAND [ARGUMENT...] [OPTION...]\n\n");
  list_commands(out);
  out_text(out, "\n`stele tour` shows it at work, `stele help` tells more.\n");
}

static void help_all(output *out) {
  out_text(out, "Stele: the durable state of AI agents.\n\n");
  indented(out, "stele tour                                   see it at work, on a scratch store\n"
                "stele import                                 take in the sessions of your coding agents\n"
                "stele sessions                               the latest conversations\n"
                "stele search timeout                         what was said about it\n"
                "stele serve                                  all of it over HTTP; `stele mcp` for an agent\n"
                "stele methods                                what can be called\n"
                "stele help telemetry.create_session          one method\n"
                "stele call telemetry.create_session          call it\n"
                "stele --store telemetry=old.db status        look at a file you have");
  heading(out, "Commands");
  list_commands(out);
  heading(out, "Options, before or after the command");
  list_options(out);
  heading(out, "Environment");
  indented(out,
           "STELE_CONFIG        the configuration, if --config does not say; else $XDG_CONFIG_HOME/stele/config.toml\n"
           "STELE_HOME          the home, if --home does not say; else $XDG_DATA_HOME/stele, ~/.local/share/stele\n"
           "STELE_DATABASE_URL  the database, if neither --database nor --home is given\n"
           "NO_COLOR            no colours; `stele config --json` names the variable of every other key");
  heading(out, "Exit status");
  indented(out, "0 done, 1 failed, 2 a bad call.  Data goes to standard output, everything else to standard error.");
}

void help_of_command(output *out, const command *of) {
  indented(out, of->examples);
  out_format(out, "\nusage: stele %s%s%s\n", of->name, *of->usage ? " " : "", of->usage);
  out_format(out, "\n%c%s.\n%s%s", toupper((unsigned char)of->summary[0]), of->summary + 1, of->details,
             *of->details ? "\n" : "");
  if (of->takes) out_text(out, "\n");
  for (const command_option *taken = of->takes; taken && taken->doc; taken++)
    list_option(out, option_of(taken->id), taken->doc);
  out_format(out, "\n`stele help` lists the options%s.\n", of->takes ? " of all commands" : "");
}

static int run(cli *c) {
  const char *name = command_argument(c, 1);
  const command *found = name ? command_find(name) : NULL;
  const stele_method *method = name ? stele_method_find(name) : NULL;
  if (!name) {
    help_all(&c->out);
  } else if (found) {
    help_of_command(&c->out, found);
  } else if (method) {
    help_of_method(&c->out, method);
  } else {
    suggestion near = suggest(name);
    for (const command *const *at = command_list; *at; at++) suggest_offer(&near, (*at)->name);
    for (size_t i = 0; (method = stele_method_at(i)) != NULL; i++) suggest_offer(&near, method->name);
    char *hint = suggest_hint(&near, "`stele help` lists the commands, `stele methods` the methods");
    int status = out_bad(&c->out, hint, "there is no command or method %s", name);
    free(hint);
    return status;
  }
  return 0;
}

const command help_command = {
    .name = "help",
    .usage = "[METHOD|COMMAND]",
    .summary = "explain a method or a command",
    .examples = "stele help\n"
                "stele help telemetry.persist_batch\n"
                "stele help backup",
    .details = "",
    .most = 1,
    .unconfigured = true,
    .run = run,
};
