/* options.h - the command line taken apart.  Options may stand anywhere, before or after the command;
** `--` ends them.  What is not said is taken from the configuration (settings.h). */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "settings.h"
#include "stele.h"

/* The options that only some commands take; a command lists its own. */
typedef enum local_option {
  OPTION_AGAIN,
  OPTION_ALL,
  OPTION_ALLOW_HOST,
  OPTION_ANY,
  OPTION_BRANCH,
  OPTION_BUDGET,
  OPTION_BY,
  OPTION_CLEAR,
  OPTION_CMD,
  OPTION_CURSOR,
  OPTION_CWD,
  OPTION_DRY_RUN,
  OPTION_DURATION_MS,
  OPTION_EXIT,
  OPTION_EXPIRES,
  OPTION_EXPLAIN,
  OPTION_FOR,
  OPTION_FORCE,
  OPTION_FROM,
  OPTION_FULL,
  OPTION_GIT_BRANCH,
  OPTION_GIT_COMMIT,
  OPTION_GIT_DIRTY,
  OPTION_GIT_REPO,
  OPTION_HARNESS,
  OPTION_HOST,
  OPTION_IGNORE,
  OPTION_IN,
  OPTION_INTO_FOREIGN,
  OPTION_KIND,
  OPTION_LEAVE_OUT,
  OPTION_LIMIT,
  OPTION_LIST,
  OPTION_MAN,
  OPTION_MODE,
  OPTION_NAME,
  OPTION_NO_IMPORT,
  OPTION_NOTE,
  OPTION_OFFSET,
  OPTION_OLDER_THAN,
  OPTION_ONLY,
  OPTION_OUTPUT,
  OPTION_PORT,
  OPTION_PRINT_TOKEN,
  OPTION_PROBE_TAG,
  OPTION_PROFILE,
  OPTION_PROJECT,
  OPTION_RATE,
  OPTION_REASON,
  OPTION_QUEUE,
  OPTION_QUICK,
  OPTION_REBUILD,
  OPTION_REMOVE,
  OPTION_REPLACE,
  OPTION_REPO,
  OPTION_ROLE,
  OPTION_SALVAGE,
  OPTION_SAMPLE,
  OPTION_SCOPE,
  OPTION_SESSION,
  OPTION_SHELL,
  OPTION_SINCE,
  OPTION_SOCKET,
  OPTION_SORT,
  OPTION_SOURCE,
  OPTION_SOURCE_KIND,
  OPTION_STDIN,
  OPTION_SUBSTRING,
  OPTION_TIMEOUT,
  OPTION_TO,
  OPTION_TOKENS,
  OPTION_TOOL_NAME,
  OPTION_TTL,
  OPTION_UNDO,
  OPTION_UNTIL,
  OPTION_WITHOUT_LOG,
  OPTION_YES,
  OPTION_LOCALS
} local_option;

/* A key of the configuration, said on the command line. */
typedef struct said_setting {
  char *key, *value;
  const char *option; /* "--set" */
} said_setting;

typedef struct options {
  char **words; /* the command and its arguments */
  size_t nwords;
  char **line; /* the command line as it was said; ends with NULL */
  said_setting *said;
  size_t nsaid;
  const char *config;               /* --config, or NULL */
  unsigned flags;                   /* STELE_OPEN_* */
  /* From the settings, when options_settle() has been called. */
  const char *home;                 /* NULL: there is none, not even a user's */
  const char *database;
  const char *redact;               /* the file of the redaction rules that was named, or NULL */
  const char *pager;                /* NULL: not said */
  stele_place *places;
  size_t nplaces;
  int wait_ms;                      /* 0: the library's default */
  bool no_color, always_color;
  /* Of this command. */
  const char *local[OPTION_LOCALS]; /* what was said; "" of one that takes no value; NULL: nothing */
  char *to;                         /* --to as a path, or NULL */
  bool json, quiet, plain, no_pager, help, version;
  char *problem; /* what is wrong with the command line, or NULL */
  char *hint;
} options;

/* One option, for parsing and for the help. */
typedef struct option {
  const char *name;  /* "--home" */
  const char *brief; /* "-q", or NULL */
  const char *value; /* "DIR", or NULL when it takes none */
  int id;
  const char *doc; /* NULL: only some commands take it, and tell */
} option;

extern const option option_list[]; /* ends with a NULL name */

/* The option of some commands only. */
const option *option_of(local_option id);

/* False: see problem and hint; the other fields are set all the same. */
bool options_parse(options *o, int argc, char **argv);
/* Fill in what the settings decide; they must outlive the options. */
void options_settle(options *o, const settings *s);
void options_free(options *o);

#endif
