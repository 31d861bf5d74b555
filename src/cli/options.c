/* options.c - see options.h. */
#include "options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "suggest.h"
#include "text.h"

enum { HOME, STORE, DATABASE, REDACT, MIGRATE, READONLY, NETWORK_FS, WAIT, JSON, PLAIN, QUIET, NO_COLOR, NO_PAGER, HELP, VERSION, LOCAL };

const option option_list[] = {
    {"--home", NULL, "DIR", HOME, "directory of the stores"},
    {"--store", NULL, "NAME=PATH", STORE, "one store elsewhere: a file, or postgres://...?schema=NAME; repeatable"},
    {"--database", NULL, "URL", DATABASE, "postgres://...: the stores are schemas of this database"},
    {"--redact", NULL, "FILE", REDACT, "rules of what is redacted (redact.toml in the home)"},
    {"--migrate", NULL, NULL, MIGRATE, "also migrate older files outside the home"},
    {"--readonly", NULL, NULL, READONLY, "change and create nothing"},
    {"--network-fs", NULL, NULL, NETWORK_FS, "accept a network file system, at your own risk"},
    {"--wait", NULL, "TIME", WAIT, "longest wait for a store's turn: 5, 1.5s, 200ms, 2m (20s)"},
    {"--json", NULL, NULL, JSON, "JSON instead of tables, also for errors"},
    {"--plain", NULL, NULL, PLAIN, "tables for programs: a line per row, tabs between, nothing cut, no headings"},
    {"--quiet", "-q", NULL, QUIET, "no notes, warnings or progress"},
    {"--no-color", NULL, NULL, NO_COLOR, "no colours (as with $NO_COLOR)"},
    {"--no-pager", NULL, NULL, NO_PAGER, "long output straight to the terminal"},
    {"--help", "-h", NULL, HELP, "help, also of a command"},
    {"--version", "-V", NULL, VERSION, "as the command version"},
    {"--again", NULL, NULL, LOCAL + OPTION_AGAIN, NULL},
    {"--all", NULL, NULL, LOCAL + OPTION_ALL, NULL},
    {"--allow-host", NULL, "NAMES", LOCAL + OPTION_ALLOW_HOST, NULL},
    {"--budget", NULL, "TOKENS", LOCAL + OPTION_BUDGET, NULL},
    {"--by", NULL, "BUCKET", LOCAL + OPTION_BY, NULL},
    {"--cursor", NULL, "CURSOR", LOCAL + OPTION_CURSOR, NULL},
    {"--dry-run", NULL, NULL, LOCAL + OPTION_DRY_RUN, NULL},
    {"--expires", NULL, "TIME", LOCAL + OPTION_EXPIRES, NULL},
    {"--for", NULL, "TIME", LOCAL + OPTION_FOR, NULL},
    {"--harness", NULL, "HARNESS", LOCAL + OPTION_HARNESS, NULL},
    {"--host", NULL, "HOST", LOCAL + OPTION_HOST, NULL},
    {"--ignore", NULL, "PATH,...", LOCAL + OPTION_IGNORE, NULL},
    {"--into-foreign", NULL, NULL, LOCAL + OPTION_INTO_FOREIGN, NULL},
    {"--limit", NULL, "N", LOCAL + OPTION_LIMIT, NULL},
    {"--man", NULL, NULL, LOCAL + OPTION_MAN, NULL},
    {"--mode", NULL, "MODE", LOCAL + OPTION_MODE, NULL},
    {"--offset", NULL, "N", LOCAL + OPTION_OFFSET, NULL},
    {"--older-than", NULL, "AGE", LOCAL + OPTION_OLDER_THAN, NULL},
    {"--port", NULL, "N", LOCAL + OPTION_PORT, NULL},
    {"--profile", NULL, "PROFILE", LOCAL + OPTION_PROFILE, NULL},
    {"--project", NULL, "DIR", LOCAL + OPTION_PROJECT, NULL},
    {"--rebuild", NULL, NULL, LOCAL + OPTION_REBUILD, NULL},
    {"--role", NULL, "ROLE", LOCAL + OPTION_ROLE, NULL},
    {"--scope", NULL, "SCOPES", LOCAL + OPTION_SCOPE, NULL},
    {"--session", NULL, "SESSION", LOCAL + OPTION_SESSION, NULL},
    {"--set", NULL, "NAME=N,...", LOCAL + OPTION_SET, NULL},
    {"--since", NULL, "TIME", LOCAL + OPTION_SINCE, NULL},
    {"--socket", NULL, "PATH", LOCAL + OPTION_SOCKET, NULL},
    {"--sort", NULL, "ORDER", LOCAL + OPTION_SORT, NULL},
    {"--source", NULL, "SOURCE", LOCAL + OPTION_SOURCE, NULL},
    {"--substring", NULL, NULL, LOCAL + OPTION_SUBSTRING, NULL},
    {"--to", NULL, "PATH", LOCAL + OPTION_TO, NULL},
    {"--undo", NULL, NULL, LOCAL + OPTION_UNDO, NULL},
    {"--until", NULL, "TIME", LOCAL + OPTION_UNTIL, NULL},
    {"--yes", "-y", NULL, LOCAL + OPTION_YES, NULL},
    {NULL, NULL, NULL, 0, NULL},
};

