/* totp.c - see totp.h. */
#include "base/totp.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PERIOD_MAX 3600
#define VALUE_MAX 512 /* bytes of a value in an address */

static const char NO_SEED[] = "it is neither base32 nor an otpauth://totp/ address";

/* ---- Base32 ---- */

static int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a';
  if (c >= '2' && c <= '7') return c - '2' + 26;
  return -1;
}

/* What is left of the last byte's bits is dropped: seeds are given out like that, and every program reads them so. */
static const char *read_base32(st_totp *totp, const char *text, size_t length) {
  uint32_t bits = 0;
  size_t held = 0, count = 0;
  while (length > 0 && (text[length - 1] == '=' || text[length - 1] == ' ')) length--;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == ' ' || text[i] == '-') continue;
    int value = value_of(text[i]);
    if (value < 0) return NO_SEED;
    bits = bits << 5 | (uint32_t)value;
    held += 5;
    count++;
    if (held < 8) continue;
    if (totp->length == ST_TOTP_KEY) return "it is too long";
    held -= 8;
    totp->key[totp->length++] = (unsigned char)(bits >> held);
  }
  if (totp->length == 0) return NO_SEED;
  /* With a character too many there is a piece missing. */
  return count % 8 == 1 || count % 8 == 3 || count % 8 == 6 ? "it is not whole: base32 does not end there" : NULL;
}

/* ---- Addresses ---- */

typedef struct value {
  char text[VALUE_MAX];
  size_t length;
} value;

static int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A value with its %XX undone.  False: it is too long, or holds a NUL or a % that begins nothing. */
static bool read_value(value *out, const char *from, size_t length) {
  out->length = 0;
  for (size_t i = 0; i < length; i++) {
    char c = from[i] == '+' ? ' ' : from[i];
    if (c == '%') {
      if (i + 2 >= length || hex(from[i + 1]) < 0 || hex(from[i + 2]) < 0) return false;
      c = (char)(hex(from[i + 1]) << 4 | hex(from[i + 2]));
      i += 2;
    }
    if (c == '\0' || out->length == VALUE_MAX - 1) return false;
    out->text[out->length++] = c;
  }
  out->text[out->length] = '\0';
  return true;
}

static bool read_number(const char *text, int least, int most, int *out) {
  int number = 0;
  if (!*text) return false;
  for (; *text; text++) {
    if (*text < '0' || *text > '9') return false;
    number = number * 10 + (*text - '0');
    if (number > most) return false;
  }
  *out = number;
  return number >= least;
}

static bool read_hash(const char *text, st_totp_hash *out) {
  static const char *const names[] = {"SHA1", "SHA256", "SHA512"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcasecmp(text, names[i]) != 0) continue;
    *out = (st_totp_hash)i;
    return true;
  }
  return false;
}

static bool is_named(const char *pair, size_t length, const char *name) {
  return length == strlen(name) && memcmp(pair, name, length) == 0;
}

/* One name=value; what is not known (issuer, image) does not matter. */
static const char *read_pair(st_totp *totp, const char *pair, size_t length, value *v) {
  const char *equals = memchr(pair, '=', length);
  size_t name = equals ? (size_t)(equals - pair) : length;
  bool secret = is_named(pair, name, "secret"), digits = is_named(pair, name, "digits");
  bool period = is_named(pair, name, "period"), algorithm = is_named(pair, name, "algorithm");
  if (!equals || !(secret || digits || period || algorithm)) return NULL;
  if (!read_value(v, equals + 1, length - name - 1)) return NO_SEED;
  if (secret) totp->length = 0;
  if (secret) return read_base32(totp, v->text, v->length);
  if (digits && !read_number(v->text, 6, 8, &totp->digits)) return "the digits are not 6 to 8";
  if (period && !read_number(v->text, 1, PERIOD_MAX, &totp->period)) return "the period is not 1 to 3600 seconds";
  if (algorithm && !read_hash(v->text, &totp->hash)) return "the algorithm is not SHA1, SHA256 or SHA512";
  return NULL;
}

static const char *read_address(st_totp *totp, const char *text, size_t length) {
  const char *problem = NULL, *end = text + length, *at = memchr(text, '?', length);
  value v;
  while (at && at < end && !problem) {
    const char *pair = at + 1;
    at = memchr(pair, '&', (size_t)(end - pair));
    problem = read_pair(totp, pair, (size_t)((at ? at : end) - pair), &v);
  }
  OPENSSL_cleanse(&v, sizeof v);
  return problem ? problem : totp->length ? NULL : "the address has no secret";
}

/* ---- Both ---- */

const char *st_totp_read(st_totp *totp, const char *text, size_t length) {
  static const char address[] = "otpauth://totp/";
  *totp = (st_totp){.digits = 6, .period = 30};
  while (length > 0 && (*text == ' ' || *text == '\t')) text++, length--;
  while (length > 0 && strchr(" \t\r\n", text[length - 1]) && text[length - 1]) length--;
  bool is_address = length >= sizeof address - 1 && strncasecmp(text, address, sizeof address - 1) == 0;
  const char *problem = (is_address ? read_address : read_base32)(totp, text, length);
  if (problem) st_totp_wipe(totp);
  return problem;
}

void st_totp_wipe(st_totp *totp) {
  OPENSSL_cleanse(totp, sizeof *totp);
}

bool st_totp_code(const st_totp *totp, int64_t now, char code[ST_TOTP_CODE]) {
  const EVP_MD *const hashes[] = {EVP_sha1(), EVP_sha256(), EVP_sha512()};
  unsigned char counter[8], digest[EVP_MAX_MD_SIZE];
  unsigned length = 0, power = 1;
  uint64_t step = (uint64_t)(now > 0 ? now : 0) / (uint64_t)totp->period;
  for (int i = 0; i < 8; i++) counter[i] = (unsigned char)(step >> (56 - 8 * i));
  if (!HMAC(hashes[totp->hash], totp->key, (int)totp->length, counter, sizeof counter, digest, &length)) return false;
  const unsigned char *at = digest + (digest[length - 1] & 15);
  uint32_t number = (uint32_t)(at[0] & 0x7F) << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
  for (int i = 0; i < totp->digits; i++) power *= 10;
  snprintf(code, ST_TOTP_CODE, "%0*u", totp->digits, (unsigned)(number % power));
  OPENSSL_cleanse(digest, sizeof digest);
  return true;
}

int st_totp_left(const st_totp *totp, int64_t now) {
  return totp->period - (int)((now > 0 ? now : 0) % totp->period);
}
