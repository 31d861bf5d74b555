/* test_url.c - addresses of pages: what goes, what stays, and which host they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/url.h"

static const char *const SECRET[] = {"token", "key", "sig", NULL};

static void check(const char *given, const char *kept) {
  st_arena arena;
  st_url url;
  st_arena_init(&arena, 1 << 20);
  assert_int_equal(st_url_clean(&arena, given, strlen(given), SECRET, &url), ST_URL_GOOD);
  assert_string_equal(url.text, kept);
  assert_int_equal(url.length, strlen(kept));
  st_arena_free(&arena);
}

static void check_state(const char *given, st_url_state state) {
  st_arena arena;
  st_url url;
  st_arena_init(&arena, 1 << 20);
  assert_int_equal(st_url_clean(&arena, given, strlen(given), SECRET, &url), state);
  st_arena_free(&arena);
}

static void check_host(const char *given, const char *host) {
  st_arena arena;
  st_url url;
  st_arena_init(&arena, 1 << 20);
  assert_int_equal(st_url_clean(&arena, given, strlen(given), SECRET, &url), ST_URL_GOOD);
  assert_string_equal(url.host, host);
  st_arena_free(&arena);
}

static void what_is_no_secret_stays_as_it_is(void **state) {
  static const char *const same[] = {"https://a.example", "HTTP://A.example/", "https://a.example/p%20q?x=%41&&y=+#z",
                                     "https://a.example?", "https://a.example/#", "https://a.example/?tokens=1&monkey=2",
                                     "https://a.example/token=1", "https://a.example/?q=token", "https://a.example/#/token/1",
                                     "https://a.example:8443/?a;b=c", "https://a.example/?next=%2Fb%3Fc%3Dd"};
  (void)state;
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) check(same[i], same[i]);
}

static void parameters_with_secrets_go(void **state) {
  (void)state;
  check("https://a.example/?token=1", "https://a.example/");
  check("https://a.example/?TOKEN=1&b=2", "https://a.example/?b=2");
  check("https://a.example/?a=1&Token=x&b=2&key", "https://a.example/?a=1&b=2");
  check("https://a.example/?a=1;sig=x;b=2", "https://a.example/?a=1;b=2");
  check("https://a.example/?t%6Fken=x&b=2", "https://a.example/?b=2");
  check("https://a.example/?token[]=x&user[key]=y&b=2", "https://a.example/?b=2");
  check("https://a.example/?a=b?token=x", "https://a.example/?a=b");
}

static void also_behind_the_number_sign(void **state) {
  (void)state;
  check("https://a.example/#token=x&b=2", "https://a.example/#b=2");
  check("https://a.example/?a=1#token=x", "https://a.example/?a=1");
  check("https://a.example/#/back?token=x&b=2", "https://a.example/#/back?b=2");
}

static void also_in_an_address_inside(void **state) {
  (void)state;
  check("https://a.example/?next=https%3A%2F%2Fb.example%2F%3Ftoken%3Dx&c=1", "https://a.example/?c=1");
  check("https://a.example/?next=%252Fb%253Fa%253D1%2526key%253Dx", "https://a.example/");
  check("https://a.example/?next=%2Fb%00%3Fkey%3Dx&c=1", "https://a.example/?c=1");
}

static void user_and_password_go(void **state) {
  (void)state;
  check("https://bob:pw@a.example/x", "https://a.example/x");
  check("https://bob@pw@a.example:81?x", "https://a.example:81?x");
  check("https://a.example/@home", "https://a.example/@home");
}

static void hosts(void **state) {
  (void)state;
  check_host("https://WWW.Example.ORG./x", "www.example.org");
  check_host("http://bob@127.0.0.1:8080", "127.0.0.1");
  check_host("http://[2001:DB8::1]:80/", "[2001:db8::1]");
  check_host("http://good.example\\@evil.example/", "good.example");
}

static void what_is_no_page(void **state) {
  static const char *const other[] = {"", "about:blank", "file:///etc/passwd", "javascript:alert(1)", "https:/a.example"};
  static const char *const bad[] = {"https://", "https:///x", "http://bob@/", "http://:80/", "http://a.example:8x/",
                                    "http://a b/", "http://a.example/\n", "http://[::1]x/"};
  (void)state;
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) check_state(other[i], ST_URL_OTHER);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) check_state(bad[i], ST_URL_BAD);
}

static void domains_are_met_whole_or_from_above(void **state) {
  static const char *const domains[] = {"Example.org", "127.0.0.1", "", NULL};
  (void)state;
  assert_true(st_url_within("example.org", domains));
  assert_true(st_url_within("docs.example.org", domains));
  assert_true(st_url_within("127.0.0.1", domains));
  assert_false(st_url_within("badexample.org", domains));
  assert_false(st_url_within("example.org.evil", domains));
  assert_false(st_url_within("org", domains));
  assert_false(st_url_within("", domains));
}

static void parameters_are_decoded(void **state) {
  st_arena arena;
  (void)state;
  st_arena_init(&arena, 1 << 20);
  assert_string_equal(st_url_parameter(&arena, "a=1&Q=two+words%21&q=x", "q"), "two words!");
  assert_string_equal(st_url_parameter(&arena, "q=%zz%4", "q"), "%zz%4");
  assert_null(st_url_parameter(&arena, "a=1&q", "q"));
  assert_null(st_url_parameter(&arena, "", "q"));
  st_arena_free(&arena);
}

static void memory_may_run_out_anywhere(void **state) {
  static const char given[] = "https://bob@a.example/x?token=1&b=2&c=%41#d=3";
  st_url_state last = ST_URL_NOMEM;
  (void)state;
  for (size_t room = 0; room < 4096 && last == ST_URL_NOMEM; room++) {
    st_arena arena;
    st_url url;
    st_arena_init(&arena, room);
    last = st_url_clean(&arena, given, strlen(given), SECRET, &url);
    if (last == ST_URL_GOOD) assert_string_equal(url.text, "https://a.example/x?b=2&c=%41#d=3");
    st_arena_free(&arena);
  }
  assert_int_equal(last, ST_URL_GOOD);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_no_secret_stays_as_it_is),    cmocka_unit_test(parameters_with_secrets_go),
      cmocka_unit_test(also_behind_the_number_sign),         cmocka_unit_test(also_in_an_address_inside),
      cmocka_unit_test(user_and_password_go),                cmocka_unit_test(hosts),
      cmocka_unit_test(what_is_no_page),                     cmocka_unit_test(domains_are_met_whole_or_from_above),
      cmocka_unit_test(parameters_are_decoded),              cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests_name("url", tests, NULL, NULL);
}
