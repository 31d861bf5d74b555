/* setup_json.c - see setup.h: a member of an object in JSON, with comments and trailing commas allowed (JSONC).
**
** The text is never written anew: the member goes right behind the { of its object, and the object's own member, where
** it is missing, right behind the first {.  Each case leaves a form of its own, so that the text tells what was there
** before:
**
**     no file                    {NL  "c": {NL    "stele": V NL  }NL}NL
**     nothing but blanks         the same behind them, without the last NL
**     {} or "c": {}              { "c": {"stele": V} }   { "stele": V }
**     {NL  "a": 1 ...            {NL  "c": {NL    "stele": V NL  },NL  "a": 1 ...
**     "c": {NL    "a": 1 ...     "c": {NL    "stele": V,NL    "a": 1 ...
**     {"a": 1 ...                {"c": {"stele": V}, "a": 1 ...
**
** Taking tries what may have been inserted, and keeps the text from which putting makes exactly this one. */
#include <stdlib.h>
#include <string.h>

#include "../door/json.h"
#include "jsonc.h"
#include "setup.h"
#include "text.h"

#define NAME "stele"

static char *fresh(const part *p, const char *end) {
  return text_format("{\n  \"%s\": {\n    \"" NAME "\": %s\n  }\n}%s", p->container, p->value, end);
}

static size_t behind_mark(const char *text) {
  return strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* a byte order mark */
}

static bool is_blank(const char *text) {
  size_t mark = behind_mark(text);
  return !text[mark + strspn(text + mark, " \t\r\n")];
}

typedef struct found {
  jsonc_object root, holder;
  jsonc_member container, member; /* key 0: not there */
} found;

/* NULL, or why the text cannot be worked on. */
static const char *look(const part *p, const char *text, found *f) {
  memset(f, 0, sizeof *f);
  if (!jsonc_object_at(text, jsonc_skip(text, behind_mark(text)), &f->root) || text[jsonc_skip(text, f->root.end)]) return "is not a JSON object";
  f->container = jsonc_find(text, &f->root, p->container);
  if (!f->container.key) return NULL;
  if (!jsonc_object_at(text, f->container.value, &f->holder)) return "has something else than an object in its place";
  jsonc_member inner = p->inner ? jsonc_find(text, &f->holder, p->inner) : (jsonc_member){0};
  jsonc_object deeper;
  if (inner.key && jsonc_object_at(text, inner.value, &deeper)) f->holder = deeper;
  f->member = jsonc_find(text, &f->holder, NAME);
  return NULL;
}

/* ---- Putting ---- */

/* `added` right behind the { of an object, in the manner of what is there. */
static char *insert(const char *text, const jsonc_object *into, const char *added) {
  const char *behind = text + into->open;
  size_t blank = strspn(behind, " \t\r\n");
  if (into->empty) return text_format("%.*s %s %s", (int)into->open, text, added, behind);
  return text_format("%.*s%.*s%s,%s%s", (int)into->open, text, (int)blank, behind, added, blank ? "" : " ", behind);
}

/* The blanks behind the {, if a new line begins there: from its line end on. */
static char *line_break(const char *text, const jsonc_object *in) {
  const char *behind = text + in->open, *last = NULL;
  size_t blank = strspn(behind, " \t\r\n");
  for (size_t i = 0; i < blank; i++)
    if (behind[i] == '\n') last = behind + i;
  if (in->empty || !last) return NULL;
  if (last > behind && last[-1] == '\r') last--;
  return text_need(strndup(last, (size_t)(behind + blank - last)));
}

/* The same on lines of their own. */
static char *insert_line(const char *text, const jsonc_object *into, const char *newline, const char *added) {
  return text_format("%.*s%s%s,%s", (int)into->open, text, newline, added, text + into->open);
}

/* The container and the member in it, with the file's own indentation. */
static char *new_container(const part *p, const char *newline) {
  const char *indent = newline ? newline + strspn(newline, "\r\n") : NULL;
  if (!newline) return text_format("\"%s\": {\"" NAME "\": %s}", p->container, p->value);
  return text_format("\"%s\": {%s%s\"" NAME "\": %s%s}", p->container, newline, *indent ? indent : "  ", p->value, newline);
}

char *json_part_put(const part *p, const char *text) {
  found f;
  if (!text) return fresh(p, "\n");
  if (is_blank(text)) {
    char *object = fresh(p, ""), *all = text_format("%s%s", text, object);
    free(object);
    return all;
  }
  if (look(p, text, &f)) return NULL;
  const jsonc_object *into = f.container.key ? &f.holder : &f.root;
  char *newline = line_break(text, into);
  char *added = f.container.key ? text_format("\"" NAME "\": %s", p->value) : new_container(p, newline);
  char *all = newline ? insert_line(text, into, newline, added) : insert(text, into, added);
  free(newline);
  free(added);
  return all;
}

