/* lower.h - a text in small letters, nothing else of it changed. */
#ifndef ST_LOWER_H
#define ST_LOWER_H

#include <stddef.h>

#include "base/str.h"

/* Append the small letters of a text, as Unicode maps characters one by one (É: é).  Bytes that are no character
** become U+FFFD. */
void st_lower(st_str *out, const char *text, size_t length);

#endif
