/* options.c - see options.h. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "suggest.h"
#include "text.h"

enum { SETTING, STORE, SET, CONFIG, NO_COLOR, NO_PAGER, MIGRATE, READONLY, NETWORK_FS, JSON, PLAIN, QUIET, HELP, VERSION, LOCAL };

const option option_list[] = {
    {"--home", NULL, "DIR", SETTING, "directory of the stores"},
    {"--store", NULL, "NAME=PATH", STORE, "one store elsewhere: a file, or postgres://...?schema=NAME; repeatable"},
    {"--database", NULL, "URL", SETTING, "postgres://...: the stores are schemas of this database"},
    {"--redact", NULL, "FILE", SETTING, "rules of what is redacted (redact.toml in the home)"},
    {"--migrate", NULL, NULL, MIGRATE, "also migrate older files outside the home"},
    {"--readonly", NULL, NULL, READONLY, "change and create nothing"},
    {"--network-fs", NULL, NULL, NETWORK_FS, "accept a network file system, at your own risk"},
    {"--wait", NULL, "TIME", SETTING, "longest wait for a store's turn: 5, 1.5s, 200ms, 2m (20s)"},
    {"--config", NULL, "FILE", CONFIG, "the configuration (~/.config/stele/config.toml); `stele config` shows it"},
    {"--set", NULL, "KEY=VALUE,...", SET, "keys of the configuration, for this once"},
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
    {"--any", NULL, NULL, LOCAL + OPTION_ANY, NULL},
    {"--branch", NULL, "BRANCH", LOCAL + OPTION_BRANCH, NULL},
    {"--budget", NULL, "TOKENS", LOCAL + OPTION_BUDGET, NULL},
    {"--by", NULL, "BUCKET", LOCAL + OPTION_BY, NULL},
    {"--clear", NULL, NULL, LOCAL + OPTION_CLEAR, NULL},
    {"--cmd", NULL, "COMMAND", LOCAL + OPTION_CMD, NULL},
    {"--cursor", NULL, "CURSOR", LOCAL + OPTION_CURSOR, NULL},
    {"--cwd", NULL, "DIR", LOCAL + OPTION_CWD, NULL},
    {"--dry-run", NULL, NULL, LOCAL + OPTION_DRY_RUN, NULL},
    {"--duration-ms", NULL, "N", LOCAL + OPTION_DURATION_MS, NULL},
    {"--exit", NULL, "N", LOCAL + OPTION_EXIT, NULL},
    {"--expires", NULL, "TIME", LOCAL + OPTION_EXPIRES, NULL},
    {"--explain", NULL, NULL, LOCAL + OPTION_EXPLAIN, NULL},
    {"--for", NULL, "TIME", LOCAL + OPTION_FOR, NULL},
    {"--force", NULL, NULL, LOCAL + OPTION_FORCE, NULL},
    {"--from", NULL, "PATH", LOCAL + OPTION_FROM, NULL},
    {"--full", NULL, NULL, LOCAL + OPTION_FULL, NULL},
    {"--git-branch", NULL, "BRANCH", LOCAL + OPTION_GIT_BRANCH, NULL},
    {"--git-commit", NULL, "COMMIT", LOCAL + OPTION_GIT_COMMIT, NULL},
    {"--git-dirty", NULL, "BOOL", LOCAL + OPTION_GIT_DIRTY, NULL},
    {"--git-repo", NULL, "REPO", LOCAL + OPTION_GIT_REPO, NULL},
    {"--harness", NULL, "HARNESS", LOCAL + OPTION_HARNESS, NULL},
    {"--host", NULL, "HOST", LOCAL + OPTION_HOST, NULL},
    {"--ignore", NULL, "PATH,...", LOCAL + OPTION_IGNORE, NULL},
    {"--in", NULL, "STORE,...", LOCAL + OPTION_IN, NULL},
    {"--into-foreign", NULL, NULL, LOCAL + OPTION_INTO_FOREIGN, NULL},
    {"--kind", NULL, "KIND,...", LOCAL + OPTION_KIND, NULL},
    {"--leave-out", NULL, NULL, LOCAL + OPTION_LEAVE_OUT, NULL},
    {"--limit", NULL, "N", LOCAL + OPTION_LIMIT, NULL},
    {"--list", NULL, NULL, LOCAL + OPTION_LIST, NULL},
    {"--man", NULL, NULL, LOCAL + OPTION_MAN, NULL},
    {"--mode", NULL, "MODE", LOCAL + OPTION_MODE, NULL},
    {"--name", NULL, "NAME", LOCAL + OPTION_NAME, NULL},
    {"--no-import", NULL, NULL, LOCAL + OPTION_NO_IMPORT, NULL},
    {"--note", NULL, "TEXT", LOCAL + OPTION_NOTE, NULL},
    {"--offset", NULL, "N", LOCAL + OPTION_OFFSET, NULL},
    {"--older-than", NULL, "AGE", LOCAL + OPTION_OLDER_THAN, NULL},
    {"--only", NULL, "NAME,...", LOCAL + OPTION_ONLY, NULL},
    {"--output", NULL, "TEXT", LOCAL + OPTION_OUTPUT, NULL},
    {"--port", NULL, "N", LOCAL + OPTION_PORT, NULL},
    {"--print-token", NULL, NULL, LOCAL + OPTION_PRINT_TOKEN, NULL},
    {"--probe-tag", NULL, "TAG", LOCAL + OPTION_PROBE_TAG, NULL},
    {"--profile", NULL, "PROFILE", LOCAL + OPTION_PROFILE, NULL},
    {"--project", NULL, "DIR", LOCAL + OPTION_PROJECT, NULL},
    {"--queue", NULL, "QUEUE", LOCAL + OPTION_QUEUE, NULL},
    {"--quick", NULL, NULL, LOCAL + OPTION_QUICK, NULL},
    {"--rate", NULL, "N", LOCAL + OPTION_RATE, NULL},
    {"--reason", NULL, "TEXT", LOCAL + OPTION_REASON, NULL},
    {"--rebuild", NULL, NULL, LOCAL + OPTION_REBUILD, NULL},
    {"--remove", NULL, NULL, LOCAL + OPTION_REMOVE, NULL},
    {"--replace", NULL, NULL, LOCAL + OPTION_REPLACE, NULL},
    {"--repo", NULL, "OWNER/NAME,...", LOCAL + OPTION_REPO, NULL},
    {"--role", NULL, "ROLE", LOCAL + OPTION_ROLE, NULL},
    {"--salvage", NULL, NULL, LOCAL + OPTION_SALVAGE, NULL},
    {"--sample", NULL, NULL, LOCAL + OPTION_SAMPLE, NULL},
    {"--scope", NULL, "SCOPES", LOCAL + OPTION_SCOPE, NULL},
    {"--session", NULL, "SESSION", LOCAL + OPTION_SESSION, NULL},
    {"--shell", NULL, "SHELL", LOCAL + OPTION_SHELL, NULL},
    {"--since", NULL, "TIME", LOCAL + OPTION_SINCE, NULL},
    {"--socket", NULL, "PATH", LOCAL + OPTION_SOCKET, NULL},
    {"--sort", NULL, "ORDER", LOCAL + OPTION_SORT, NULL},
    {"--source", NULL, "SOURCE", LOCAL + OPTION_SOURCE, NULL},
    {"--source-kind", NULL, "KIND", LOCAL + OPTION_SOURCE_KIND, NULL},
    {"--stdin", NULL, NULL, LOCAL + OPTION_STDIN, NULL},
    {"--substring", NULL, NULL, LOCAL + OPTION_SUBSTRING, NULL},
    {"--timeout", NULL, "TIME", LOCAL + OPTION_TIMEOUT, NULL},
    {"--to", NULL, "PATH", LOCAL + OPTION_TO, NULL},
    {"--tokens", NULL, "N", LOCAL + OPTION_TOKENS, NULL},
    {"--tool-name", NULL, "TOOL", LOCAL + OPTION_TOOL_NAME, NULL},
    {"--ttl", NULL, "TIME", LOCAL + OPTION_TTL, NULL},
    {"--undo", NULL, NULL, LOCAL + OPTION_UNDO, NULL},
    {"--until", NULL, "TIME", LOCAL + OPTION_UNTIL, NULL},
    {"--without-log", NULL, NULL, LOCAL + OPTION_WITHOUT_LOG, NULL},
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

/* ---- What options say of the configuration ---- */

