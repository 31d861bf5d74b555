/* totp.h - codes of one time, by the clock: RFC 6238. */
#ifndef ST_TOTP_H
#define ST_TOTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ST_TOTP_KEY 128 /* longest key, in bytes */
#define ST_TOTP_CODE 9  /* of a code, with its NUL */

typedef enum st_totp_hash { ST_TOTP_SHA1, ST_TOTP_SHA256, ST_TOTP_SHA512 } st_totp_hash;

typedef struct st_totp {
  unsigned char key[ST_TOTP_KEY];
  size_t length;
  st_totp_hash hash;
  int digits; /* 6 to 8 */
  int period; /* seconds */
} st_totp;

/* Read a seed: base32, in which case, spaces, hyphens and padding do not matter; or an otpauth://totp/ address, which may say
** digits, period and algorithm.  NULL: it was read.  Otherwise what is wrong, without a word of the seed: "the period
** is not 1 to 3600 seconds". */
const char *st_totp_read(st_totp *totp, const char *text, size_t length);
void st_totp_wipe(st_totp *totp);

/* The code at that time, in seconds since 1970.  False: out of memory. */
bool st_totp_code(const st_totp *totp, int64_t now, char code[ST_TOTP_CODE]);
/* For how many seconds it is the code still: 1 to the period. */
int st_totp_left(const st_totp *totp, int64_t now);

#endif
