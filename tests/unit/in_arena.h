/* in_arena.h - an arena for each test of a file, gone after it; cmocka.h and what it needs come before. */
#ifndef IN_ARENA_H
#define IN_ARENA_H

#include "base/arena.h"

static st_arena arena;

static int set_up(void **state) {
  (void)state;
  st_arena_init(&arena, 64 * 1024 * 1024);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  st_arena_free(&arena);
  return 0;
}

#endif
