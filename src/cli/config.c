/* config.c - stele config: every key, its value and who says it; and the file, made, checked and changed. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "text.h"

static char *origin(const settings *s, const setting *key) {
  const setting_value *value = &s->values[setting_index(key)];
  switch (value->from) {
    case FROM_FILE: return text_format("%s:%d", s->file, value->line);
    case FROM_ENVIRONMENT: return text_format("$%s", key->variable);
    case FROM_OPTION: return text_format("%.*s", (int)strcspn(key->flag, " "), key->flag);
    default: return text_format("default");
  }
}

/* ---- Showing ---- */

static void add_member(FILE *to, const char *name, const char *text) {
  fprintf(to, ",\"%s\":", name);
  text_json(to, text);
}

static void show_json(cli *c) {
  static const char *const kinds[] = {"text", "path", "list", "choice", "switch", "time", "number", "number", "bytes", "time", "time"};
  static const char *const origins[] = {"default", "file", "environment", "option"};
  const settings *s = &c->settings;
  const setting *key;
  char *text = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&text, &length));
  for (size_t i = 0; (key = setting_at(i)) != NULL; i++) {
    const setting_value *value = &s->values[i];
    char *from = origin(s, key);
    fputs(i ? ",{\"key\":" : "[{\"key\":", to);
    text_json(to, key->name);
    fputs(",\"value\":", to);
    setting_json(to, key, value->text);
    add_member(to, "from", origins[value->from]);
    add_member(to, "where", from);
    fputs(",\"default\":", to);
    setting_json(to, key, key->fallback);
    add_member(to, "type", kinds[key->kind]);
    add_member(to, "environment", key->variable);
    add_member(to, "option", key->flag);
    add_member(to, "doc", key->doc);
    fputc('}', to);
    free(from);
  }
  fputs("]\n", to);
  fclose(to);
  out_text(&c->out, text_need(text));
  free(text);
}

static void show_key(cli *c, const setting *key) {
  const settings *s = &c->settings;
  const setting_value *value = &s->values[setting_index(key)];
  char *shown = setting_toml(key, value->text), *usual = setting_toml(key, key->fallback), *from = origin(s, key);
  bool set = value->from != FROM_DEFAULT;
  output *out = &c->out;
  out_format(out, "%s%s = %s%s", set ? out->bold : "", key->name, shown, set ? out->normal : "");
  if (set) out_format(out, "  %s(%s; default %s)%s", out->dim, from, usual, out->normal);
  out_format(out, "\n  %s%s%s\n", out->dim, key->doc, out->normal);
  free(shown);
  free(usual);
  free(from);
}

static int show(cli *c) {
  const setting *key;
  if (c->options.json) {
    show_json(c);
    return 0;
  }
  char *note = text_format("the file is %s%s", c->settings.file ? c->settings.file : "nowhere: there is no home directory",
                           c->settings.there ? "" : ", which is not there; `stele config init` makes it");
  for (size_t i = 0; (key = setting_at(i)) != NULL; i++) show_key(c, key);
  out_notes(&c->out, note);
  free(note);
  return 0;
}

static const setting *wanted(cli *c, const char *name) {
  const char *near = NULL;
  const setting *key = setting_find(name, &near);
  char *hint = near ? text_format("did you mean %s?", near) : text_format("`stele config` lists them");
  if (!key) out_bad(&c->out, hint, "there is no key %s", name);
  free(hint);
  return key;
}

static int get(cli *c, const char *name) {
  const setting *key = wanted(c, name);
  if (!key) return 2;
  const char *text = c->settings.values[setting_index(key)].text;
  char *shown = c->options.json ? setting_toml(key, text) : text_format("%s", text);
  out_format(&c->out, "%s\n", shown);
  free(shown);
  return 0;
}

/* ---- The file ---- */

static int file_failed(cli *c, const char *what, int error) {
  char *message = text_format("%s cannot be %s: %s", c->settings.file, what, strerror(error));
  int status = out_failure(&c->out, &(stele_failure){STELE_IO, "", "", message, ""});
  free(message);
  return status;
}

