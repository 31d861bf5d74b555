/* input.c - see input.h. */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

static char *read_all(int fd, size_t most, size_t *length, int *error) {
  size_t room = 1 << 16;
  char *text = text_need(malloc(room + 1));
  ssize_t got;
  *length = 0;
  while ((got = read(fd, text + *length, room - *length)) > 0 || (got < 0 && errno == EINTR)) {
    *length += got > 0 ? (size_t)got : 0;
    if (*length < room) continue;
    if (*length > most) break;
    room = room * 2 < most ? room * 2 : most + 1; /* that one byte tells that there is more */
    text = text_need(realloc(text, room + 1));
  }
  *error = got < 0 ? errno : 0;
  text[*length] = '\0';
  return text;
}

char *input_read(output *out, const char *path, size_t most, int *status) {
  const char *name = path ? path : "standard input";
  size_t length = 0;
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO, error = errno;
  char *text = fd >= 0 ? read_all(fd, most, &length, &error) : NULL;
  if (path && fd >= 0) close(fd);
  *status = 0;
  if (!text || error) {
    char *message = text_format("%s cannot be read", name);
    *status = out_failure(out, &(stele_failure){STELE_IO, "", "", message, strerror(error)});
    free(message);
  } else if (length > most) {
    *status = out_bad(out, "send it in several calls", "%s holds more than %zu MiB", name, most >> 20);
  } else if (strlen(text) < length) {
    *status = out_bad(out, NULL, "%s is not a text: it holds a NUL byte", name);
  }
  if (!*status) return text;
  free(text);
  return NULL;
}
