/* library.c - see library.h. */
#include "base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* What the loader says has the library's name in front. */
static bool fail(char *why, size_t size) {
  const char *said = dlerror();
  snprintf(why, size, "%s", said ? said : "it cannot be loaded");
  return false;
}

bool st_library_load(const char *const *names, const st_library_function *functions, size_t count, char *why, size_t size) {
  void *library = NULL;
  why[0] = '\0';
  for (; !library && *names; names++) {
    library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (!library && !why[0]) fail(why, size); /* of several names the first is the usual one */
  }
  if (!library) return false;
  for (size_t i = 0; i < count; i++) {
    void *address = dlsym(library, functions[i].name);
    if (!address) return fail(why, size);
    /* A pointer to data is no pointer to a function, to the letter of the standard; POSIX makes them the same. */
    memcpy(functions[i].pointer, &address, sizeof address);
  }
  return true;
}
