/* lower.h - a text in lower case, as it is written: ΟΔΟΣ is οδος, Straße is straße. */
#ifndef ST_LOWER_H
#define ST_LOWER_H

#include "base/str.h"

/* Append the text in lower case.  Bytes that are no character stay. */
void st_lower(st_str *out, const char *text, size_t length);

#endif
