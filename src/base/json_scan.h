/* json_scan.h - how far a string is plain, for the JSON readers and the writer. */
#ifndef ST_JSON_SCAN_H
#define ST_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

/* Which of these eight bytes are a quote or a backslash; as above. */
static inline uint64_t st_json_stops(uint64_t eight) {
  uint64_t quote = eight ^ ST_EVERY_BYTE('"');
  uint64_t backslash = eight ^ ST_EVERY_BYTE('\\');
  /* A byte of 0x80 and more is neither, whatever subtracting makes of it. */
  return ((quote - ST_EVERY_BYTE(1)) | (backslash - ST_EVERY_BYTE(1))) & ~eight & ST_EVERY_BYTE(0x80);
}

/* The first quote or backslash from `at` on, or end: for stepping over a string whose characters are not
** wanted.  Borrowing may say yes too early only above a byte that is one, so the lowest yes is right. */
static inline const char *st_json_stop_by_eight(const char *at, const char *end) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t eight;
  while (end - at >= (ptrdiff_t)sizeof eight) {
    memcpy(&eight, at, sizeof eight);
    uint64_t stops = st_json_stops(eight);
    if (stops) return at + __builtin_ctzll(stops) / 8;
    at += sizeof eight;
  }
#endif
  while (at < end && *at != '"' && *at != '\\') at++;
  return at;
}

static inline const char *st_json_stop(const char *at, const char *end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  while (end - at >= 16) {
    __m128i sixteen = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i found = _mm_or_si128(_mm_cmpeq_epi8(sixteen, quote), _mm_cmpeq_epi8(sixteen, backslash));
    unsigned mask = (unsigned)_mm_movemask_epi8(found);
    if (mask) return at + __builtin_ctz(mask);
    at += 16;
  }
#endif
  return st_json_stop_by_eight(at, end);
}

#endif
