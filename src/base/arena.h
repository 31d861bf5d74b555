/* arena.h - memory that is freed all at once: what one call needs, for as long as it runs. */
#ifndef ST_ARENA_H
#define ST_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct st_chunk st_chunk;

typedef struct st_arena {
  st_chunk *chunks; /* the one being filled comes first */
  size_t used;      /* bytes handed out since the last reset */
  size_t max;       /* most bytes it will hand out */
} st_arena;

void st_arena_init(st_arena *arena, size_t max);

/* size bytes, aligned for any type, not zeroed.  NULL: out of memory, or above the maximum. */
void *st_arena_alloc(st_arena *arena, size_t size);
void *st_arena_zero(st_arena *arena, size_t size);

/* A copy of length bytes, with a NUL after them. */
char *st_arena_copy(st_arena *arena, const void *bytes, size_t length);

/* Give everything back; one chunk of ordinary size is kept for the next call. */
void st_arena_reset(st_arena *arena);
void st_arena_free(st_arena *arena);

/* Tests: asked before every piece, though most fit into a chunk that is there; true makes that one fail.  NULL: none fails. */
extern bool (*st_arena_fails)(void);

#endif
