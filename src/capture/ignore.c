/* ignore.c - see ignore.h. */
#include "capture/ignore.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_below(const char *path, const char *directory) {
  size_t length = strlen(directory);
  while (length > 1 && directory[length - 1] == '/') length--;
  return length > 0 && strncmp(path, directory, length) == 0 &&
         (path[length] == '\0' || path[length] == '/' || directory[length - 1] == '/');
}

bool st_ignore_path(const st_ignore *ignore, const char *path) {
  for (const char *const *at = ignore->list; at && *at; at++) {
    if (is_below(path, *at)) return true;
    if (strchr(*at, '*') && (fnmatch(*at, path, 0) == 0 || fnmatch(*at, path, FNM_LEADING_DIR) == 0)) return true;
  }
  return false;
}

bool st_ignore_marked(const char *directory) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/%s", directory, ST_IGNORE_FILE);
  return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

static bool marked_above(char *directory) {
  for (;;) {
    if (st_ignore_marked(directory)) return true;
    char *slash = strrchr(directory, '/');
    if (!slash || slash == directory) return false;
    *slash = '\0';
  }
}

bool st_ignore_project(st_ignore *ignore, st_text cwd) {
  char above[PATH_MAX];
  if (cwd.length == 0 || cwd.length >= sizeof ignore->last || memchr(cwd.bytes, '\0', cwd.length)) return false;
  if (strlen(ignore->last) == cwd.length && memcmp(ignore->last, cwd.bytes, cwd.length) == 0) return ignore->last_answer;
  memcpy(ignore->last, cwd.bytes, cwd.length);
  ignore->last[cwd.length] = '\0';
  memcpy(above, ignore->last, cwd.length + 1);
  ignore->last_answer = st_ignore_path(ignore, ignore->last) || (*above == '/' && marked_above(above));
  return ignore->last_answer;
}
