/* walk.c - see walk.h. */
#include "capture/walk.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/utf8.h"

typedef struct names {
  char **list;
  size_t count, room;
} names;

static bool add_name(names *all, const char *name) {
  if (all->count == all->room) {
    size_t room = all->room ? all->room * 2 : 32;
    char **list = st_realloc(all->list, room * sizeof *list);
    if (!list) return false;
    all->list = list;
    all->room = room;
  }
  char *copy = st_strdup(name);
  if (!copy) return false;
  all->list[all->count++] = copy;
  return true;
}

static void free_names(names *all) {
  for (size_t i = 0; i < all->count; i++) st_free(all->list[i]);
  st_free(all->list);
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool out_of_memory(st_walk *walk) {
  walk->nomem = true;
  return false;
}

/* What is in a directory, sorted; a directory that cannot be read is empty. */
static bool list(st_walk *walk, const char *path, names *all) {
  DIR *directory = opendir(path);
  struct dirent *entry;
  bool ok = true;
  while (directory && ok && (entry = readdir(directory)) != NULL)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
        st_utf8_valid(entry->d_name, strlen(entry->d_name)))
      ok = add_name(all, entry->d_name);
  if (directory) closedir(directory);
  if (!ok) return out_of_memory(walk);
  if (all->count) qsort(all->list, all->count, sizeof *all->list, compare);
  return true;
}

static bool visit(st_walk *walk, char *path, size_t root);

static bool visit_directory(st_walk *walk, char *path, size_t root, const struct stat *found) {
  uint64_t identity[2] = {(uint64_t)found->st_dev, (uint64_t)found->st_ino};
  names all = {0};
  size_t length = strlen(path);
  bool ok = true, added = false;
  if (st_ignore_marked(path)) {
    walk->ignored++;
    return true;
  }
  if (!st_numbers_add(&walk->seen, st_hash64(0, identity, sizeof identity), &added)) return out_of_memory(walk);
  if (!added) return true;
  if (walk->directory && !walk->directory(walk->user, path)) return false;
  ok = list(walk, path, &all);
  for (size_t i = 0; ok && i < all.count; i++) {
    if (length + strlen(all.list[i]) + 2 > PATH_MAX) continue; /* nobody could open it by that name */
    snprintf(path + length, PATH_MAX - length, "%s%s", path[length - 1] == '/' ? "" : "/", all.list[i]);
    ok = visit(walk, path, root);
    path[length] = '\0';
  }
  free_names(&all);
  return ok;
}

/* path has room for PATH_MAX bytes. */
static bool visit(st_walk *walk, char *path, size_t root) {
  struct stat found;
  if (st_ignore_path(walk->ignore, path)) {
    walk->ignored++;
    return true;
  }
  if (stat(path, &found) != 0) return true; /* gone, or a link to nowhere */
  if (S_ISDIR(found.st_mode)) return visit_directory(walk, path, root, &found);
  return !S_ISREG(found.st_mode) || walk->file(walk->user, path, root, &found);
}

bool st_walk_path(st_walk *walk, const char *path, size_t root) {
  char room[PATH_MAX];
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  if (length >= sizeof room) return true;
  memcpy(room, path, length);
  room[length] = '\0';
  return visit(walk, room, root ? root : length);
}

void st_walk_free(st_walk *walk) { st_numbers_free(&walk->seen); }
