/* ignored.c - see ignored.h. */
#include "ignored.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "places.h"
#include "text.h"

/* Is the path the directory of the pattern, or below it? */
static bool matches(const char *pattern, const char *path) {
  size_t length = strlen(pattern);
  if (strchr(pattern, '*')) return fnmatch(pattern, path, 0) == 0 || fnmatch(pattern, path, FNM_LEADING_DIR) == 0;
  while (length > 1 && pattern[length - 1] == '/') length--;
  return length > 0 && strncmp(path, pattern, length) == 0 && (!path[length] || path[length] == '/' || length == 1);
}

/* One of a list with commas between; ~/ is the user's directory. */
static bool one_matches(const char *pattern, size_t length, const char *path) {
  const char *user = places_user();
  bool own = length > 1 && strncmp(pattern, "~/", 2) == 0 && user;
  char *whole = own ? text_format("%s%.*s", user, (int)length - 1, pattern + 1) : text_format("%.*s", (int)length, pattern);
  bool found = matches(whole, path);
  free(whole);
  return found;
}

static bool is_marked(const char *directory) {
  char *file = text_format("%s/.stele-ignore", directory);
  bool there = access(file, F_OK) == 0;
  free(file);
  return there;
}

static bool marked_above(const char *path) {
  char *directory = text_format("%s", path), *slash = directory + strlen(directory);
  bool found = false;
  while (slash && !found) {
    *slash = '\0';
    found = is_marked(directory);
    slash = strrchr(directory, '/');
  }
  free(directory);
  return found;
}

bool ignored_directory(const settings *s, const char *path) {
  const char *list = settings_get(s, "capture.ignore_directories")->text;
  while (*list) {
    size_t length = strcspn(list, ",");
    if (one_matches(list, length, path)) return true;
    list += length + (list[length] == ',');
  }
  return path[0] == '/' && marked_above(path);
}
