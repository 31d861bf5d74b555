/* base64.h - bytes in JSON. */
#ifndef ST_BASE64_H
#define ST_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

void st_base64_add(st_str *out, const void *bytes, size_t length);

/* Strict, padded.  NULL: not base64 (*bad set true) or out of memory. */
void *st_base64_decode(st_arena *arena, const char *text, size_t length, size_t *out_length, bool *bad);

#endif
