/* test_redact.c - redaction from the inside: pointers, counts, threads' scratch, memory that fails.  What is
** redacted and what is not: tests/capture/test_redaction.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "capture/redact.h"
#include "capture/redact_check.h"
#include "capture/redact_scan.h"
#include "fail_alloc.h"

static st_arena arena;
static st_redactor *redactor;
static st_redact_scratch *scratch;
static char token[64]; /* of the right form, and nobody's */

static void make(const char *rules) {
  st_redact_problem problem;
  redactor = st_redactor_new(rules, rules ? strlen(rules) : 0, &problem);
  if (!redactor) fail_msg("%s", problem.message);
  scratch = st_redact_scratch_new(redactor);
  assert_non_null(scratch);
}

static int begin(void **state) {
  (void)state;
  st_arena_init(&arena, (size_t)64 << 20);
  snprintf(token, sizeof token, "gh%s", "p_");
  for (int i = 4; i < 40; i++) token[i] = "aB3xY7kQ9mZ1"[i % 12];
  make(NULL);
  return 0;
}

static int end(void **state) {
  (void)state;
  st_redact_scratch_free(scratch);
  st_redactor_free(redactor);
  st_arena_free(&arena);
  return 0;
}

static st_redacted text_of(const char *text) {
  st_redacted out;
  assert_true(st_redact_text(scratch, &arena, text, strlen(text), &out));
  return out;
}

static st_redacted json_of(const char *text) {
  st_redacted out;
  assert_true(st_redact_json(scratch, &arena, text, strlen(text), &out));
  return out;
}

static const char *around(const char *format) {
  static char text[1000];
  snprintf(text, sizeof text, format, token, token);
  return text;
}

static void clean_texts_are_the_same_pointer(void **state) {
  static const char *const clean[] = {
      "", "a", "ab", "token", "password=", "the token: get_token()", "{\"password\":\"\"}", "[1,2"};
  (void)state;
  for (size_t i = 0; i < sizeof clean / sizeof *clean; i++) {
    assert_ptr_equal(text_of(clean[i]).text, clean[i]);
    assert_ptr_equal(json_of(clean[i]).text, clean[i]);
  }
  assert_int_equal(st_redact_total(scratch), 0);
  st_redacted out;
  assert_true(st_redact_text(scratch, &arena, NULL, 0, &out));
  assert_int_equal(out.length, 0);
}

static void counts_are_added_and_forgotten(void **state) {
  (void)state;
  st_redacted out = text_of(around("a %s b %s c"));
  assert_string_equal(out.text, "a [REDACTED] b [REDACTED] c");
  assert_int_equal(out.length, strlen(out.text));
  text_of(token);
  assert_int_equal(st_redact_total(scratch), 3);
  int64_t sum = 0;
  for (size_t i = 0; i < st_redactor_count(redactor); i++) {
    int64_t count = st_redact_count(scratch, i);
    if (count) assert_string_equal(st_redactor_rule(redactor, i).name, "github-token");
    sum += count;
  }
  assert_int_equal(sum, 3);
  assert_int_equal(st_redact_given_up(scratch), 0);
  st_redact_forget(scratch);
  assert_int_equal(st_redact_total(scratch), 0);
}

static void bytes_of_every_kind_are_kept(void **state) {
  char text[200], wanted[200];
  st_redacted out;
  (void)state;
  size_t length = (size_t)snprintf(text, sizeof text, "x%c\xFF\xFE %s %c\xC3", 1, token, 2);
  text[1] = '\0';
  assert_true(st_redact_text(scratch, &arena, text, length, &out));
  size_t size = (size_t)snprintf(wanted, sizeof wanted, "x%c\xFF\xFE [REDACTED] %c\xC3", 1, 2);
  wanted[1] = '\0';
  assert_int_equal(out.length, size);
  assert_memory_equal(out.text, wanted, size);
}

static void json_keeps_its_form(void **state) {
  (void)state;
  assert_string_equal(json_of(around("{ \"a\" : [1.50, \"%s\", {\"b\\n\":\"%s\"} ] }\n")).text,
                      "{ \"a\" : [1.50, \"[REDACTED]\", {\"b\\n\":\"[REDACTED]\"} ] }\n");
  assert_string_equal(json_of(around("{\"%s\": 1, \"x\":\"\\u00e9 \\\"%s\\\"\"}")).text,
                      "{\"[REDACTED]\": 1, \"x\":\"\xC3\xA9 \\\"[REDACTED]\\\"\"}");
  assert_string_equal(json_of(around("{broken: %s")).text, "{broken: [REDACTED]");
}

static void a_name_makes_a_value_a_secret(void **state) {
  static const struct {
    const char *name;
    st_secrecy secrecy;
  } names[] = {
      {"password", ST_SECRECY_PASSWORD}, {"DB_PASSWORD2", ST_SECRECY_PASSWORD}, {"userPassword", ST_SECRECY_PASSWORD},
      {"GITHUB_TOKEN", ST_SECRECY_TOKEN}, {"clientSecret", ST_SECRECY_TOKEN},   {"X-Api-Key", ST_SECRECY_TOKEN},
      {"apiKey", ST_SECRECY_TOKEN},       {"HTTPAuth", ST_SECRECY_TOKEN},       {"sort_key", ST_SECRECY_KEY},
      {"key", ST_SECRECY_NONE},           {"max_tokens", ST_SECRECY_NONE},      {"token_count", ST_SECRECY_NONE},
      {"author", ST_SECRECY_NONE},        {"tokenizer", ST_SECRECY_NONE},       {"secretName", ST_SECRECY_NONE},
      {"public_key", ST_SECRECY_NONE},    {"", ST_SECRECY_NONE},                {"---", ST_SECRECY_NONE},
      {"a_b_c_d_e_f_g_h_i_j_k_l_m_n_password", ST_SECRECY_NONE}, /* too many words to be one */
  };
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (st_name_secrecy(names[i].name, strlen(names[i].name)) != names[i].secrecy) fail_msg("%s", names[i].name);
}

