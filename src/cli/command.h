/* command.h - what a command is, and what it works with. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "output.h"
#include "page.h"
#include "request.h"
#include "settings.h"
#include "stele.h"
#include "table.h"

typedef struct cli {
  options options;
  settings settings;
  output out;
  stele_db *db; /* NULL for a command that opens nothing */
  bool trial;   /* a transaction is open that will be taken back */
} cli;

/* An option that a command takes besides those that all do.  A list ends with a NULL doc. */
typedef struct command_option {
  local_option id;
  const char *doc;
} command_option;

/* What a command is for; the help lists them by this. */
#define COMMAND_GROUPS(X)                                    \
  X(PROGRAM, "This program")                                 \
  X(WORK, "Your work: what was said, and by whom")           \
  X(DOORS, "For programs and agents")                        \
  X(STORES, "The stores as a whole")

typedef enum command_group {
#define COMMAND_X(name, title) GROUP_##name,
  COMMAND_GROUPS(COMMAND_X)
#undef COMMAND_X
      GROUPS
} command_group;

typedef struct command {
  const char *name;
  command_group group;
  const char *usage;           /* what follows the name: "METHOD [JSON|-]" */
  const char *summary;         /* for the list of commands */
  const char *examples;        /* lines */
  const char *details;         /* lines, after the examples; may be "" */
  size_t least, most;          /* how many arguments */
  bool opens;                  /* needs cli.db */
  bool pages;                  /* what it prints may be long: on a terminal, through a pager */
  bool unconfigured;           /* runs also when the configuration is wrong */
  const command_option *takes; /* NULL: nothing but what all commands take */
  int (*run)(cli *c);          /* returns the exit status */
} command;

extern const command *const command_list[]; /* ends with NULL */

extern const command call_command, config_command, setup_command, methods_command, help_command, sessions_command, show_command, search_command,
    export_command, import_command, index_command, reindex_command, redact_command, status_command, doctor_command, check_command, schema_command, migrate_command,
    repair_command, backup_command, restore_command, copy_command, tenant_command, mcp_command, serve_command, token_command, version_command, tour_command, watch_command, resume_command,
    delete_command, prune_command, rename_command, archive_command, stats_command, completion_command,
    vault_command, timeline_command, embed_command, gh_poll_command, watch_sha_command, alarms_command, watchdog_command, send_event_command, replay_command, enrich_command,
    hook_command, native_host_command, import_history_command, probe_command, ci_status_command, model_command, upkeep_command, ask_command,
    forget_command, forgotten_command, retention_command, hold_command;

/* The command of that name, or NULL. */
const command *command_find(const char *name);

/* The n-th argument after the command's name, or NULL. */
const char *command_argument(const cli *c, size_t n);

/* Tell the failure of the last library call, and its notes.  Returns the exit status. */
int command_failed(cli *c);

/* Is there a store of that name?  If not, that is told. */
bool command_store(cli *c, const char *name);

/* Tell that the command has no such form as the verb names, of those in its usage.  Returns the exit status. */
int command_verb(cli *c, const command *of, const char *verb);

/* Call a method; its reply, for stele_free().  NULL: it failed, which is told, and *status is the exit status;
** nothing is called once that is set. */
char *command_ask(cli *c, const char *method, const argument *arguments, int *status);

/* Call a method and print its reply: as a table, or as JSON with --json.  `none` is remarked when a
** table would be empty.  Returns the exit status. */
int command_reply(cli *c, const char *method, const argument *arguments, const column *columns, const char *none);

/* The help of a command and of a method. */
void help_of_command(help_page *p, const command *of);
void help_of_method(help_page *p, const stele_method *of);
/* The part of it that a page of many methods has for each. */
void help_method_body(help_page *p, const stele_method *of);
/* The same as one line of JSON; of all commands if there is neither. */
void help_json(output *out, const command *of, const stele_method *method);
/* What to type when no command was given. */
void help_short(output *out);
/* A call of the method that passes the checks, in new memory. */
char *help_example(const stele_method *of);
/* The type of a field in words, in new memory. */
char *help_type(const stele_field *field);

#endif