/* ---- Looking ---- */

/* Nothing but what is put, whatever the values are. */
static bool has_usual_members(json value) {
  json name = {NULL, 0}, one = {NULL, 0};
  while (json_next_member(value, &name, &one)) {
    bool usual = json_is(name, "command") || json_is(name, "args") || json_is(name, "type") ||
                 (json_is(name, "enabled") && json_kind(one) == 't') ||
                 (json_is(name, "env") && json_kind(one) == '{' && one.length == 2); /* an agent may add that */
    if (!usual) return false;
  }
  return true;
}

/* Does it start a program called stele, with mcp as its last word? */
static bool is_ours(json value) {
  json program = json_member(value, "command"), words = json_member(value, "args"), one = {NULL, 0}, last = {NULL, 0};
  if (json_kind(program) == '[') {
    words = program;
    program = (json){NULL, 0};
    json_next(words, &program);
  }
  while (json_next(words, &one)) last = one;
  char *path = json_kind(program) == '"' ? json_text(program) : NULL;
  const char *slash = path ? strrchr(path, '/') : NULL;
  bool ours = path && strcmp(slash ? slash + 1 : path, "stele") == 0 && json_is(last, "mcp") && has_usual_members(value);
  free(path);
  return ours;
}

/* Without blanks, comments and commas that end nothing. */
static bool same_value(const char *a, const char *b, bool *ours) {
  char *left = jsonc_strict(a, strlen(a)), *right = jsonc_strict(b, strlen(b));
  bool same = left && right && strcmp(left, right) == 0;
  *ours = left && is_ours(json_read(left, strlen(left)));
  free(left);
  free(right);
  return same;
}

part_state json_part_look(const part *p, const char *text, char **problem) {
  found f;
  bool ours;
  if (!text || is_blank(text)) return PART_ABSENT;
  const char *why = look(p, text, &f);
  if (why) {
    *problem = text_format("%s", why);
    return PART_FOREIGN;
  }
  if (!f.member.key) return PART_ABSENT;
  char *value = text_need(strndup(text + f.member.value, f.member.end - f.member.value));
  bool same = same_value(value, p->value, &ours);
  free(value);
  return same ? PART_CURRENT : ours ? PART_OLD : PART_EDITED;
}

/* ---- Taking ---- */

static char *cut(const char *text, size_t from, size_t to) {
  return text_format("%.*s%s", (int)from, text, text + to);
}

/* The text without a part that was put, if putting the same part makes this text of it again. */
static char *undo(const part *p, const char *text, size_t from, size_t to) {
  char *was = to <= strlen(text) ? cut(text, from, to) : NULL, *again = was ? json_part_put(p, was) : NULL;
  bool exact = again && strcmp(again, text) == 0;
  free(again);
  if (exact) return was;
  free(was);
  return NULL;
}

/* From the { to the member's end, its comma and a blank. */
static char *undo_in(const part *p, const char *text, const jsonc_object *in, const jsonc_member *member) {
  char *was = NULL;
  for (size_t more = 0; more <= 2 && !was; more++) was = undo(p, text, in->open, member->end + more);
  return was;
}

/* Somebody has written the file anew: the member goes, and the comma that was between it and another. */
static char *cut_member(const char *text, const jsonc_member *member) {
  if (member->comma_behind) return cut(text, member->before, member->comma_behind + 1);
  return cut(text, member->comma_before ? member->comma_before : member->before, member->end);
}

part_change json_part_take(const part *p, const char *text) {
  found f;
  look(p, text, &f);
  char *value = text_need(strndup(text + f.member.value, f.member.end - f.member.value));
  part put = *p; /* as it was put: perhaps with another program */
  put.value = value;
  char *whole = fresh(&put, "\n"), *object = fresh(&put, ""), *was = NULL;
  size_t length = strlen(text), tail = strlen(object);
  part_change change = {.remove = strcmp(text, whole) == 0};
  if (!change.remove && length >= tail) was = undo(&put, text, length - tail, length);
  if (!change.remove && !was) was = undo_in(&put, text, &f.root, &f.container);
  if (!change.remove && !was) was = undo_in(&put, text, &f.holder, &f.member);
  if (!change.remove && !was) was = cut_member(text, &f.member);
  free(whole);
  free(object);
  free(value);
  change.text = was;
  return change;
}