const option *option_of(local_option id) {
  const option *found = option_list;
  while (found->id != LOCAL + (int)id) found++;
  return found;
}

/* Keep the first problem only; the rest is still read, because a later --json decides how it is told. */
static void problem(options *o, char *text, char *hint) {
  if (o->problem) {
    free(text);
    free(hint);
    return;
  }
  o->problem = text;
  o->hint = hint;
}

/* 5, 1.5s, 200ms, 2m */
static void set_wait(options *o, const char *value) {
  static const struct {
    const char *unit;
    double ms;
  } units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000}};
  char *end = NULL;
  double number = *value && strchr("0123456789.", *value) ? strtod(value, &end) : -1;
  for (size_t i = 0; end && i < sizeof units / sizeof *units; i++) {
    double ms = number * units[i].ms;
    if (strcmp(end, units[i].unit) != 0 || !(ms >= 0 && ms <= INT_MAX)) continue;
    o->wait_ms = ms < 1 ? 1 : (int)ms; /* 0 would mean the default */
    return;
  }
  problem(o, text_format("--wait must be a time, not %s", value), text_format("such as 5, 1.5s, 200ms or 2m"));
}

static void set_store(options *o, const char *value) {
  const char *equals = strchr(value, '=');
  if (!equals || equals == value || !equals[1])
    problem(o, text_format("--store must be NAME=PATH, not %s", value), NULL);
  else
    places_set(&o->places, &o->nplaces, value, (size_t)(equals - value), equals + 1);
}

static void set_path(options *o, char **path, const option *said, const char *value) {
  if (!*value) {
    problem(o, text_format("%s needs %s", said->name, said->value), NULL);
    return;
  }
  free(*path);
  *path = places_expand(value);
}

static void apply(options *o, const option *said, const char *value) {
  switch (said->id) {
    case HOME: set_path(o, &o->home, said, value); break;
    case STORE: set_store(o, value); break;
    case DATABASE: o->database = value; break;
    case REDACT: set_path(o, &o->redact, said, value); break;
    case MIGRATE: o->flags |= STELE_OPEN_MIGRATE; break;
    case READONLY: o->flags |= STELE_OPEN_READONLY; break;
    case NETWORK_FS: o->flags |= STELE_OPEN_NETWORK_FS; break;
    case WAIT: set_wait(o, value); break;
    case JSON: o->json = true; break;
    case QUIET: o->quiet = true; break;
    case PLAIN: o->plain = true; break;
    case NO_COLOR: o->no_color = true; break;
    case NO_PAGER: o->no_pager = true; break;
    case HELP: o->help = true; break;
    case VERSION: o->version = true; break;
    case LOCAL + OPTION_TO: set_path(o, &o->to, said, value); /* fall through */
    default: o->local[said->id - LOCAL] = value ? value : "";
  }
}

/* The option that a word names, up to its `=`. */
static const option *find(options *o, const char *word, size_t length) {
  char *name = text_need(strndup(word, length));
  suggestion near = suggest(name);
  const option *found = NULL;
  for (const option *said = option_list; said->name && !found; said++) {
    if (strcmp(said->name, name) == 0 || (said->brief && strcmp(said->brief, name) == 0)) found = said;
    suggest_offer(&near, said->name);
  }
  if (!found)
    problem(o, text_format("there is no option %s", name),
            suggest_hint(&near, "`stele help` lists them; `--` ends options"));
  free(name);
  return found;
}

/* Take the option at argv[i]; returns the index of the last word it used. */
static int take(options *o, int argc, char **argv, int i) {
  const char *word = argv[i], *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
  const option *said = find(o, word, equals ? (size_t)(equals - word) : strlen(word));
  if (!said) return i;
  if (!said->value && equals)
    problem(o, text_format("%s takes no value", said->name), NULL);
  else if (!said->value || equals)
    apply(o, said, equals ? equals + 1 : NULL);
  else if (i + 1 >= argc)
    problem(o, text_format("%s needs %s", said->name, said->value), NULL);
  else
    apply(o, said, argv[++i]);
  return i;
}

bool options_parse(options *o, int argc, char **argv) {
  bool ended = false, home_said;
  *o = (options){.words = argv, .said = text_need(calloc((size_t)argc + 2, sizeof *argv))};
  memcpy(o->said, argv, (size_t)argc * sizeof *argv); /* words are moved to the front of argv */
  for (int i = 1; i < argc; i++) {
    if (!ended && strcmp(argv[i], "--") == 0)
      ended = true;
    else if (!ended && argv[i][0] == '-' && argv[i][1])
      i = take(o, argc, argv, i);
    else
      o->words[o->nwords++] = argv[i];
  }
  home_said = o->home != NULL;
  if (!home_said) o->home = places_home();
  /* Whoever names a home means it: the environment's database stays out of it. */
  if (!o->database && !home_said) o->database = places_environment("STELE_DATABASE_URL");
  if (o->database && !*o->database) o->database = NULL;
  return o->problem == NULL;
}

void options_free(options *o) {
  places_free(o->places, o->nplaces);
  free(o->said);
  free(o->home);
  free(o->to);
  free(o->redact);
  free(o->problem);
  free(o->hint);
}
