/* originals.c - see originals.h. */
#include "originals.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "config.h"
#include "places.h"
#include "text.h"

/* A place is below $variable, or below the user's directory, or, without either, here. */
static const struct {
  const char *program, *store;
  const char *variable; /* NULL: none moves it */
  const char *path;     /* a pattern; beginning with ~: below the user's directory */
} ORIGINALS[] = {
    {"Hermes", "conversation", "HERMES_HOME", "state.db"},
    {"Hermes", "conversation", NULL, "~/.hermes/state.db"},
    {"hippo", "capture", "XDG_DATA_HOME", "hippo/hippo.db"},
    {"hippo", "capture", NULL, "~/.local/share/hippo/hippo.db"},
    {"Hassette", "telemetry", "XDG_DATA_HOME", "hassette/hassette.db"},
    {"Hassette", "telemetry", NULL, "~/.local/share/hassette/hassette.db"},
    {"Kwasi", "assistant", NULL, "kwasi.db"},
    {"kiso", "planner", NULL, "~/.kiso/instances/*/store.db"},
};

/* The key of a store's place; NULL: there is no such store yet. */
static const setting *key_of(const char *store) {
  char *name = text_format("stores.%s", store);
  const setting *key = setting_find(name, NULL);
  free(name);
  return key;
}

/* A conversation file is what is asked about: it has what a person would look for.  True: it is worked on now. */
static bool take(cli *c, const char *program, const setting *key, const char *file) {
  char *question = text_format("Work on %s's own file %s, instead of taking its sessions in?\n"
                               "Sessions of other agents are then not taken in.",
                               program, file);
  bool yes = ask(&c->out, question, false) && config_set(c, key->name, file) == 0;
  free(question);
  if (yes) options_settle(&c->options, &c->settings);
  return yes;
}

static void offer(cli *c, const char *program, const char *store, const char *file, bool asking,
                  void (*say)(cli *c, const char *line)) {
  const setting *key = key_of(store);
  char *word = text_shell(file), *line;
  bool conversation = strcmp(store, "conversation") == 0;
  if (key && strcmp(c->settings.values[setting_index(key)].text, file) == 0) {
    free(word);
    return; /* it is worked on already */
  }
  if (!key)
    line = text_format("%s has %s: Stele will work on it when it has a store %s, which it has not yet", program, file, store);
  else
    line = text_format("%s has %s: `stele config set %s %s` makes Stele work on it%s", program, file, key->name, word,
                       strcmp(store, "telemetry") != 0 ? "" : "; with `stele config set serve.record off` the server writes nothing there");
  if (!(key && conversation && asking && take(c, program, key, file))) say(c, line);
  free(line);
  free(word);
}

void originals_offer(cli *c, bool asking, void (*say)(cli *c, const char *line)) {
  for (size_t i = 0; i < sizeof ORIGINALS / sizeof *ORIGINALS; i++) {
    const char *above = ORIGINALS[i].variable ? places_environment(ORIGINALS[i].variable) : NULL;
    if (ORIGINALS[i].variable && !above) continue;
    char *pattern = above ? text_format("%s/%s", above, ORIGINALS[i].path) : places_expand(ORIGINALS[i].path);
    glob_t found = {0};
    if (glob(pattern, 0, NULL, &found) == 0)
      for (size_t n = 0; n < found.gl_pathc; n++) {
        char *file = realpath(found.gl_pathv[n], NULL);
        if (file) offer(c, ORIGINALS[i].program, ORIGINALS[i].store, file, asking, say);
        free(file);
      }
    globfree(&found);
    free(pattern);
  }
}
