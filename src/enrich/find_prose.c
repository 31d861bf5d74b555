/* find_prose.c - what sentences speak about, and where the work was done. */
#include "enrich/find.h"
#include "enrich/letters.h"

enum { PROSE_MAX = 16 << 10 }; /* bytes that are looked at */

/* $FOO_BAR, or `FOO_BAR` in backquotes: in a sentence capitals alone are no variable. */
static void find_variable(st_names *names, st_text token) {
  bool marked = token.length > 3 && (token.bytes[0] == '$' || token.bytes[0] == '`');
  size_t length = 0, underlines = 0;
  while (token.length && strchr("`${(\"'", token.bytes[0])) token = st_text_from(token, 1);
  while (length < token.length && (st_is_upper(token.bytes[length]) || token.bytes[length] == '_' || (length && st_is_digit(token.bytes[length])))) {
    underlines += token.bytes[length] == '_';
    length++;
  }
  bool ends = length == token.length || !(st_is_alnum(token.bytes[length]) || strchr("-/.(", token.bytes[length]));
  if (marked && underlines && ends && length > 3 && !st_text_begins(token, "ERR_")) st_names_add(names, ST_NAME_ENV_VAR, (st_text){token.bytes, length});
}

/* `cargo test`: a command in backquotes, of a program that is known. */
static void find_quoted_commands(st_names *names, st_text text) {
  for (size_t open; (open = st_text_find(text, '`')) + 1 < text.length;) {
    text = st_text_from(text, open + 1);
    size_t close = st_text_find(text, '`');
    st_text inside = {text.bytes, close}, rest = inside, word;
    if (close == text.length) return;
    const st_tool *tool = st_text_token(&rest, &word) ? st_tool_find(word) : NULL;
    st_line line;
    if (tool && rest.length > 1 && close < 200 && !memchr(inside.bytes, '\n', close) && !(tool->flags & ST_TOOL_BUILTIN) &&
        !st_find_command(names, inside, true, &line))
      names->failed = true;
    text = st_text_from(text, close + 1);
  }
}

void st_find_prose(st_names *names, st_text text) {
  if (text.length > PROSE_MAX) text.length = PROSE_MAX;
  st_find_addresses(names, text);
  st_find_errors(names, text, ST_TRUST_PROSE);
  find_quoted_commands(names, text);
  st_text token;
  while (st_text_token(&text, &token)) {
    find_variable(names, token);
    st_names_add(names, ST_NAME_FILE, st_file_in_prose(token));
  }
}

/* ---- Where ---- */

static st_text last_part(st_text path) {
  while (path.length > 1 && path.bytes[path.length - 1] == '/') path.length--;
  return st_path_base(path);
}

/* A directory is a project if it is below a home and not one, and no place of the system's. */
static bool is_project(st_text cwd) {
  static const char *const system[] = {"/etc", "/usr", "/var", "/proc", "/sys", "/dev", "/boot", "/run", "/bin", "/sbin", "/lib", "/tmp", "/private"};
  size_t depth = 0;
  for (size_t i = 0; i + 1 < cwd.length; i++) depth += cwd.bytes[i] == '/';
  for (size_t i = 0; i < sizeof system / sizeof *system; i++)
    if (st_text_begins(cwd, system[i])) return false;
  bool home = st_text_begins(cwd, "/home/") || st_text_begins(cwd, "/Users/");
  return depth > (home ? 2u : 1u) && !st_text_listed(last_part(cwd), " src projects code work repos Downloads Desktop Documents tmp bin dev ");
}

void st_find_project(st_names *names, st_text cwd, st_text repo) {
  if (repo.length) {
    st_names_add(names, ST_NAME_PROJECT, last_part(repo));
    size_t slash = st_text_find(repo, '/');
    if (slash > 0 && slash + 1 < repo.length && !memchr(repo.bytes + slash + 1, '/', repo.length - slash - 1)) st_names_add(names, ST_NAME_REPO, repo);
  } else if (is_project(cwd)) {
    st_names_add(names, ST_NAME_PROJECT, last_part(cwd));
  }
}
