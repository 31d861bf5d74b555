/* base64.h - bytes in JSON, and in tokens. */
#ifndef ST_BASE64_H
#define ST_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

void st_base64_add(st_str *out, const void *bytes, size_t length);

/* Strict, padded.  NULL: not base64 (*bad set true) or out of memory. */
void *st_base64_decode(st_arena *arena, const char *text, size_t length, size_t *out_length, bool *bad);

/* The same with the alphabet that is safe in addresses (- and _ in the place of + and /), in memory of the caller's.
** The text has a NUL behind it, and takes (length + 2) / 3 * 4 + 1 bytes. */
void st_base64url_write(char *out, const void *bytes, size_t length);
/* out has room for length / 4 * 3 bytes.  False: not base64. */
bool st_base64url_read(void *out, const char *text, size_t length, size_t *out_length);

#endif
