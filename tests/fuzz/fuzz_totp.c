/* fuzz_totp.c - any bytes as a seed; one that is read gives a code. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/totp.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  st_totp totp;
  char code[ST_TOTP_CODE];
  int64_t now = 0;
  memcpy(&now, data, size < sizeof now ? size : sizeof now);
  if (st_totp_read(&totp, (const char *)data, size)) return 0;
  if (!totp.length || !st_totp_code(&totp, now, code) || strlen(code) != (size_t)totp.digits) abort();
  int left = st_totp_left(&totp, now);
  if (left < 1 || left > totp.period) abort();
  return 0;
}
