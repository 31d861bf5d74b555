/* curl.h - libcurl, loaded when it is first needed: it brings some thirty libraries along, and most who use Stele
** never ask anything over the network. */
#ifndef ST_CURL_H
#define ST_CURL_H

#include <curl/curl.h>

/* What of it is used. */
#define ST_CURL_FUNCTIONS(X) \
  X(global_init)             \
  X(easy_init)               \
  X(easy_cleanup)            \
  X(easy_reset)              \
  X(easy_perform)            \
  X(easy_strerror)           \
  X(slist_append)            \
  X(slist_free_all)          \
  X(url)                     \
  X(url_cleanup)             \
  X(url_set)                 \
  X(url_get)                 \
  X(free)

/* curl->easy_init() is curl_easy_init(). */
typedef struct st_curl {
#define ST_CURL_X(name) __typeof__(&curl_##name) name;
  ST_CURL_FUNCTIONS(ST_CURL_X)
#undef ST_CURL_X
  CURLcode (*easy_setopt)(CURL *curl, CURLoption option, ...); /* macros in the header, which check types */
  CURLcode (*easy_getinfo)(CURL *curl, CURLINFO info, ...);
} st_curl;

/* NULL: it is not installed, or does not start. */
const st_curl *st_curl_load(void);

/* NULL: it is there.  Otherwise why not, and what to do about it. */
const char *st_curl_lacks(void);

#endif
