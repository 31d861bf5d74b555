/* arena.c - an arena is a list of chunks; the first is filled from its start to its end.
**
** Some large chunks are kept for the next arena of whatever thread: the system clears each page that it gives, which takes longer
** than what a search, say, does with it.
**
** Under AddressSanitizer, what was not handed out is marked unusable, so that a write past the end
** of one piece is found although the next piece lies in the same chunk. */
#include "base/arena.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WITH_ADDRESS_SANITIZER
#endif

#ifdef WITH_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#endif

struct st_chunk {
  st_chunk *next;
  size_t size; /* bytes after the header */
  size_t at;   /* of those, handed out */
};

#define ALIGNMENT alignof(max_align_t)
#define ROUND_UP(size) (((size) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)
#define HEADER ROUND_UP(sizeof(st_chunk))
#define ORDINARY (64 * 1024 - HEADER)

bool (*st_arena_fails)(void) = NULL;

static char *data_of(st_chunk *chunk) {
  return (char *)chunk + HEADER;
}

static void empty_chunk(st_chunk *chunk) {
  chunk->at = 0;
  ASAN_POISON_MEMORY_REGION(data_of(chunk), chunk->size);
}

/* ---- Spare chunks ---- */

#define SPARES 4 /* of these sizes; whichever are the largest */
#define SPARE_MIN ((size_t)256 << 10)
#define SPARE_MAX ((size_t)4 << 20)

static st_chunk *spares[SPARES];
static pthread_mutex_t spares_lock = PTHREAD_MUTEX_INITIALIZER;

/* The smallest that has room, unless it has far too much; NULL: none.  Nobody waits for another: after a fork that could be for ever.
** A test that makes allocations fail counts all of them. */
static st_chunk *take_spare(size_t size) {
  st_chunk **best = NULL, *taken = NULL;
  if (size < SPARE_MIN || size > SPARE_MAX || st_alloc_fails || pthread_mutex_trylock(&spares_lock) != 0) return NULL;
  for (int i = 0; i < SPARES; i++) {
    const st_chunk *spare = spares[i];
    if (spare && spare->size >= size && spare->size / 4 <= size && (!best || spare->size < (*best)->size)) best = &spares[i];
  }
  if (best) {
    taken = *best;
    *best = NULL;
  }
  pthread_mutex_unlock(&spares_lock);
  return taken;
}

/* Keep a chunk in the place of a smaller one or of none.  The one that is to be freed, if any. */
static st_chunk *put_spare(st_chunk *chunk) {
  if (chunk->size < SPARE_MIN || chunk->size > SPARE_MAX || pthread_mutex_trylock(&spares_lock) != 0) return chunk;
  int least = 0;
  for (int i = 1; i < SPARES; i++)
    if (spares[least] && (!spares[i] || spares[i]->size < spares[least]->size)) least = i;
  if (!spares[least] || spares[least]->size < chunk->size) {
    st_chunk *other = spares[least];
    spares[least] = chunk;
    chunk = other;
  }
  pthread_mutex_unlock(&spares_lock);
  return chunk;
}

static void free_chunk(st_chunk *chunk) {
  empty_chunk(chunk);
  chunk = put_spare(chunk);
  if (!chunk) return;
  ASAN_UNPOISON_MEMORY_REGION(data_of(chunk), chunk->size);
  st_free(chunk);
}

/* ---- Arenas ---- */

void st_arena_init(st_arena *arena, size_t max) {
  *arena = (st_arena){0};
  /* Sizes are counted rounded up, so that many tiny pieces are bounded too. */
  arena->max = max > SIZE_MAX - ALIGNMENT ? SIZE_MAX / ALIGNMENT * ALIGNMENT : ROUND_UP(max);
}

/* A chunk with room for size bytes.  A large piece gets its own, behind the one being filled, whose
** rest would otherwise be lost. */
static st_chunk *add_chunk(st_arena *arena, size_t size) {
  bool large = size > ORDINARY / 4;
  if (size > SIZE_MAX - HEADER) return NULL;
  size_t room = large ? size : ORDINARY;
  st_chunk *chunk = take_spare(room);
  if (!chunk) {
    chunk = st_alloc(HEADER + room);
    if (!chunk) return NULL;
    chunk->size = room;
  }
  empty_chunk(chunk);
  st_chunk **place = large && arena->chunks ? &arena->chunks->next : &arena->chunks;
  chunk->next = *place;
  *place = chunk;
  return chunk;
}

void *st_arena_alloc(st_arena *arena, size_t size) {
  if (size > arena->max - arena->used || (st_arena_fails && st_arena_fails())) return NULL;
  size_t rounded = size ? ROUND_UP(size) : ALIGNMENT;
  if (rounded > arena->max - arena->used) return NULL;
  st_chunk *chunk = arena->chunks;
  if (!chunk || rounded > chunk->size - chunk->at) chunk = add_chunk(arena, rounded);
  if (!chunk) return NULL;
  void *piece = data_of(chunk) + chunk->at;
  chunk->at += rounded;
  arena->used += rounded;
  ASAN_UNPOISON_MEMORY_REGION(piece, size);
  return piece;
}

void *st_arena_zero(st_arena *arena, size_t size) {
  void *piece = st_arena_alloc(arena, size);
  if (piece) memset(piece, 0, size);
  return piece;
}

char *st_arena_copy(st_arena *arena, const void *bytes, size_t length) {
  if (length == SIZE_MAX) return NULL;
  char *copy = st_arena_alloc(arena, length + 1);
  if (!copy) return NULL;
  if (length) memcpy(copy, bytes, length);
  copy[length] = '\0';
  return copy;
}

void st_arena_reset(st_arena *arena) {
  st_chunk *kept = NULL;
  st_chunk *next;
  for (st_chunk *chunk = arena->chunks; chunk; chunk = next) {
    next = chunk->next;
    if (!kept && chunk->size == ORDINARY) kept = chunk;
    else free_chunk(chunk);
  }
  if (kept) {
    kept->next = NULL;
    empty_chunk(kept);
  }
  arena->chunks = kept;
  arena->used = 0;
}

void st_arena_free(st_arena *arena) {
  st_arena_reset(arena);
  if (arena->chunks) free_chunk(arena->chunks);
  arena->chunks = NULL;
}
