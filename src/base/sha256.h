/* sha256.h - SHA-256 as it is kept in tables: 64 hexadecimal digits. */
#ifndef ST_SHA256_H
#define ST_SHA256_H

#include <stdbool.h>
#include <stddef.h>

#define ST_SHA256_TEXT 65 /* with its NUL */

/* False: out of memory. */
bool st_sha256_text(const void *bytes, size_t length, char out[ST_SHA256_TEXT]);

#endif
