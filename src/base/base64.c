/* base64.c - RFC 4648 with padding, in the ordinary alphabet and in the one for addresses. */
#include "base/base64.h"

#include <stdint.h>

#define BLOCK 48 /* bytes encoded at a time: a multiple of 3 */

/* The last two characters are where the alphabets differ. */
static const char ordinary[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char addresses[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* One to three bytes to four characters. */
static void encode_group(const char *alphabet, const unsigned char *in, size_t count, char *out) {
  unsigned bits = (unsigned)in[0] << 16;
  if (count > 1) bits |= (unsigned)in[1] << 8;
  if (count > 2) bits |= in[2];
  out[0] = alphabet[bits >> 18];
  out[1] = alphabet[bits >> 12 & 63];
  out[2] = count > 1 ? alphabet[bits >> 6 & 63] : '=';
  out[3] = count > 2 ? alphabet[bits & 63] : '=';
}

/* Answers the end of what was written. */
static char *encode(const char *alphabet, const unsigned char *in, size_t length, char *out) {
  for (size_t i = 0; i < length; i += 3, out += 4) encode_group(alphabet, in + i, length - i, out);
  return out;
}

void st_base64_add(st_str *out, const void *bytes, size_t length) {
  const unsigned char *in = bytes;
  while (length > 0 && !out->failed) {
    char text[BLOCK / 3 * 4];
    size_t used = length < BLOCK ? length : BLOCK;
    st_str_add(out, text, (size_t)(encode(ordinary, in, used, text) - text));
    in += used;
    length -= used;
  }
}

void st_base64url_write(char *out, const void *bytes, size_t length) {
  *encode(addresses, bytes, length, out) = '\0';
}

/* The six bits of a character, or -1 for a character that has none. */
static int value_of(const char *alphabet, char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == alphabet[62]) return 62;
  if (c == alphabet[63]) return 63;
  return -1;
}

/* Four characters, of which the last `padding` are left out, to 3 - padding bytes. */
static bool decode_group(const char *alphabet, const char *in, size_t padding, unsigned char *out) {
  uint32_t bits = 0;
  for (size_t i = 0; i < 4; i++) {
    int value = i < 4 - padding ? value_of(alphabet, in[i]) : 0;
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

/* length is a multiple of 4. */
static bool decode(const char *alphabet, unsigned char *out, const char *text, size_t length, size_t *out_length) {
  size_t padding = padding_of(text, length);
  for (size_t i = 0; i < length; i += 4, out += 3)
    if (!decode_group(alphabet, text + i, i + 4 == length ? padding : 0, out)) return false;
  *out_length = length / 4 * 3 - padding;
  return true;
}

void *st_base64_decode(st_arena *arena, const char *text, size_t length, size_t *out_length, bool *bad) {
  *bad = length % 4 != 0;
  if (*bad) return NULL;
  unsigned char *bytes = st_arena_alloc(arena, length / 4 * 3);
  if (!bytes) return NULL;
  *bad = !decode(ordinary, bytes, text, length, out_length);
  return *bad ? NULL : bytes;
}

bool st_base64url_read(void *out, const char *text, size_t length, size_t *out_length) {
  return length % 4 == 0 && decode(addresses, out, text, length, out_length);
}
