/* open_elsewhere.c - see open_elsewhere.h. */
#include "engine/open_elsewhere.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a process of another user the list cannot be read: it has nothing of ours open, for the home is its owner's. */
static bool has_open(long process, const struct stat *wanted) {
  char path[64];
  bool found = false;
  snprintf(path, sizeof path, "/proc/%ld/fd", process);
  DIR *list = opendir(path);
  for (struct dirent *entry; list && !found && (entry = readdir(list)) != NULL;) {
    struct stat about;
    found = entry->d_name[0] != '.' && fstatat(dirfd(list), entry->d_name, &about, 0) == 0 && about.st_dev == wanted->st_dev &&
            about.st_ino == wanted->st_ino;
  }
  if (list) closedir(list);
  return found;
}

long st_open_elsewhere(const char *path) {
  struct stat wanted;
  long found = 0;
  DIR *list = stat(path, &wanted) == 0 ? opendir("/proc") : NULL;
  for (struct dirent *entry; list && !found && (entry = readdir(list)) != NULL;) {
    char *end;
    long process = strtol(entry->d_name, &end, 10);
    if (*end == '\0' && process > 0 && process != (long)getpid() && has_open(process, &wanted)) found = process;
  }
  if (list) closedir(list);
  return found;
}
