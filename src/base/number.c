/* number.c - numbers from and to text.
**
** The C library reads and writes the decimal point of the locale, so it is never shown one: reals
** are handed to strtod as digits and an exponent, and what printf wrote for the point is replaced. */
#include "base/number.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No double and no halfway between two doubles has more significant digits than this (767). */
#define DIGITS_MAX 800
#define EXPONENT_MAX ((int64_t)1000000000000000) /* above any length, so sums do not overflow */

typedef struct decimal {
  bool negative;
  const char *whole; /* digits before the point */
  size_t whole_length;
  const char *fraction; /* digits after it */
  size_t fraction_length;
  int64_t exponent;
} decimal;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *at, const char *end) {
  while (at < end && is_digit(*at)) at++;
  return at;
}

/* Step over a sign; true if it was a minus. */
static bool take_sign(const char **at, const char *end) {
  if (*at == end || (**at != '-' && **at != '+')) return false;
  return *(*at)++ == '-';
}

bool st_parse_int(const char *text, size_t length, int64_t *out) {
  if (length == 0) return false;
  const char *at = text;
  const char *end = text + length;
  bool negative = take_sign(&at, end);
  uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
  uint64_t value = 0;
  if (at == end) return false;
  for (; at < end; at++) {
    if (!is_digit(*at)) return false;
    uint64_t digit = (uint64_t)(*at - '0');
    if (value >= INT64_MAX / 10 && value > (limit - digit) / 10) return false;
    value = value * 10 + digit;
  }
  /* Negated as unsigned, where the smallest of all has a negative. */
  *out = negative ? (int64_t)(0 - value) : (int64_t)value;
  return true;
}

/* The digits of an exponent up to the end of the text. */
static bool read_exponent(const char *at, const char *end, int64_t *out) {
  bool negative = take_sign(&at, end);
  int64_t value = 0;
  if (at == end) return false;
  for (; at < end; at++) {
    if (!is_digit(*at)) return false;
    if (value < EXPONENT_MAX) value = value * 10 + (*at - '0');
  }
  *out = negative ? -value : value;
  return true;
}

/* Find the parts of  [sign] digits [. digits] [e [sign] digits]. */
static bool split_decimal(const char *text, size_t length, decimal *d) {
  const char *at = text;
  const char *end = text + length;
  *d = (decimal){0};
  d->negative = take_sign(&at, end);
  d->whole = at;
  at = skip_digits(at, end);
  d->whole_length = (size_t)(at - d->whole);
  if (d->whole_length == 0) return false;
  if (at < end && *at == '.') {
    d->fraction = ++at;
    at = skip_digits(at, end);
    d->fraction_length = (size_t)(at - d->fraction);
    if (d->fraction_length == 0) return false;
  }
  if (at == end) return true;
  return (*at == 'e' || *at == 'E') && read_exponent(at + 1, end, &d->exponent);
}

/* Exact without strtod when the digits and the power of ten are both exact doubles (Clinger 1990):
** then one multiplication or division rounds once.  It serves most numbers that people write. */
static bool small_decimal(const decimal *d, double *out) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  int64_t exponent = d->exponent - (int64_t)d->fraction_length;
  uint64_t digits = 0;
  if (FLT_EVAL_METHOD != 0 || exponent < -22 || exponent > 22) return false;
  if (d->whole_length > 19 || d->fraction_length > 19 - d->whole_length) return false;
  for (size_t i = 0; i < d->whole_length; i++) digits = digits * 10 + (uint64_t)(d->whole[i] - '0');
  for (size_t i = 0; i < d->fraction_length; i++) digits = digits * 10 + (uint64_t)(d->fraction[i] - '0');
  if (digits > (uint64_t)1 << 53) return false;
  *out = exponent < 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
  return true;
}

typedef struct digit_list {
  char text[DIGITS_MAX + 32]; /* room for the exponent after them */
  size_t count;
  int64_t dropped;            /* digits beyond DIGITS_MAX */
  bool inexact;               /* one of those was not 0 */
} digit_list;

static void add_digits(digit_list *list, const char *digits, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (list->count == 0 && digits[i] == '0') continue;
    if (list->count < DIGITS_MAX) {
      list->text[list->count++] = digits[i];
    } else {
      list->dropped++;
      list->inexact |= digits[i] != '0';
    }
  }
}

/* Four digits, and the NUL; by hand, because printf would take as long as strtod does. */
static void add_exponent(digit_list *list, int exponent) {
  char *at = list->text + list->count;
  *at++ = 'e';
  *at++ = exponent < 0 ? '-' : '+';
  exponent = abs(exponent);
  for (int unit = 1000; unit > 0; unit /= 10) *at++ = (char)('0' + exponent / unit % 10);
  *at = '\0';
}

/* Any decimal, as "digits e exponent" and through strtod. */
static double large_decimal(const decimal *d) {
  digit_list list;
  list.count = 0;
  list.dropped = 0;
  list.inexact = false;
  add_digits(&list, d->whole, d->whole_length);
  add_digits(&list, d->fraction, d->fraction_length);
  if (list.count == 0) return 0.0;
  /* Something, however little, stood behind: it decides when the rest is a halfway case. */
  if (list.inexact) list.text[DIGITS_MAX - 1] = '1';
  int64_t exponent = d->exponent - (int64_t)d->fraction_length + list.dropped;
  if (exponent > 9999) exponent = 9999;
  if (exponent < -9999) exponent = -9999;
  add_exponent(&list, (int)exponent);
  return strtod(list.text, NULL);
}

bool st_parse_real(const char *text, size_t length, double *out) {
  decimal d;
  double value;
  if (length == 0 || !split_decimal(text, length, &d)) return false;
  if (!small_decimal(&d, &value)) value = large_decimal(&d);
  if (isinf(value)) return false;
  *out = d.negative ? -value : value;
  return true;
}

/* Make one '.' of whatever bytes the locale has for the point.  Returns the length. */
static size_t plain_point(char *text) {
  size_t length = 0;
  for (const char *at = text; *at; at++) {
    if (is_digit(*at) || *at == '-' || *at == '+' || *at == 'e') text[length++] = *at;
    else if (length > 0 && text[length - 1] != '.') text[length++] = '.';
  }
  text[length] = '\0';
  return length;
}

/* With so many digits or more, up to most, until it reads back as the same. */
static size_t format_shortest(double value, int digits, int most, bool single, char out[ST_REAL_MAX]) {
  size_t length = 0;
  for (; digits <= most; digits++) {
    double back;
    snprintf(out, ST_REAL_MAX, "%.*g", digits, value);
    length = plain_point(out);
    if (st_parse_real(out, length, &back) && (single ? (float)back == (float)value : back == value)) break;
  }
  return length;
}

size_t st_format_single(float value, char out[ST_REAL_MAX]) {
  assert(isfinite(value));
  return format_shortest(value, fabsf(value) < FLT_MIN ? 1 : 6, 9, true, out);
}

size_t st_format_real(double value, char out[ST_REAL_MAX]) {
  assert(isfinite(value));
  /* 15 digits always survive, so fewer need no trial, except where doubles thin out near zero. */
  size_t length = format_shortest(value, fabs(value) < DBL_MIN ? 1 : 15, 17, false, out);
  if (!memchr(out, '.', length) && !memchr(out, 'e', length)) {
    memcpy(out + length, ".0", 3);
    length += 2;
  }
  return length;
}
