/* find_errors.c - what went wrong, by classes, codes and well-known sentences. */
#include <stdio.h>

#include "enrich/find.h"
#include "enrich/letters.h"

enum { LINE_MAX_READ = 400, LINES_MAX = 400 }; /* bytes of a line, and lines of a text, that are looked at */

/* Sentences that mean the same whoever says them; in small letters. */
static const char *const SENTENCES[] = {
    "address already in use", "assertion failed",         "authentication failed",     "broken pipe",
    "certificate verify failed", "command not found",     "connection refused",        "connection reset by peer",
    "connection timed out",   "could not resolve host",   "deadlock detected",         "device or resource busy",
    "host key verification failed", "merge conflict",     "no space left on device",   "no such file or directory",
    "non-fast-forward",       "operation not permitted",  "out of memory",             "permission denied",
    "segmentation fault",     "syntax error",             "too many open files",       "undefined reference",
    "undefined symbol",
};

static const char ERRNO[] =
    " EACCES EADDRINUSE EADDRNOTAVAIL EAGAIN EBADF EBUSY ECONNABORTED ECONNREFUSED ECONNRESET EEXIST EFAULT EHOSTUNREACH EINVAL EIO "
    "EISDIR EMFILE ENETUNREACH ENOENT ENOMEM ENOSPC ENOTCONN ENOTDIR ENOTEMPTY ENOTFOUND EPERM EPIPE ERESOLVE EROFS ETIMEDOUT EXDEV "
    "CrashLoopBackOff ImagePullBackOff ErrImagePull OOMKilled CreateContainerConfigError ";

static const char SIGNALS[] = " SIGABRT SIGBUS SIGFPE SIGHUP SIGILL SIGKILL SIGPIPE SIGQUIT SIGSEGV SIGSYS SIGTERM SIGTRAP ";

/* ---- Words ---- */

static bool is_part(char c) { return st_is_alnum(c) || c == '_'; }

/* CamelCase that ends in Error or Exception, and is more than that. */
static bool is_class(st_text word) {
  static const char *const ends[] = {"Error", "Exception"};
  bool small = false;
  for (size_t i = 0; i < word.length; i++) small = small || st_is_lower(word.bytes[i]);
  if (word.length < 6 || !st_is_upper(word.bytes[0]) || !small) return false;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (st_text_ends(word, ends[i]) && word.length > strlen(ends[i])) return true;
  return st_text_is(word, "KeyboardInterrupt") || st_text_is(word, "StopIteration");
}

static bool is_coded(st_text word, const char *letters, size_t least, size_t most) {
  size_t length = strlen(letters), digits = word.length - length;
  if (!st_text_begins(word, letters) || digits < least || digits > most) return false;
  for (size_t i = length; i < word.length; i++)
    if (!st_is_digit(word.bytes[i])) return false;
  return true;
}

/* Codes that are those of one program only, wherever they stand. */
static bool is_known_code(st_text word) {
  return is_coded(word, "TS", 4, 5) || is_coded(word, "SC", 4, 4) || is_coded(word, "CS", 4, 4) || is_coded(word, "LNK", 4, 4) ||
         st_text_listed(word, ERRNO) || st_text_listed(word, SIGNALS) || (st_text_begins(word, "ERR_") && word.length > 6);
}

/* Codes that need a word before them: error[E0425], error C2065, a.py:3:1: F401. */
static bool is_placed_code(st_text line, size_t at, st_text word) {
  if (is_coded(word, "E", 4, 4) && at > 0 && line.bytes[at - 1] == '[') return true;
  if (is_coded(word, "C", 4, 4) && at >= 6 && memcmp(line.bytes + at - 6, "error ", 6) == 0) return true;
  bool lint = is_coded(word, "F", 3, 3) || is_coded(word, "E", 3, 3) || is_coded(word, "W", 3, 3) || is_coded(word, "B", 3, 3) ||
              is_coded(word, "I", 3, 3) || is_coded(word, "PLR", 4, 4) || is_coded(word, "UP", 3, 3);
  return lint && at >= 3 && line.bytes[at - 1] == ' ' && line.bytes[at - 2] == ':' && st_is_digit(line.bytes[at - 3]);
}

