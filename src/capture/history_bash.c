/* history_bash.c - bash: a command per line; with times, "#1700000000" before each, and then a command goes on to the next of these. */
#include <stdlib.h>

#include "capture/history.h"

#define COMMAND_MAX (8u << 20)

/* "#" and digits alone: when the next command ran. */
static bool is_time(const char *line, int64_t *when_ms) {
  char *end = NULL;
  if (line[0] != '#' || line[1] < '0' || line[1] > '9') return false;
  long long seconds = strtoll(line + 1, &end, 10);
  *when_ms = seconds * 1000;
  return *end == '\0';
}

static bool tell(st_history *history, st_str *entry, int64_t when_ms) {
  st_past past = {.command = {entry->text, entry->length}, .when_ms = when_ms};
  bool good = !entry->length || st_history_tell(history, &past);
  st_str_clear(entry);
  return good;
}

void st_history_bash(st_history *history, st_call *call, const char *path) {
  FILE *file = st_history_open(call, path);
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  int64_t when = 0, next;
  bool good = true;
  st_str entry;
  st_str_init(&entry, COMMAND_MAX);
  while (file && good && (length = getline(&line, &room, file)) >= 0) {
    if (length > 0 && line[length - 1] == '\n') line[--length] = '\0';
    bool time = is_time(line, &next);
    if (time || !when) good = tell(history, &entry, when); /* without times a line is a command */
    if (time) {
      when = next;
    } else {
      if (entry.length) st_str_addc(&entry, '\n');
      st_str_add(&entry, line, (size_t)length);
    }
  }
  if (good && !entry.failed) tell(history, &entry, when);
  if (file) fclose(file);
  free(line);
  st_str_free(&entry);
}
