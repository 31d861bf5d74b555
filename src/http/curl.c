/* curl.c - see curl.h. */
#include "http/curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static st_curl functions;
static bool loaded;

/* A pointer to data is no pointer to a function, to the letter of the standard; POSIX makes them the same. */
static bool find(void *library, const char *name, void *function, size_t size) {
  void *address = dlsym(library, name);
  memcpy(function, &address, size);
  return address != NULL;
}

static void load(void) {
  static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib"};
  void *library = NULL;
  for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  bool all = true;
#define ST_CURL_X(name) all = find(library, "curl_" #name, &functions.name, sizeof functions.name) && all;
  ST_CURL_FUNCTIONS(ST_CURL_X)
  ST_CURL_X(easy_setopt)
  ST_CURL_X(easy_getinfo)
#undef ST_CURL_X
  loaded = all && functions.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const st_curl *st_curl_load(void) {
  pthread_once(&once, load);
  return loaded ? &functions : NULL;
}