static bool has_file(cli *c) {
  if (c->settings.file) return true;
  out_bad(&c->out, "--config names a file", "there is no place for a configuration: $HOME is not set");
  return false;
}

static int init(cli *c) {
  size_t length;
  int error;
  char *old = file_read(c->settings.file, &length, &error);
  free(old);
  if (old || error != ENOENT)
    return out_bad(&c->out, "`stele config set KEY VALUE` changes it", "%s is there already", c->settings.file);
  char *text = config_template();
  error = file_write(c->settings.file, text, strlen(text), NULL);
  free(text);
  if (error) return file_failed(c, "written", error);
  out_format(&c->out, "%s\n", c->settings.file);
  return 0;
}

int config_set(cli *c, const char *name, const char *value) {
  const setting *key = wanted(c, name);
  size_t length = 0;
  int error = 0;
  if (!key) return 2;
  if (!settings_take(&c->settings, key, value, FROM_FILE) || !text_valid(value)) {
    char *must = setting_must(key);
    int status = out_bad(&c->out, setting_example(key), "%s must be %s, not %s", key->name, must, value);
    free(must);
    return status;
  }
  char *old = file_read(c->settings.file, &length, &error);
  if (!old && error != ENOENT) return file_failed(c, "read", error);
  char *before = old ? old : config_template(), *shown = setting_toml(key, value);
  char *after = strlen(before) == length || !old ? config_edit(before, key->name, shown) : NULL;
  int status = 0;
  if (!after)
    status = out_bad(&c->out, "`stele config check` tells where", "%s cannot be read as it is", c->settings.file);
  else if ((error = file_write(c->settings.file, after, strlen(after), NULL)) != 0)
    status = file_failed(c, "written", error);
  else
    out_format(&c->out, "%s = %s\n", key->name, shown);
  free(after);
  free(shown);
  free(before);
  return status;
}

static int check(cli *c) {
  if (c->settings.problem) return out_bad(&c->out, c->settings.hint, "%s", c->settings.problem);
  out_format(&c->out, "%s: %s\n", c->settings.file, c->settings.there ? "good" : "not there, so all keys have their defaults");
  return 0;
}

static int run(cli *c) {
  const char *verb = command_argument(c, 1), *name = command_argument(c, 2), *value = command_argument(c, 3);
  bool whole = !verb || strcmp(verb, "get") == 0;
  if (whole && c->settings.problem) return out_bad(&c->out, c->settings.hint, "%s", c->settings.problem);
  if (!verb) return show(c);
  if (strcmp(verb, "get") == 0 && name && !value) return get(c, name);
  if (!has_file(c)) return 1;
  if (strcmp(verb, "path") == 0 && !name) {
    out_format(&c->out, "%s\n", c->settings.file);
    return 0;
  }
  if (strcmp(verb, "init") == 0 && !name) return init(c);
  if (strcmp(verb, "check") == 0 && !name) return check(c);
  if (strcmp(verb, "set") == 0 && value) return config_set(c, name, value);
  return out_bad(&c->out, "usage: stele config [path | init | check | get KEY | set KEY VALUE]",
                 "config: what is meant by %s?", verb);
}

const command config_command = {
    .name = "config",
    .group = GROUP_PROGRAM,
    .usage = "path | init | check | get KEY | set KEY VALUE",
    .summary = "see and change the configuration: path, init, check, get, set",
    .examples = "stele config\n"
                "stele config get serve.port\n"
                "stele config set serve.port 7979\n"
                "stele config set stores.conversation ~/.hermes/state.db\n"
                "stele config init\n"
                "stele config check",
    .details = "Without a verb, every key: its value, who says it, its default and what it is.  An option counts before the\n"
               "environment, the environment before the file, the file before the default.  init writes the file with all\n"
               "defaults as comments, if there is none; set changes one key of it and leaves everything else as it stands.\n"
               "docs/configuration.md lists the keys.",
    .most = 3,
    .unconfigured = true,
    .run = run,
};
