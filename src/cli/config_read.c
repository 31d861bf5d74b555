/* config_read.c - see config.h: who says what.  The weakest is asked first, so that the strongest has the last word. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "file.h"
#include "../door/json.h"
#include "places.h"
#include "suggest.h"
#include "text.h"
#include "toml.h"

/* `where` is put before the problem: "--wait", "$STELE_WAIT", "config.toml:3: wait". */
static void say(settings *s, const char *where, const setting *key, const char *value, setting_origin from) {
  if (settings_take(s, key, value, from)) return;
  const char *example = setting_example(key);
  char *must = setting_must(key);
  settings_wrong(s, text_format("%s must be %s, not %s", where, must, *value ? value : "nothing"),
                 example ? text_format("%s", example) : NULL);
  free(must);
}

/* ---- The file ---- */

static void wrong_at(settings *s, long long line, char *problem, char *hint) {
  settings_wrong(s, text_format("%s:%lld: %s", s->file, line, problem), hint);
  free(problem);
}

static void unknown_key(settings *s, long long line, const char *name, const char *near) {
  wrong_at(s, line, text_format("there is no key %s", name),
           near ? text_format("did you mean %s?", near) : text_format("`stele config` lists them"));
}

/* The key of exactly that name. */
static const setting *find_exactly(const char *name, const char **near) {
  const setting *key = setting_find(name, near);
  if (!key || strcmp(key->name, name) == 0) return key;
  *near = key->name;
  return NULL;
}

/* ["a","b"] as a,b; NULL: not a list of texts without commas */
static char *joined(json list) {
  char *text = NULL;
  size_t length = 0;
  json item = {NULL, 0};
  bool good = true;
  FILE *to = text_need(open_memstream(&text, &length));
  for (const char *separator = ""; json_next(list, &item); separator = ",") {
    char *one = json_kind(item) == '"' ? json_text(item) : NULL;
    good = good && one && !strchr(one, ',');
    if (one) fprintf(to, "%s%s", separator, one);
    free(one);
  }
  fclose(to);
  if (good) return text_need(text);
  free(text);
  return NULL;
}

/* A value of the file as the text that its kind reads; NULL: it is of another type. */
static char *value_text(const setting *key, json value) {
  char kind = json_kind(value);
  bool number = kind == '-' || (kind >= '0' && kind <= '9');
  switch (key->kind) {
    case SETTING_LIST: return kind == '[' ? joined(value) : NULL;
    case SETTING_SWITCH: return kind == 't' || kind == 'f' ? json_text(value) : NULL;
    case SETTING_NUMBER:
    case SETTING_DECIMAL: return number ? json_text(value) : NULL;
    case SETTING_BYTES:
    case SETTING_SECONDS:
    case SETTING_MILLIS: return number || kind == '"' ? json_text(value) : NULL;
    default: return kind == '"' ? json_text(value) : NULL;
  }
}

static void take_value(settings *s, const char *name, json member) {
  const char *near = NULL;
  const setting *key = find_exactly(name, &near);
  long long line = json_int(json_member(member, "line"), 0);
  if (!key) {
    unknown_key(s, line, name, near);
    return;
  }
  char *text = value_text(key, json_member(member, "value")), *must = setting_must(key);
  if (text) {
    char *where = text_format("%s:%lld: %s", s->file, line, name);
    say(s, where, key, text, FROM_FILE);
    s->values[setting_index(key)].line = (int)line;
    free(where);
  } else {
    char *found = json_text(json_member(member, "value"));
    const char *example = setting_example(key);
    wrong_at(s, line, text_format("%s must be %s, not %s", name, must, found ? found : "that"),
             example ? text_format("%s", example) : NULL);
    free(found);
  }
  free(text);
  free(must);
}

