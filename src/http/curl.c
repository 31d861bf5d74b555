/* curl.c - see curl.h. */
#include "http/curl.h"

#include <pthread.h>
#include <stdio.h>

#include "base/library.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static st_curl functions;
static char lacks[300];

static void load(void) {
  static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib", NULL};
  static const st_library_function wanted[] = {
#define ST_CURL_X(name) {"curl_" #name, &functions.name},
      ST_CURL_FUNCTIONS(ST_CURL_X)
      ST_CURL_X(easy_setopt)
      ST_CURL_X(easy_getinfo)
#undef ST_CURL_X
  };
  char why[200];
  if (!st_library_load(names, wanted, sizeof wanted / sizeof *wanted, why, sizeof why))
    snprintf(lacks, sizeof lacks, "libcurl is not there (Debian: apt-get install libcurl4): %s", why);
  else if (functions.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    snprintf(lacks, sizeof lacks, "libcurl does not start");
}

const char *st_curl_lacks(void) {
  pthread_once(&once, load);
  return lacks[0] ? lacks : NULL;
}

const st_curl *st_curl_load(void) {
  return st_curl_lacks() ? NULL : &functions;
}