/* CVE-2024-3094, ORA-00942: a dash belongs to them. */
static size_t dashed(st_text line, size_t at, size_t end) {
  st_text word = {line.bytes + at, end - at};
  if (!st_text_is(word, "CVE") && !st_text_is(word, "ORA")) return end;
  size_t to = end;
  while (to < line.length && (line.bytes[to] == '-' || st_is_digit(line.bytes[to]))) to++;
  return to - end >= 5 ? to : end;
}

/* Of a line that does not come from a failure: only what stands at its start, as whoever reports an error puts it. */
static bool reports(st_text line, size_t at, size_t end) {
  if (end < line.length && line.bytes[end] != ':') return false;
  st_text before = st_text_trim((st_text){line.bytes, at});
  while (before.length && (before.bytes[before.length - 1] == '.' || is_part(before.bytes[before.length - 1]))) before.length--;
  before = st_text_trim(before); /* java.lang. */
  return before.length == 0 || st_text_is(before, "E") || st_text_ends(before, "Uncaught") || st_text_ends(before, "Caused by:") ||
         st_text_ends(before, "[ERROR]");
}

static bool find_in_line(st_names *names, st_text line, st_trust trust) {
  bool found = false;
  for (size_t at = 0; at < line.length;) {
    size_t end = at;
    while (end < line.length && is_part(line.bytes[end])) end++;
    if (end == at) {
      at++;
      continue;
    }
    st_text word = {line.bytes + at, dashed(line, at, end) - at};
    bool is = (is_class(word) && (trust != ST_TRUST_STRONG || reports(line, at, end))) || word.length > end - at ||
              (trust != ST_TRUST_STRONG && is_known_code(word)) || is_placed_code(line, at, word);
    if (is) st_names_add(names, ST_NAME_ERROR, word);
    found = found || is;
    at += word.length;
  }
  return found;
}

/* ---- Sentences ---- */

static bool find_sentences(st_names *names, st_text line) {
  char small[LINE_MAX_READ];
  size_t length = line.length < sizeof small ? line.length : sizeof small;
  for (size_t i = 0; i < length; i++) small[i] = (char)(st_is_upper(line.bytes[i]) ? line.bytes[i] + 32 : line.bytes[i]);
  bool found = false;
  for (size_t i = 0; i < sizeof SENTENCES / sizeof *SENTENCES; i++) {
    if (!memmem(small, length, SENTENCES[i], strlen(SENTENCES[i]))) continue;
    st_names_add(names, ST_NAME_ERROR, st_text_of(SENTENCES[i]));
    found = true;
  }
  if (st_text_begins(line, "CONFLICT (")) st_names_add(names, ST_NAME_ERROR, st_text_of("merge conflict"));
  return found || st_text_begins(line, "CONFLICT (");
}

/* A line that says itself that it is an error. */
static bool is_headed(st_text line) {
  static const char *const heads[] = {"error", "Error", "ERROR", "fatal:", "FATAL", "FAILED", "E   ", "npm ERR!", "npm error", "panic:",
                                      "make: ***", "--- FAIL", "failed to", "Failed to", "not ok", "CONFLICT ("};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    if (st_text_begins(line, heads[i])) return true;
  return st_text_has(line, ": error:") || st_text_has(line, ": error[") || st_text_has(line, "panicked at");
}

/* ---- A text ---- */

st_text st_find_errors(st_names *names, st_text text, st_trust trust) {
  st_text line, telling = {"", 0};
  int best = 0;
  for (int lines = 0; lines < LINES_MAX && st_text_line(&text, &line); lines++) {
    line = st_text_trim(line);
    if (line.length > LINE_MAX_READ) line.length = LINE_MAX_READ;
    int weight = find_in_line(names, line, trust) ? 2 : 0;
    if (trust != ST_TRUST_STRONG && find_sentences(names, line)) weight++;
    if (trust != ST_TRUST_PROSE && is_headed(line)) weight += 2;
    if (weight > best) telling = line, best = weight;
  }
  return telling;
}

void st_find_exit(st_names *names, int64_t status) {
  static const struct {
    int64_t status;
    const char *name;
  } known[] = {{127, "command not found"}, {134, "SIGABRT"}, {136, "SIGFPE"}, {137, "SIGKILL"}, {139, "SIGSEGV"}, {143, "SIGTERM"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].status == status) st_names_add(names, ST_NAME_ERROR, st_text_of(known[i].name));
}
