/* finding.c - see finding.h.
**
**   cargo            error[E0308] in the message
**   ruff             a code such as F401 in the message, if the job's name has ruff or lint in it
**   mypy, pyright    [a-code] at the end of the message, if the job's name has type, mypy or pyright in it
**   pytest           a test (path::name), "pytest" or "FAILED " in the message, or pytest in the job's name */
#include "finding.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool names(const char *job, const char *word) {
  return strcasestr(job, word) != NULL;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static void keep(finding *f, const char *tool, const char *rule, size_t length) {
  f->tool = tool;
  if (length < sizeof f->rule) snprintf(f->rule, sizeof f->rule, "%.*s", (int)length, rule);
}

/* error[E0308] */
static bool is_cargo(const char *message, finding *f) {
  static const char mark[] = "error[E";
  const char *at = strstr(message, mark);
  if (!at) return false;
  const char *code = at + sizeof mark - 2;
  size_t digits = strspn(code + 1, "0123456789");
  if (digits != 4 || code[5] != ']') return false;
  keep(f, "cargo", code, 5);
  return true;
}

/* One to four capitals and three or four digits, as a word. */
static bool is_ruff(const char *message, finding *f) {
  for (const char *at = message; *at; at++) {
    if (at > message && is_word(at[-1])) continue;
    size_t capitals = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), digits = strspn(at + capitals, "0123456789");
    if (capitals < 1 || capitals > 4 || digits < 3 || digits > 4 || is_word(at[capitals + digits])) continue;
    keep(f, "ruff", at, capitals + digits);
    return true;
  }
  return false;
}

/* The last [code] of lower-case letters, digits and dashes; pyright's have capitals. */
static bool is_typed(const char *job, const char *message, finding *f) {
  const char *open = strrchr(message, '[');
  size_t length = open ? strspn(open + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") : 0;
  if (!length || open[1 + length] != ']') return false;
  keep(f, names(job, "pyright") ? "pyright" : "mypy", open + 1, length);
  return true;
}

static bool is_pytest(const char *job, const char *message) {
  return names(job, "pytest") || names(message, "pytest") || strstr(message, ".py::") || strncmp(message, "FAILED ", 7) == 0;
}

finding finding_of(const char *job, const char *message) {
  finding f = {0};
  if (is_cargo(message, &f)) return f;
  if ((names(job, "ruff") || names(job, "lint")) && is_ruff(message, &f)) return f;
  if ((names(job, "type") || names(job, "mypy") || names(job, "pyright")) && is_typed(job, message, &f)) return f;
  if (is_pytest(job, message)) f.tool = "pytest";
  return f;
}
