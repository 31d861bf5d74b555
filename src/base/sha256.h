/* sha256.h - SHA-256 as it is kept in tables: 64 hexadecimal digits. */
#ifndef ST_SHA256_H
#define ST_SHA256_H

#include <stdbool.h>
#include <stddef.h>

#define ST_SHA256_TEXT 65 /* with its NUL */

/* False: out of memory. */
bool st_sha256_text(const void *bytes, size_t length, char out[ST_SHA256_TEXT]);

/* The same of bytes that come piece by piece: begin, add, end, which frees it.  It remembers the first failure, and is
** asked at the end. */
typedef struct st_sha256 {
  void *context; /* NULL: there was no memory */
  bool failed;
} st_sha256;
void st_sha256_begin(st_sha256 *sum);
void st_sha256_add(st_sha256 *sum, const void *bytes, size_t length);
bool st_sha256_end(st_sha256 *sum, char out[ST_SHA256_TEXT]); /* false: out of memory */

#endif
