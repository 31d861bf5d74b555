/* library.h - a shared library that is loaded when it is first needed, so that whoever never needs it neither has to
** have it nor waits for it at each start. */
#ifndef ST_LIBRARY_H
#define ST_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* One function of it, and where its address goes: a pointer to a pointer to a function. */
typedef struct st_library_function {
  const char *name;
  void *pointer;
} st_library_function;

/* Load the first of the names (they end with NULL) that is there, and fill all pointers.  It stays loaded until the
** process ends: its threads and what it has asked to be run at exit may outlast any use of ours, and a report of a leak
** needs its symbols.  False: why (never "") is told, and no pointer may be used. */
bool st_library_load(const char *const *names, const st_library_function *functions, size_t count, char *why, size_t size);

#endif
