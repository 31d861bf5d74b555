/* redact_scan.c - see redact_scan.h. */
#include "capture/redact_scan.h"

#include <string.h>

#include "base/alloc.h"

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
}

/* Of the three lowest bytes. */
static inline uint32_t hash(uint32_t bytes) {
  return ((bytes & 0xFFFFFF) * UINT32_C(0x9E3779B1)) >> (32 - ST_SCAN_BITS);
}

static inline uint32_t load3(const char *at) {
  const unsigned char *byte = (const unsigned char *)at;
  return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16;
}

static inline uint64_t bit(const st_scan *scan, uint32_t number) {
  return scan->filter[number / 64] >> (number % 64) & 1;
}

/* ---- Making ---- */

static bool make_room(st_scan *scan) {
  if (scan->count < scan->room) return true;
  uint16_t room = scan->room ? (uint16_t)(scan->room * 2) : 256;
  st_literal *literals = room > scan->room ? st_realloc(scan->literals, room * sizeof *literals) : NULL;
  if (!literals) return false;
  scan->literals = literals;
  scan->room = room;
  return true;
}

/* Under what its first three bytes are, in the given case. */
static bool add_under(st_scan *scan, const st_literal *literal, const char *first) {
  if (!make_room(scan)) return false;
  uint32_t number = hash(load3(first));
  st_literal *added = &scan->literals[scan->count++];
  *added = *literal;
  added->next = scan->first[number];
  scan->first[number] = scan->count;
  scan->filter[number / 64] |= UINT64_C(1) << (number % 64);
  return true;
}

/* Where case does not matter, it stands under each way to write its first three letters. */
static bool add_one(st_scan *scan, const st_literal *literal) {
  st_literal lowered = *literal;
  if (literal->exact) return add_under(scan, literal, literal->bytes);
  for (size_t i = 0; i < literal->length; i++) lowered.bytes[i] = lower(literal->bytes[i]);
  for (unsigned way = 0; way < 8; way++) {
    char first[3];
    bool differs = true;
    for (unsigned i = 0; i < 3; i++) {
      char c = lowered.bytes[i];
      bool letter = c >= 'a' && c <= 'z', upper = way >> i & 1;
      if (upper && !letter) differs = false;
      first[i] = upper && letter ? (char)(c - 32) : c;
    }
    if (differs && !add_under(scan, &lowered, first)) return false;
  }
  return true;
}

/* One after the other every byte that may stand at the end of `so_far`, and then the rest. */
static bool expand(st_scan *scan, st_literal *so_far, const char *at, const char *end, bool *nomem) {
  if (at == end) {
    if (so_far->length < ST_SCAN_SHORTEST) return false;
    *nomem = !add_one(scan, so_far);
    return !*nomem;
  }
  if (so_far->length == ST_SCAN_LITERAL) return false;
  if (*at != '[') {
    so_far->bytes[so_far->length++] = *at;
    bool good = expand(scan, so_far, at + 1, end, nomem);
    so_far->length--;
    return good;
  }
  const char *close = memchr(at, ']', (size_t)(end - at));
  bool good = close != NULL;
  for (const char *one = at + 1; good && one < close; one++) {
    bool range = close - one > 2 && one[1] == '-';
    char last = range ? one[2] : *one;
    for (int c = *one; good && c <= last; c++) {
      so_far->bytes[so_far->length++] = (char)c;
      good = expand(scan, so_far, close + 1, end, nomem);
      so_far->length--;
    }
    if (range) one += 2;
  }
  return good;
}

bool st_scan_add(st_scan *scan, const char *pattern, size_t length, bool exact, bool word, uint16_t rule, bool *nomem) {
  st_literal literal = {.exact = exact, .word = word, .rule = rule};
  *nomem = false;
  return expand(scan, &literal, pattern, pattern + length, nomem);
}

void st_scan_free(st_scan *scan) {
  st_free(scan->literals);
}

/* ---- Looking ---- */

size_t st_scan_next(const st_scan *scan, const char *text, size_t length, size_t at) {
  while (at + 11 <= length) { /* eight positions at a time */
    uint64_t low, high;
    memcpy(&low, text + at, 8);
    memcpy(&high, text + at + 3, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t any = bit(scan, hash((uint32_t)low)) | bit(scan, hash((uint32_t)(low >> 8))) |
                   bit(scan, hash((uint32_t)(low >> 16))) | bit(scan, hash((uint32_t)(low >> 24))) |
                   bit(scan, hash((uint32_t)(low >> 32))) | bit(scan, hash((uint32_t)(low >> 40))) |
                   bit(scan, hash((uint32_t)(high >> 24))) | bit(scan, hash((uint32_t)(high >> 32)));
    if (any) break;
#else
    (void)low, (void)high;
    break;
#endif
    at += 8;
  }
  for (; at + ST_SCAN_SHORTEST <= length; at++)
    if (bit(scan, hash(load3(text + at)))) return at;
  return length;
}

static bool stands_at(const st_literal *literal, const char *text, size_t length, size_t at) {
  if (length - at < literal->length) return false;
  for (size_t i = 0; i < literal->length; i++)
    if ((literal->exact ? text[at + i] : lower(text[at + i])) != literal->bytes[i]) return false;
  if (!literal->word || at == 0 || !is_alnum(text[at - 1])) return true;
  /* A letter after a backslash is the end of a line in a text within a text. */
  return at > 1 && text[at - 2] == '\\' && memchr("nrt", text[at - 1], 3);
}

const st_literal *st_scan_at(const st_scan *scan, const char *text, size_t length, size_t at, const st_literal *after) {
  uint16_t number = after ? after->next : scan->first[hash(load3(text + at))];
  for (; number; number = scan->literals[number - 1].next)
    if (stands_at(&scan->literals[number - 1], text, length, at)) return &scan->literals[number - 1];
  return NULL;
}
