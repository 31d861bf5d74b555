/* history_fish.c - fish: "- cmd: text" with \\ and \n in it, then "  when: 1700000000" and perhaps paths, which are not read. */
#include <stdlib.h>

#include "capture/history.h"

static size_t unescape(char *text, size_t length) {
  size_t to = 0;
  for (size_t from = 0; from < length; from++) {
    bool escaped = text[from] == '\\' && from + 1 < length && (text[from + 1] == 'n' || text[from + 1] == '\\');
    if (escaped) from++;
    text[to++] = escaped && text[from] == 'n' ? '\n' : text[from];
  }
  return to;
}

/* The command that was begun, if there is one. */
static bool tell(st_history *history, char **command, size_t length, int64_t when_ms) {
  st_past past = {.command = {*command, length}, .when_ms = when_ms};
  bool good = !*command || !length || st_history_tell(history, &past);
  free(*command);
  *command = NULL;
  return good;
}

void st_history_fish(st_history *history, st_call *call, const char *path) {
  static const char CMD[] = "- cmd: ", WHEN[] = "  when: ";
  FILE *file = st_history_open(call, path);
  char *line = NULL, *command = NULL;
  size_t room = 0, length = 0;
  ssize_t got;
  int64_t when = 0;
  bool good = true;
  while (file && good && (got = getline(&line, &room, file)) >= 0) {
    if (got > 0 && line[got - 1] == '\n') line[--got] = '\0';
    if (strncmp(line, WHEN, strlen(WHEN)) == 0) when = strtoll(line + strlen(WHEN), NULL, 10) * 1000;
    if (strncmp(line, CMD, strlen(CMD)) != 0) continue;
    good = tell(history, &command, length, when);
    length = unescape(line + strlen(CMD), (size_t)got - strlen(CMD));
    command = strndup(line + strlen(CMD), length);
    when = 0;
    if (!command) st_fail(call, STELE_NOMEM, NULL, "out of memory");
    good = good && command;
  }
  if (good) tell(history, &command, length, when);
  free(command);
  free(line);
  if (file) fclose(file);
}
