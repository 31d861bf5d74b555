/* test_totp.c - codes of one time, and the seeds they are made from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/totp.h"

#define SEED "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

static st_totp totp_of(const char *text) {
  st_totp totp;
  const char *problem = st_totp_read(&totp, text, strlen(text));
  if (problem) fail_msg("%s: %s", text, problem);
  return totp;
}

static void assert_code(const char *seed, int64_t now, const char *expected) {
  char code[ST_TOTP_CODE];
  st_totp totp = totp_of(seed);
  assert_true(st_totp_code(&totp, now, code));
  assert_string_equal(code, expected);
}

/* The table of RFC 6238, appendix B: keys of 20, 32 and 64 bytes, 8 digits. */
static void the_codes_are_those_of_the_rfc(void **state) {
  (void)state;
  static const char *const seeds[] = {
      "otpauth://totp/a?digits=8&secret=" SEED,
      "otpauth://totp/a?digits=8&algorithm=SHA256&secret=" SEED "GEZDGNBVGY3TQOJQGEZA====",
      "otpauth://totp/a?digits=8&algorithm=SHA512&secret=" SEED SEED SEED "GEZDGNA=",
  };
  static const struct {
    int64_t now;
    const char *codes[3];
  } table[] = {
      {59, {"94287082", "46119246", "90693936"}},          {1111111109, {"07081804", "68084774", "25091201"}},
      {1111111111, {"14050471", "67062674", "99943326"}},  {1234567890, {"89005924", "91819424", "93441116"}},
      {2000000000, {"69279037", "90698825", "38618901"}},  {20000000000, {"65353130", "77737706", "47863826"}},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (size_t j = 0; j < 3; j++) assert_code(seeds[j], table[i].now, table[i].codes[j]);
}

static void a_seed_may_be_written_in_many_ways(void **state) {
  (void)state;
  static const char *const ways[] = {
      SEED,
      "gezdgnbvgy3tqojqgezdgnbvgy3tqojq",
      "gezd gnbv gy3t qojq gezd gnbv gy3t qojq",
      "  GEZD-GNBV-GY3T-QOJQ-GEZD-GNBV-GY3T-QOJQ \n",
      SEED "====",
      "otpauth://totp/Example:bob@example.com?secret=" SEED "&issuer=Example",
      "OTPAUTH://TOTP/?issuer=a%26b&secret=gezd%20gnbv+gy3tqojqgezdgnbvgy3tqojq&algorithm=sha1&digits=6&period=30",
  };
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) assert_code(ways[i], 59, "287082");
}

static void an_address_says_digits_and_period(void **state) {
  (void)state;
  assert_code("otpauth://totp/a?secret=" SEED "&digits=7", 59, "4287082");
  assert_code("otpauth://totp/a?secret=" SEED "&period=60", 119, "287082");
}

static void a_code_lasts_to_the_end_of_its_period(void **state) {
  (void)state;
  st_totp usual = totp_of(SEED), slow = totp_of("otpauth://totp/a?period=60&secret=" SEED);
  assert_int_equal(st_totp_left(&usual, 0), 30);
  assert_int_equal(st_totp_left(&usual, 29), 1);
  assert_int_equal(st_totp_left(&usual, 30), 30);
  assert_int_equal(st_totp_left(&slow, 59), 1);
}

static void other_texts_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *problem;
  } cases[] = {
      {"", "base32"},
      {"====", "base32"},
      {"hunter2!", "base32"},
      {"GEZD=GNB", "base32"},
      {"A", "base32"},
      {"GEZDGN", "not whole"},
      {"GEZDGNBVG", "not whole"},
      {"otpauth://hotp/a?secret=" SEED, "base32"},
      {"otpauth://totp/a", "no secret"},
      {"otpauth://totp/a?", "no secret"},
      {"otpauth://totp/a?secret=", "base32"},
      {"otpauth://totp/a?secret=%4", "base32"},
      {"otpauth://totp/a?secret=%00" SEED, "base32"},
      {"otpauth://totp/a?secret=" SEED "&digits=5", "digits"},
      {"otpauth://totp/a?secret=" SEED "&digits=9", "digits"},
      {"otpauth://totp/a?secret=" SEED "&digits=", "digits"},
      {"otpauth://totp/a?secret=" SEED "&period=0", "period"},
      {"otpauth://totp/a?secret=" SEED "&period=99999999999999999999", "period"},
      {"otpauth://totp/a?secret=" SEED "&algorithm=MD5", "algorithm"},
      {SEED SEED SEED SEED SEED SEED SEED, "too long"},
  };
  static const st_totp none;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_totp totp;
    const char *problem = st_totp_read(&totp, cases[i].text, strlen(cases[i].text));
    if (!problem || !strstr(problem, cases[i].problem)) fail_msg("%s: %s", cases[i].text, problem ? problem : "read");
    assert_memory_equal(&totp, &none, sizeof totp);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_codes_are_those_of_the_rfc),
      cmocka_unit_test(a_seed_may_be_written_in_many_ways),
      cmocka_unit_test(an_address_says_digits_and_period),
      cmocka_unit_test(a_code_lasts_to_the_end_of_its_period),
      cmocka_unit_test(other_texts_are_refused),
  };
  return cmocka_run_group_tests_name("totp", tests, NULL, NULL);
}
