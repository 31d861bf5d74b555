/* hex.h - bytes as hexadecimal digits. */
#ifndef ST_HEX_H
#define ST_HEX_H

#include <stddef.h>

/* Two digits for each byte, and a NUL. */
static inline void st_hex(char *out, const unsigned char *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < count; i++) {
    *out++ = digits[bytes[i] >> 4];
    *out++ = digits[bytes[i] & 15];
  }
  *out = 0;
}

#endif
