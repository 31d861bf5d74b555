/* fuzz_url.c - any bytes as an address: what is kept is an address too, not longer, has nothing more to be taken out, and
** has a host in small letters. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/url.h"
#include "fuzz/target.h"

static const char *const SECRET[] = {"token", "key", "a", NULL};

static int has_capital(const char *host) {
  while (*host && (*host < 'A' || *host > 'Z')) host++;
  return *host != '\0';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  st_arena arena;
  st_url once, twice;
  if (size > 10000) return 0;
  st_arena_init(&arena, (size_t)1 << 24);
  if (st_url_clean(&arena, (const char *)data, size, SECRET, &once) == ST_URL_GOOD) {
    must(once.length <= size && strlen(once.text) == once.length, "it grew");
    must(*once.host && !has_capital(once.host), "the host");
    must(st_url_clean(&arena, once.text, once.length, SECRET, &twice) == ST_URL_GOOD, "what is kept is no address");
    must(strcmp(twice.text, once.text) == 0 && strcmp(twice.host, once.host) == 0, "changed again the second time");
    must(!st_url_parameter(&arena, once.query, "token"), "a secret stayed");
    must(st_url_within(once.host, (const char *const[]){once.host, NULL}), "not within itself");
  }
  st_arena_free(&arena);
  return 0;
}
