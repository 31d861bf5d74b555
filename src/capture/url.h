/* url.h - the address of a page, without what should not be kept of it.
**
** User and password before the host go, and so does every parameter whose name is on a list, in the query and behind
** the #, where logins put their tokens too.  A parameter also goes if another address is its value and has such a
** parameter.  All else stays byte for byte.  Only http and https are addresses of pages. */
#ifndef ST_URL_H
#define ST_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef enum st_url_state {
  ST_URL_GOOD,
  ST_URL_OTHER, /* not http nor https */
  ST_URL_BAD,   /* no host, or characters that no address has */
  ST_URL_NOMEM
} st_url_state;

typedef struct st_url {
  const char *text; /* without secrets; NUL-terminated, as the others are */
  size_t length;
  const char *host; /* in small letters, without port and final dot */
  const char *path; /* as it stands in the text; "" if there is none */
  const char *query; /* what follows the first ?, up to the # */
} st_url;

/* Clean an address.  `secret`: names of parameters, ends with NULL; capitals do not count.  All texts are in the arena. */
st_url_state st_url_clean(st_arena *arena, const char *text, size_t length, const char *const *secret, st_url *out);

/* The value of the first parameter of that name, decoded; NULL: there is none, or no memory. */
const char *st_url_parameter(st_arena *arena, const char *query, const char *name);

/* Is the host one of the domains (ends with NULL), or below one?  Capitals do not count. */
bool st_url_within(const char *host, const char *const *domains);

#endif
