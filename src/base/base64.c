/* base64.c - RFC 4648 with the ordinary alphabet and padding. */
#include "base/base64.h"

#include <stdint.h>

#define BLOCK 48 /* bytes encoded at a time: a multiple of 3 */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* One to three bytes to four characters. */
static void encode_group(const unsigned char *in, size_t count, char *out) {
  unsigned bits = (unsigned)in[0] << 16;
  if (count > 1) bits |= (unsigned)in[1] << 8;
  if (count > 2) bits |= in[2];
  out[0] = alphabet[bits >> 18];
  out[1] = alphabet[bits >> 12 & 63];
  out[2] = count > 1 ? alphabet[bits >> 6 & 63] : '=';
  out[3] = count > 2 ? alphabet[bits & 63] : '=';
}

void st_base64_add(st_str *out, const void *bytes, size_t length) {
  const unsigned char *in = bytes;
  while (length > 0 && !out->failed) {
    char text[BLOCK / 3 * 4];
    size_t used = length < BLOCK ? length : BLOCK;
    size_t written = 0;
    for (size_t i = 0; i < used; i += 3, written += 4) encode_group(in + i, used - i, text + written);
    st_str_add(out, text, written);
    in += used;
    length -= used;
  }
}

/* The six bits of a character, or -1 for a character that has none. */
static int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

/* Four characters, of which the last `padding` are left out, to 3 - padding bytes. */
static bool decode_group(const char *in, size_t padding, unsigned char *out) {
  uint32_t bits = 0;
  for (size_t i = 0; i < 4; i++) {
    int value = i < 4 - padding ? value_of(in[i]) : 0;
    if (value < 0) return false;
    bits = bits << 6 | (uint32_t)value;
  }
  for (size_t i = 0; i < 3 - padding; i++) out[i] = (unsigned char)(bits >> (16 - 8 * i));
  /* Bits that no byte takes must be 0, so that each value has only one text. */
  return (bits & ((1u << (8 * padding)) - 1)) == 0;
}

static size_t padding_of(const char *text, size_t length) {
  if (length == 0 || text[length - 1] != '=') return 0;
  return text[length - 2] == '=' ? 2 : 1;
}

void *st_base64_decode(st_arena *arena, const char *text, size_t length, size_t *out_length, bool *bad) {
  *bad = length % 4 != 0;
  if (*bad) return NULL;
  size_t padding = padding_of(text, length);
  size_t size = length / 4 * 3 - padding;
  unsigned char *bytes = st_arena_alloc(arena, size);
  if (!bytes) return NULL;
  unsigned char *at = bytes;
  for (size_t i = 0; i < length && !*bad; i += 4, at += 3) {
    *bad = !decode_group(text + i, i + 4 == length ? padding : 0, at);
  }
  if (*bad) return NULL;
  *out_length = size;
  return bytes;
}
