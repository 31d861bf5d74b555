/* replay.c - plays inputs on a fuzz target, without a fuzzer: replay TARGET FILE...  An input that breaks the target ends the program, and
** its name was told last. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int target_fn(const uint8_t *data, size_t size);

#define TARGET(name) target_fn fuzz_##name;
TARGETS
#undef TARGET

static const struct {
  const char *name;
  target_fn *run;
} targets[] = {
#define TARGET(name) {#name, fuzz_##name},
  TARGETS
#undef TARGET
};
#define COUNT (sizeof targets / sizeof *targets)

static int play(target_fn *run, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return perror(path), 1;
  size_t size = 0, room = 1 << 16;
  uint8_t *bytes = malloc(room);
  for (size_t got; bytes && (got = fread(bytes + size, 1, room - size, file)) > 0;)
    if ((size += got) == room) bytes = realloc(bytes, room *= 2);
  fclose(file);
  if (!bytes) return perror(path), 1;
  uint8_t *exact = realloc(bytes, size ? size : 1); /* so that one byte too many is noticed */
  printf("%s\n", path);
  fflush(stdout);
  run(exact ? exact : bytes, size);
  free(exact ? exact : bytes);
  return 0;
}

int main(int count, char **words) {
  if (count == 1)
    for (size_t i = 0; i < COUNT; i++) printf("%s\n", targets[i].name);
  for (size_t i = 0; count > 1 && i < COUNT; i++) {
    if (strcmp(words[1], targets[i].name) != 0) continue;
    int failed = 0;
    for (int at = 2; at < count; at++) failed |= play(targets[i].run, words[at]);
    return failed;
  }
  return count > 1;
}
