/* fault_alloc.c - allocations that fail: the library's own and SQLite's, counted together. */
#include <sqlite3.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "fault/fault.h"

static sqlite3_mem_methods real;

static void *fault_malloc(int size) { return fault_due(FAULT_ALLOC, "SQLite's malloc") ? NULL : real.xMalloc(size); }

static void *fault_realloc(void *old, int size) {
  return fault_due(FAULT_ALLOC, "SQLite's realloc") ? NULL : real.xRealloc(old, size);
}

static bool library_fails(void) { return fault_due(FAULT_ALLOC, "st_alloc"); }
static bool arena_fails(void) { return fault_due(FAULT_ARENA, "st_arena_alloc"); }

bool fault_alloc_install(void) {
  sqlite3_mem_methods methods;
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK) return false;
  methods = real;
  methods.xMalloc = fault_malloc;
  methods.xRealloc = fault_realloc;
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK) return false;
  st_alloc_fails = library_fails;
  st_arena_fails = arena_fails;
  return true;
}