static void literals_are_found_where_they_stand(void **state) {
  st_scan scan = {0};
  bool nomem;
  const char text[] = "xABCx abc, Ab9 \\nABC";
  size_t at, found[8], count = 0;
  (void)state;
  assert_true(st_scan_add(&scan, "ABC", 3, true, false, 0, &nomem));
  assert_true(st_scan_add(&scan, "ab[c9]", 6, false, true, 1, &nomem));
  assert_false(st_scan_add(&scan, "ab", 2, false, false, 2, &nomem));
  assert_false(st_scan_add(&scan, "ab[c", 4, false, false, 2, &nomem));
  assert_false(nomem);
  for (at = st_scan_next(&scan, text, 20, 0); at < 20; at = st_scan_next(&scan, text, 20, at + 1))
    for (const st_literal *l = st_scan_at(&scan, text, 20, at, NULL); l; l = st_scan_at(&scan, text, 20, at, l))
      found[count++] = at * 10 + l->rule;
  const size_t wanted[] = {10, 61, 111, 170, 171};
  assert_int_equal(count, 5);
  if (found[3] > found[4]) {
    found[3] = 171;
    found[4] = 170;
  }
  for (size_t i = 0; i < 3; i++) assert_int_equal(found[i], wanted[i]);
  assert_int_equal(found[3] + found[4], 341);
  st_scan_free(&scan);
}

static void rules_of_the_user_are_replaced_once(void **state) {
  (void)state;
  end(NULL);
  st_arena_init(&arena, (size_t)64 << 20);
  make("[[rule]]\nname='r'\nregex='R'\n[[rule]]\nname='empty'\nregex='x*'\n");
  assert_string_equal(text_of("aRbxc").text, "a[REDACTED]b[REDACTED]c");
  const char *again = text_of("aRbxc").text;
  assert_ptr_equal(text_of(again).text, again);
}

static bool try_all(const char *text) {
  st_redact_problem problem;
  st_redacted out;
  static const char rules[] = "[allow]\nregex=['zz']\n[[rule]]\nname='a'\nregex='q+'\nliterals=['qqq']";
  st_redactor *r = st_redactor_new(rules, strlen(rules), &problem);
  if (!r) {
    assert_true(problem.nomem);
    return false;
  }
  st_redact_scratch *s = st_redact_scratch_new(r);
  bool good =
      s && st_redact_text(s, &arena, text, strlen(text), &out) && st_redact_json(s, &arena, text, strlen(text), &out);
  st_redact_scratch_free(s);
  st_redactor_free(r);
  return good;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  char text[200];
  snprintf(text, sizeof text, "{\"a\":\"%s\",\"password\":\"%s\"}", token, token + 10);
  for (int n = 1;; n++) {
    st_arena_free(&arena);
    st_arena_init(&arena, (size_t)64 << 20);
    fail_alloc_nth(n);
    bool good = try_all(text);
    if (!fail_alloc_end()) {
      assert_true(good);
      break;
    }
  }
}

static void hostile_texts_take_no_time(void **state) {
  static const char *const units[] = {"eyJ",
                                      "eyJhbGciOiJI.",
                                      "-----BEGIN PRIVATE KEY-----\n",
                                      "password=",
                                      "://a:",
                                      "sk-ant-",
                                      "token: \"",
                                      "authorization: bearer ",
                                      "xoxb-",
                                      "MTA",
                                      "AKIA",
                                      "\\nghp_",
                                      "cookie: sid="};
  enum { SIZE = 1 << 20 };
  char *text = st_alloc(SIZE + 64);
  (void)state;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    size_t used = 0, size = strlen(units[i]);
    st_redacted out;
    for (; used < SIZE; used += size) memcpy(text + used, units[i], size);
    assert_true(st_redact_text(scratch, &arena, text, used, &out)); /* the limit of the test is the check */
    st_arena_reset(&arena);
  }
  st_free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(clean_texts_are_the_same_pointer, begin, end),
      cmocka_unit_test_setup_teardown(counts_are_added_and_forgotten, begin, end),
      cmocka_unit_test_setup_teardown(bytes_of_every_kind_are_kept, begin, end),
      cmocka_unit_test_setup_teardown(json_keeps_its_form, begin, end),
      cmocka_unit_test_setup_teardown(a_name_makes_a_value_a_secret, begin, end),
      cmocka_unit_test_setup_teardown(literals_are_found_where_they_stand, begin, end),
      cmocka_unit_test_setup_teardown(rules_of_the_user_are_replaced_once, begin, end),
      cmocka_unit_test_setup_teardown(every_allocation_may_fail, begin, end),
      cmocka_unit_test_setup_teardown(hostile_texts_take_no_time, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
