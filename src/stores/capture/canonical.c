/* canonical.c - the one form of an entity's names. */
#include "stores/capture/canonical.h"

#include <string.h>

#include "search/lower.h"

enum { FORM_MAX = 1 << 20 };

#define WORKTREES ".claude/worktrees/"

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool is_path(const char *type) { return strcmp(type, "file") == 0 || strcmp(type, "project") == 0; }

/* In place: no blanks around, none doubled. */
static void collapse(char *text) {
  char *out = text;
  for (const char *in = text; *in; in++) {
    if (!is_blank(*in))
      *out++ = *in;
    else if (out > text && out[-1] != ' ')
      *out++ = ' ';
  }
  if (out > text && out[-1] == ' ') out--;
  *out = '\0';
}

/* In place: every .claude/worktrees/<name>/ is left out. */
static void leave_worktrees(char *path) {
  for (char *at; (at = strstr(path, WORKTREES)) != NULL;) {
    char *rest = at + strlen(WORKTREES);
    rest += strcspn(rest, "/");
    if (*rest) rest++;
    memmove(at, rest, strlen(rest) + 1);
  }
}

static void strip_slashes(char *text) {
  size_t length = strlen(text);
  while (length > 1 && text[length - 1] == '/') text[--length] = '\0';
}

/* A copy that may be changed; NULL when there is no memory. */
static char *lower_copy(st_call *call, const char *text, size_t length) {
  st_str out;
  st_str_init(&out, FORM_MAX);
  st_lower(&out, text, length);
  st_value lower = st_take(call, &out);
  return lower.type == ST_TEXT ? st_call_copy(call, lower.bytes, lower.length) : NULL;
}

/* With ~ expanded. */
static st_value whole_name(st_call *call, const st_named *named) {
  const char *name = named->name + strspn(named->name, " \t\n\v\f\r");
  bool at_home = named->home && name[0] == '~' && (name[1] == '/' || name[1] == '\0');
  st_str out;
  st_str_init(&out, FORM_MAX);
  if (at_home) st_str_addz(&out, named->home);
  st_str_addz(&out, at_home ? name + 1 : name);
  return st_take(call, &out);
}

/* What is left of a path below a root; the root itself is its last name.  A project below a root keeps its path. */
static const char *below(const char *path, const char *root, bool project) {
  size_t length = strlen(root);
  if (length < 2 || strncmp(path, root, length) != 0) return path;
  if (path[length] == '\0') {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
  }
  return path[length] == '/' && !project ? path + length + 1 : path;
}

static const char *below_roots(st_call *call, const char *path, const st_named *named) {
  for (const char *root = named->roots; root && st_ok(call);) {
    size_t length = strcspn(root, ":");
    char *lower = lower_copy(call, root, length);
    if (!lower) break;
    strip_slashes(lower);
    const char *rest = below(path, lower, strcmp(named->type, "project") == 0);
    if (rest != path) return rest;
    root = root[length] ? root + length + 1 : NULL;
  }
  return path;
}

st_value st_capture_canonical(st_call *call, const st_named *named) {
  st_value name = whole_name(call, named);
  char *form = name.type == ST_TEXT ? lower_copy(call, name.bytes, name.length) : NULL;
  if (!form) return (st_value){.type = ST_NULL};
  collapse(form);
  const char *canonical = form;
  if (is_path(named->type)) leave_worktrees(form);
  strip_slashes(form);
  if (is_path(named->type)) canonical = below_roots(call, form, named);
  return st_textz(canonical);
}

st_value st_capture_display_name(st_call *call, const st_named *named) {
  char *name = st_call_copy(call, named->name, strlen(named->name));
  if (name && is_path(named->type)) leave_worktrees(name);
  return st_textz(name);
}
