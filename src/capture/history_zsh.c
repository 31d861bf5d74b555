/* history_zsh.c - zsh: ": 1700000000:5;command" (or the command alone); a backslash at a line's end means that the command goes on.
**
** Some bytes are written as 0x83 and the byte with its sixth bit turned, because zsh uses them for itself. */
#include <stdlib.h>

#include "capture/history.h"

#define META 0x83
#define COMMAND_MAX (8u << 20)

static size_t unmetafy(char *text, size_t length) {
  size_t to = 0;
  for (size_t from = 0; from < length; from++) {
    bool meta = (unsigned char)text[from] == META && from + 1 < length;
    text[to++] = meta ? (char)(text[++from] ^ 32) : text[from];
  }
  return to;
}

/* ": 1700000000:5;" before the command; false: there is no such thing. */
static bool read_times(st_text *command, st_past *past) {
  long long began, took;
  int length = 0;
  if (sscanf(command->bytes, ": %lld:%lld;%n", &began, &took, &length) != 2 || !length) return false;
  past->when_ms = began * 1000;
  past->duration_ms = took * 1000;
  command->bytes += length;
  command->length -= (size_t)length;
  return true;
}

static bool tell(st_history *history, st_str *entry) {
  st_past past = {0};
  st_text command = {entry->text, unmetafy(entry->text, entry->length)};
  entry->text[command.length] = '\0';
  read_times(&command, &past);
  past.command = command;
  bool good = command.length == 0 || st_history_tell(history, &past);
  st_str_clear(entry);
  return good;
}

void st_history_zsh(st_history *history, st_call *call, const char *path) {
  FILE *file = st_history_open(call, path);
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  st_str entry;
  st_str_init(&entry, COMMAND_MAX);
  while (file && (length = getline(&line, &room, file)) >= 0) {
    if (length > 0 && line[length - 1] == '\n') length--;
    bool goes_on = length > 0 && line[length - 1] == '\\';
    st_str_add(&entry, line, (size_t)length - goes_on);
    if (goes_on) st_str_addc(&entry, '\n');
    if (entry.failed) {
      st_str_free(&entry); /* nobody typed that: it is left out */
      st_str_init(&entry, COMMAND_MAX);
    } else if (!goes_on && entry.length && !tell(history, &entry)) {
      break;
    }
  }
  if (file) fclose(file);
  free(line);
  st_str_free(&entry);
}
