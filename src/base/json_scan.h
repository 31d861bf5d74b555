/* json_scan.h - how far a string is plain, for the JSON reader and writer. */
#ifndef ST_JSON_SCAN_H
#define ST_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ST_EVERY_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* Which of these eight bytes are a quote, a backslash, a control character or not ASCII: their top
** bits.  Subtracting sets the top bit of a byte that was too small; what it borrows can only add a
** yes to bytes above one that is a yes already. */
static inline uint64_t st_json_special(uint64_t eight) {
  uint64_t quote = eight ^ ST_EVERY_BYTE('"');
  uint64_t backslash = eight ^ ST_EVERY_BYTE('\\');
  uint64_t found = (eight - ST_EVERY_BYTE(0x20)) | (quote - ST_EVERY_BYTE(1)) |
                   (backslash - ST_EVERY_BYTE(1)) | eight;
  return found & ST_EVERY_BYTE(0x80);
}

/* The first byte from `at` on that is not plain, or end. */
static inline const char *st_json_plain(const char *at, const char *end) {
  uint64_t eight;
  while (end - at >= (ptrdiff_t)sizeof eight) {
    memcpy(&eight, at, sizeof eight);
    uint64_t special = st_json_special(eight);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (special) return at + __builtin_ctzll(special) / 8; /* the lowest byte comes first */
#else
    if (special) break;
#endif
    at += sizeof eight;
  }
  while (at < end) {
    unsigned char c = (unsigned char)*at;
    if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') break;
    at++;
  }
  return at;
}

#endif