static void say(options *o, const char *by, char *key, const char *value) {
  o->said = text_need(realloc(o->said, (o->nsaid + 1) * sizeof *o->said));
  o->said[o->nsaid++] = (said_setting){key, text_format("%s", value), by};
}

/* The key whose option this is: of "--home DIR" and the like. */
static const setting *setting_of(const option *said) {
  const setting *key;
  size_t length = strlen(said->name);
  for (size_t i = 0; (key = setting_at(i)) != NULL; i++)
    if (strncmp(key->flag, said->name, length) == 0 && (!key->flag[length] || key->flag[length] == ' ')) return key;
  return NULL;
}

static void set_store(options *o, const option *said, const char *value) {
  const char *equals = strchr(value, '=');
  if (!equals || equals == value || !equals[1]) {
    problem(o, text_format("--store must be NAME=PATH, not %s", value), NULL);
    return;
  }
  char *key = text_format("stores.%.*s", (int)(equals - value), value), *name = key + sizeof "stores." - 1;
  suggestion near = suggest(name);
  const setting *found = NULL, *at;
  for (size_t i = 0; (at = setting_at(i)) != NULL; i++) {
    if (strncmp(at->name, "stores.", sizeof "stores." - 1) != 0) continue;
    suggest_offer(&near, at->name + sizeof "stores." - 1);
    if (strcmp(at->name, key) == 0) found = at;
  }
  if (found) {
    say(o, said->name, key, equals + 1);
    return;
  }
  problem(o, text_format("there is no store %s", name), suggest_hint(&near, "`stele status` lists the stores"));
  free(key);
}

