/* fuzz_fernet.c - any bytes as a token and as keys; what was encrypted comes back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fernet.h"
#include "fuzz/target.h"

static void check_keys(const uint8_t *data, size_t size) {
  st_fernet_keys keys;
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  text[size] = '\0';
  size_t wrong = st_fernet_keys_read(&keys, text);
  if ((wrong == 0) != (keys.count > 0) || wrong > ST_FERNET_KEYS + 1) abort();
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  st_fernet_keys keys = {.count = 2, .keys = {{1}, {2}}};
  st_fernet_text text;
  st_arena arena;
  char *token = NULL;
  st_arena_init(&arena, 1 << 22);
  check_keys(data, size);
  st_fernet_status status = st_fernet_decrypt(&keys, &arena, (const char *)data, size, &text);
  if (status == ST_FERNET_FAILED || (status == ST_FERNET_DONE && text.bytes[text.length] != '\0')) abort();
  if (st_fernet_encrypt(&keys, &arena, data, size, NULL, &token) != ST_FERNET_DONE ||
      st_fernet_decrypt(&keys, &arena, token, strlen(token), &text) != ST_FERNET_DONE || text.length != size ||
      memcmp(text.bytes, data, size) != 0)
    abort();
  st_arena_free(&arena);
  return 0;
}
