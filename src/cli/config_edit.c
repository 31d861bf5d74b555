/* config_edit.c - see config.h: one key of a file is set, and everything else stays as it stands.
**
** A key that is there gets another value.  One that is not comes behind the comment that shows its default, else behind
** the last key of its table; a table that is not there comes at the end. */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "../door/json.h"
#include "text.h"
#include "toml.h"

typedef struct edit {
  const char *text;
  size_t length;
  const char *table, *name; /* of the key */
  size_t begin, end;        /* of the table's section, headers left out */
  size_t last;              /* where its last value ends; 0: it has none */
  bool there;               /* the section */
  const char *newline;
} edit;

static size_t line_start(const edit *e, size_t at) {
  while (at > 0 && e->text[at - 1] != '\n') at--;
  return at;
}

/* Behind the end of the line. */
static size_t line_end(const edit *e, size_t at) {
  const char *newline = memchr(e->text + at, '\n', e->length - at);
  return newline ? (size_t)(newline - e->text) + 1 : e->length;
}

static char *with(const edit *e, size_t from, size_t to, const char *inserted) {
  return text_format("%.*s%s%s", (int)from, e->text, inserted, e->text + to);
}

/* The sections of the text; true: the key was met, at *from to *to. */
static bool look(edit *e, const char *values, size_t *from, size_t *to) {
  json list = json_read(values, strlen(values)), one = {NULL, 0};
  bool inside = !*e->table, met = false;
  e->there = inside;
  e->end = e->length;
  while (json_next(list, &one)) {
    size_t start = (size_t)json_int(json_member(one, "start"), 0), end = (size_t)json_int(json_member(one, "end"), 0);
    if (json_kind(json_member(one, "key")) != '"') {
      if (inside) e->end = line_start(e, start);
      inside = json_is(json_member(one, "table"), e->table) && !e->there;
      if (!inside) continue;
      e->there = true;
      e->begin = line_end(e, end);
      e->end = e->length;
    } else if (inside) {
      e->last = end;
      if (met || !json_is(json_member(one, "key"), e->name)) continue;
      met = true;
      *from = start;
      *to = end;
    }
  }
  return met;
}

/* Is this line `# name = ...`? */
static bool is_default_of(const edit *e, size_t at) {
  size_t length = strlen(e->name);
  const char *text = e->text + at;
  text += strspn(text, " \t");
  if (*text++ != '#') return false;
  text += strspn(text, " \t");
  if (strncmp(text, e->name, length) != 0) return false;
  text += length;
  return text[strspn(text, " \t")] == '=';
}

/* Where a new line of the section belongs. */
static size_t place(const edit *e) {
  size_t at;
  for (at = e->begin; at < e->end; at = line_end(e, at))
    if (is_default_of(e, at)) return line_end(e, at);
  if (e->last) return line_end(e, e->last);
  if (*e->table) return e->begin;
  for (at = e->end; at > 0 && e->end < e->length; at = line_start(e, at - 1)) { /* comments above a table are the table's */
    size_t before = line_start(e, at - 1);
    if (e->text[before + strspn(e->text + before, " \t")] != '#') break;
  }
  return at;
}

static char *add(const edit *e, const char *value) {
  bool apart = e->length && e->text[e->length - 1] != '\n';
  size_t at = e->there ? place(e) : e->length;
  const char *before = at == e->length && apart ? e->newline : "";
  char *line, *text;
  if (e->there)
    line = text_format("%s%s = %s%s", before, e->name, value, e->newline);
  else
    line = text_format("%s%s[%s]%s%s = %s%s", before, e->length ? e->newline : "", e->table, e->newline, e->name, value,
                       e->newline);
  text = with(e, at, at, line);
  free(line);
  return text;
}

char *config_edit(const char *text, const char *key, const char *value) {
  const char *dot = strchr(key, '.');
  char *table = text_need(strndup(key, dot ? (size_t)(dot - key) : 0)), *problem = NULL, *changed = NULL;
  edit e = {.text = text, .length = strlen(text), .table = table, .name = dot ? dot + 1 : key};
  long long line;
  size_t from = 0, to = 0;
  e.newline = strstr(text, "\r\n") ? "\r\n" : "\n";
  char *values = toml_values(text, e.length, &problem, &line);
  if (values) changed = look(&e, values, &from, &to) ? with(&e, from, to, value) : add(&e, value);
  free(values);
  free(problem);
  free(table);
  return changed;
}

char *config_template(void) {
  char *text = NULL;
  size_t length = 0;
  const setting *key;
  FILE *to = text_need(open_memstream(&text, &length));
  char table[64] = "";
  fputs("# The configuration of Stele.  Each key stands here with its default; take the # away to set it.\n"
        "# Options and the environment count before this file; `stele config` shows what counts, and why.\n",
        to);
  for (size_t i = 0; (key = setting_at(i)) != NULL; i++) {
    const char *dot = strchr(key->name, '.');
    char *value = setting_toml(key, strcmp(key->name, "home") == 0 ? "~/.local/share/stele" : key->fallback);
    if (dot && strncmp(table, key->name, (size_t)(dot - key->name + 1)) != 0) {
      snprintf(table, sizeof table, "%.*s.", (int)(dot - key->name), key->name);
      fprintf(to, "\n[%.*s]\n", (int)(dot - key->name), key->name);
    }
    fprintf(to, "\n# %s\n# %s, $%s\n#%s = %s\n", key->doc, key->flag, key->variable, dot ? dot + 1 : key->name, value);
    free(value);
  }
  fclose(to);
  return text_need(text);
}