/* KEY=VALUE,...  A comma that no KEY= follows is part of the value. */
static void set_keys(options *o, const option *said, const char *value) {
  while (*value) {
    const char *equals = strchr(value, '='), *end = equals;
    size_t named = strcspn(value, "=,");
    while (end && (end += strcspn(end, ",")) && *end) {
      size_t next = strcspn(end + 1, "=,");
      if (end[1 + next] == '=') break;
      end++;
    }
    if (!equals || value[named] != '=') {
      problem(o, text_format("--set must be KEY=VALUE, not %s", value), text_format("`stele config` lists the keys"));
      return;
    }
    char *text = text_need(strndup(equals + 1, (size_t)(end - equals - 1)));
    say(o, said->name, text_need(strndup(value, named)), text);
    free(text);
    value = end + (*end == ',');
  }
}

static void set_key(options *o, const option *said, const char *value) {
  const setting *key = setting_of(said);
  if (key->kind == SETTING_PATH && !*value)
    problem(o, text_format("%s needs %s", said->name, said->value), NULL);
  else
    say(o, said->name, text_format("%s", key->name), value);
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
    case SETTING: set_key(o, said, value); break;
    case STORE: set_store(o, said, value); break;
    case SET: set_keys(o, said, value); break;
    case CONFIG: o->config = value; break;
    case NO_COLOR: say(o, said->name, text_format("color"), "never"); break;
    case MIGRATE: o->flags |= STELE_OPEN_MIGRATE; break;
    case READONLY: o->flags |= STELE_OPEN_READONLY; break;
    case NETWORK_FS: o->flags |= STELE_OPEN_NETWORK_FS; break;
    case JSON: o->json = true; break;
    case QUIET: o->quiet = true; break;
    case PLAIN: o->plain = true; break;
    case NO_PAGER: o->no_pager = true; break;
    case HELP: o->help = true; break;
    case VERSION: o->version = true; break;
    case LOCAL + OPTION_TO: set_path(o, &o->to, said, value); break;
    case LOCAL + OPTION_NO_IMPORT: say(o, said->name, text_format("serve.watch"), "off"); break;
    default:
      if (setting_of(said)) set_key(o, said, value);
  }
  if (said->id >= LOCAL) o->local[said->id - LOCAL] = value ? value : "";
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
  bool ended = false;
  *o = (options){.words = argv, .line = text_need(calloc((size_t)argc + 2, sizeof *argv))};
  memcpy(o->line, argv, (size_t)argc * sizeof *argv); /* words are moved to the front of argv */
  for (int i = 1; i < argc; i++) {
    if (!ended && strcmp(argv[i], "--") == 0)
      ended = true;
    else if (!ended && argv[i][0] == '-' && argv[i][1])
      i = take(o, argc, argv, i);
    else
      o->words[o->nwords++] = argv[i];
  }
  return o->problem == NULL;
}

/* Where a store is and how safely it writes; NULL: as usual.  Whoever names a home means it: what is said more weakly
** than the home (a database of the environment beside --home) stays out of it. */
static const char *beside_home(const settings *s, const char *name) {
  return settings_get(s, name)->from >= settings_get(s, "home")->from ? settings_text(s, name) : NULL;
}

static void settle_stores(options *o, const settings *s) {
  static const char stores[] = "stores.";
  const setting *key;
  for (size_t i = 0; (key = setting_at(i)) != NULL; i++) {
    if (strncmp(key->name, stores, sizeof stores - 1) != 0) continue;
    const char *store = key->name + sizeof stores - 1, *location = beside_home(s, key->name);
    char *name = text_format("durability.%s", store);
    const char *durability = settings_text(s, name);
    free(name);
    if (!location && !durability) continue;
    o->places = text_need(realloc(o->places, (o->nplaces + 1) * sizeof *o->places));
    o->places[o->nplaces++] = (stele_place){store, location, durability};
  }
}

void options_settle(options *o, const settings *s) {
  const char *color = settings_text(s, "color");
  o->home = settings_text(s, "home");
  o->database = beside_home(s, "database");
  o->redact = settings_text(s, "redact");
  o->pager = settings_text(s, "pager");
  o->wait_ms = (int)settings_get(s, "wait")->number;
  o->no_color = color && strcmp(color, "never") == 0;
  o->always_color = color && strcmp(color, "always") == 0;
  o->nplaces = 0;
  settle_stores(o, s);
}

void options_free(options *o) {
  free(o->line);
  for (size_t i = 0; i < o->nsaid; i++) {
    free(o->said[i].key);
    free(o->said[i].value);
  }
  free(o->said);
  free(o->places);
  free(o->to);
  free(o->problem);
  free(o->hint);
}