static void take_table(settings *s, const char *table, json member) {
  const setting *key;
  suggestion near = suggest(table);
  size_t length = strlen(table);
  char name[64];
  for (size_t i = 0; (key = setting_at(i)) != NULL; i++) {
    size_t here = strcspn(key->name, ".");
    if (!key->name[here] || here >= sizeof name) continue;
    if (here == length && strncmp(key->name, table, length) == 0) {
      if (json_is(json_member(member, "type"), "tables"))
        wrong_at(s, json_int(json_member(member, "line"), 0), text_format("[[%s]] must be [%s]", table, table), NULL);
      return;
    }
    snprintf(name, sizeof name, "%.*s", (int)here, key->name);
    suggest_offer(&near, name);
    if (near.best == name) near.best = key->name;
  }
  char *guess = near.best ? text_format("did you mean [%.*s]?", (int)strcspn(near.best, "."), near.best) : NULL;
  wrong_at(s, json_int(json_member(member, "line"), 0), text_format("there is no table [%s]", table), guess);
}

static void take_values(settings *s, const char *values) {
  json member = {NULL, 0}, list = json_read(values, strlen(values));
  while (json_next(list, &member)) {
    char *table = json_text(json_member(member, "table")), *key = json_text(json_member(member, "key"));
    char *name = *table ? text_format("%s.%s", table, key) : text_format("%s", key);
    if (json_kind(json_member(member, "key")) == '"')
      take_value(s, name, member);
    else
      take_table(s, table, member);
    free(name);
    free(key);
    free(table);
  }
}

static void take_text(settings *s, const char *text, size_t length) {
  char *problem = NULL;
  long long line = 0;
  char *values = toml_values(text, length, &problem, &line);
  if (values)
    take_values(s, values);
  else if (line)
    wrong_at(s, line, problem, NULL);
  else
    settings_wrong(s, text_format("%s: %s", s->file, problem), NULL);
  if (!values && !line) free(problem);
  free(values);
}

static void take_file(settings *s, const options *o) {
  const char *variable = places_environment("STELE_CONFIG");
  size_t length = 0;
  int error = 0;
  s->named = o->config || variable;
  s->file = o->config ? places_expand(o->config) : variable ? places_expand(variable) : places_config();
  if (!s->file) return;
  char *text = file_read(s->file, &length, &error);
  s->there = text != NULL;
  if (text)
    take_text(s, text, length);
  else if (s->named || error != ENOENT)
    settings_wrong(s, text_format("%s cannot be read: %s", s->file, strerror(error)),
                   error == ENOENT ? text_format("`stele config init` makes it") : NULL);
  free(text);
}

/* ---- The environment, the options ---- */

static void take_environment(settings *s) {
  const setting *key;
  for (size_t i = 0; (key = setting_at(i)) != NULL; i++) {
    const char *value = places_environment(key->variable);
    char *where = text_format("$%s", key->variable);
    if (value) say(s, where, key, strcmp(key->variable, "NO_COLOR") == 0 ? "never" : value, FROM_ENVIRONMENT);
    free(where);
  }
}

static void take_options(settings *s, const options *o) {
  for (size_t i = 0; i < o->nsaid; i++) {
    const said_setting *said = &o->said[i];
    const char *near = NULL;
    const setting *key = setting_find(said->key, &near);
    bool set = strcmp(said->option, "--set") == 0;
    char *where = set ? text_format("--set %s", said->key) : text_format("%s", said->option);
    if (key)
      say(s, where, key, said->value, FROM_OPTION);
    else
      settings_wrong(s, text_format("--set: there is no key %s", said->key),
                     near ? text_format("did you mean %s?", near) : text_format("`stele config` lists them"));
    free(where);
  }
}

void config_load(settings *s, const options *o) {
  settings_init(s);
  take_file(s, o);
  take_environment(s);
  take_options(s, o);
}

char *config_texts(const settings *s, const char *name) {
  const char *text = settings_text(s, name);
  return text ? setting_toml(setting_find(name, NULL), text) : NULL;
}
