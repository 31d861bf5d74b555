/* test_fernet.c - Fernet tokens and their keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fernet.h"
#include "fail_alloc.h"

/* The example of Fernet's specification. */
#define KEY "cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="
#define TOKEN "gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA=="
#define OTHER "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

static const st_fernet_stamp stamp = {499162800, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};

static st_fernet_keys keys_of(const char *text) {
  st_fernet_keys keys;
  assert_int_equal(st_fernet_keys_read(&keys, text), 0);
  return keys;
}

static st_fernet_status decrypt(const char *keys_text, st_arena *arena, const char *token, st_fernet_text *out) {
  st_fernet_keys keys = keys_of(keys_text);
  return st_fernet_decrypt(&keys, arena, token, strlen(token), out);
}

static void the_example_goes_both_ways(void **state) {
  (void)state;
  st_arena arena;
  st_fernet_text text;
  char *token = NULL;
  st_fernet_keys keys = keys_of(KEY);
  st_arena_init(&arena, 10000);
  assert_int_equal(st_fernet_encrypt(&keys, &arena, "hello", 5, &stamp, &token), ST_FERNET_DONE);
  assert_string_equal(token, TOKEN);
  assert_int_equal(st_fernet_decrypt(&keys, &arena, token, strlen(token), &text), ST_FERNET_DONE);
  assert_string_equal(text.bytes, "hello");
  assert_int_equal(text.length, 5);
  assert_int_equal(text.seconds, 499162800);
  assert_int_equal(text.key, 0);
  st_arena_free(&arena);
}

static void every_length_comes_back(void **state) {
  (void)state;
  unsigned char bytes[100];
  st_arena arena;
  st_fernet_keys keys = keys_of(KEY);
  st_arena_init(&arena, 1 << 20);
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 167 + 13);
  for (size_t size = 0; size <= sizeof bytes; size++) {
    char *token = NULL;
    st_fernet_text text;
    assert_int_equal(st_fernet_encrypt(&keys, &arena, bytes, size, NULL, &token), ST_FERNET_DONE);
    assert_int_equal(st_fernet_decrypt(&keys, &arena, token, strlen(token), &text), ST_FERNET_DONE);
    assert_int_equal(text.length, size);
    assert_memory_equal(text.bytes, bytes, size);
  }
  st_arena_free(&arena);
}

static void two_tokens_of_a_text_differ(void **state) {
  (void)state;
  st_arena arena;
  char *one = NULL, *other = NULL;
  st_fernet_keys keys = keys_of(KEY);
  st_arena_init(&arena, 10000);
  assert_int_equal(st_fernet_encrypt(&keys, &arena, "hello", 5, NULL, &one), ST_FERNET_DONE);
  assert_int_equal(st_fernet_encrypt(&keys, &arena, "hello", 5, NULL, &other), ST_FERNET_DONE);
  assert_string_not_equal(one, other);
  st_arena_free(&arena);
}

static void the_first_key_encrypts_and_any_decrypts(void **state) {
  (void)state;
  st_arena arena;
  st_fernet_text text;
  char *token = NULL;
  st_fernet_keys keys = keys_of(OTHER "," KEY);
  st_arena_init(&arena, 10000);
  assert_int_equal(decrypt(OTHER ", \n" KEY, &arena, TOKEN, &text), ST_FERNET_DONE);
  assert_int_equal(text.key, 1);
  assert_int_equal(decrypt(OTHER, &arena, TOKEN, &text), ST_FERNET_REFUSED);
  assert_int_equal(st_fernet_encrypt(&keys, &arena, "hello", 5, &stamp, &token), ST_FERNET_DONE);
  assert_int_equal(decrypt(OTHER, &arena, token, &text), ST_FERNET_DONE);
  assert_int_equal(decrypt(KEY, &arena, token, &text), ST_FERNET_REFUSED);
  st_arena_free(&arena);
}

/* Each character in turn becomes each other one, also such as leave the bytes as they were. */
static void a_changed_character_is_noticed(void **state) {
  (void)state;
  static const char others[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ \n";
  char token[] = TOKEN;
  st_arena arena;
  st_fernet_text text;
  st_arena_init(&arena, 10000);
  for (size_t i = 0; i < sizeof token - 1; i++) {
    char was = token[i];
    for (const char *other = others; *other; other++) {
      token[i] = *other;
      if (*other != was && decrypt(KEY, &arena, token, &text) != ST_FERNET_REFUSED) fail_msg("%s was read", token);
      st_arena_reset(&arena);
    }
    token[i] = was;
  }
  st_arena_free(&arena);
}

static void a_cut_or_longer_token_is_refused(void **state) {
  (void)state;
  st_arena arena;
  st_fernet_text text;
  st_fernet_keys keys = keys_of(KEY);
  st_arena_init(&arena, 100000);
  for (size_t length = 0; length < strlen(TOKEN); length++)
    assert_int_equal(st_fernet_decrypt(&keys, &arena, TOKEN, length, &text), ST_FERNET_REFUSED);
  assert_int_equal(decrypt(KEY, &arena, TOKEN "AAAA", &text), ST_FERNET_REFUSED);
  assert_int_equal(decrypt(KEY, &arena, TOKEN "\n", &text), ST_FERNET_REFUSED);
  assert_int_equal(decrypt(KEY, &arena, " " TOKEN, &text), ST_FERNET_REFUSED);
  st_arena_free(&arena);
}

/* Signed rightly, and yet wrong inside. */
static void what_no_key_holder_would_make_is_refused(void **state) {
  (void)state;
  static const char *const tokens[] = {
      /* a body of 15 bytes */
      "gAAAAAAdwJ6xAAECAwQFBgcICQoLDA0OD07ZE7j_6oUJEKcoxW5mA1Jnl8-Uf_CpABuign1NTXZ01LAfeZGag2lhlL9z0ahZ",
      /* the last byte of padding is not what the others are */
      "gAAAAAAdwJ6xAAECAwQFBgcICQoLDA0OD07ZE7j_6oUJEKcoxW5mA_q4OsvNfpgDE-CfskjVcWgc4hh67BU9wyYFozIwY6AUTg==",
      /* padding of no bytes */
      "gAAAAAAdwJ6xAAECAwQFBgcICQoLDA0OD1BqmWB4O-QKrVN1lPkRP0ZACThmf7hRUHsnKF-Fa-7iXN92hk29Vum8Vixp4YTe-A==",
      /* no body */
      "gAAAAAAdwJ6xAAECAwQFBgcICQoLDA0OD2U6wAz5ifCP_69WDWDjmjQx-7KeATp2AfAjhRlMkKZq",
      /* another version */
      "gQAAAAAdwJ6xAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLJx6XPdVcN7Sx6mvANorj1Y4E9iY-N-oYlS08mCakDCrw==",
  };
  st_arena arena;
  st_fernet_text text;
  st_arena_init(&arena, 10000);
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
    assert_int_equal(decrypt(KEY, &arena, tokens[i], &text), ST_FERNET_REFUSED);
  st_arena_free(&arena);
}

static void keys_are_read_strictly(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t wrong;
  } cases[] = {
      {KEY, 0},
      {"  " KEY "\n" OTHER "\t, ,", 0},
      {"", 1},
      {" ,", 1},
      {"hunter2", 1},
      {KEY ",hunter2", 2},
      {KEY KEY, 1},
      {"cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4", 1},  /* no padding */
      {"cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e5=", 1}, /* bits left over */
      {"cw/0x689RpI+jtRR7oE8h/eQsKImvJapLeSbXpwF4e4=", 1}, /* the ordinary alphabet */
      {"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g", 1}, /* 33 bytes */
      {"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==", 1}, /* 31 */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_fernet_keys keys;
    if (st_fernet_keys_read(&keys, cases[i].text) != cases[i].wrong) fail_msg("case %zu", i);
    if (cases[i].wrong) assert_int_equal(keys.count, 0);
  }
}

static void there_is_an_end_to_keys(void **state) {
  (void)state;
  char text[(ST_FERNET_KEYS + 1) * sizeof KEY + 1] = "";
  st_fernet_keys keys;
  for (int i = 0; i < ST_FERNET_KEYS; i++) strcat(text, KEY ",");
  assert_int_equal(st_fernet_keys_read(&keys, text), 0);
  assert_int_equal(keys.count, ST_FERNET_KEYS);
  strcat(text, KEY);
  assert_int_equal(st_fernet_keys_read(&keys, text), ST_FERNET_KEYS + 1);
}

static void nothing_is_left_of_keys(void **state) {
  (void)state;
  static const st_fernet_keys none;
  st_fernet_keys keys = keys_of(KEY "," OTHER);
  st_fernet_keys_wipe(&keys);
  assert_memory_equal(&keys, &none, sizeof keys);
  assert_int_equal(st_fernet_keys_read(&keys, KEY ",wrong"), 2);
  assert_memory_equal(&keys, &none, sizeof keys);
}

static void new_keys_are_keys(void **state) {
  (void)state;
  char one[ST_FERNET_KEY_TEXT], other[ST_FERNET_KEY_TEXT];
  assert_true(st_fernet_key_new(one) && st_fernet_key_new(other));
  assert_string_not_equal(one, other);
  assert_int_equal(keys_of(one).count, 1);
}

static void no_memory_is_no_refusal(void **state) {
  (void)state;
  st_fernet_keys keys = keys_of(KEY);
  for (int n = 1, reached = 1; reached; n++) {
    st_arena arena;
    char *token = NULL;
    st_arena_init(&arena, 100000);
    fail_alloc_nth(n);
    st_fernet_status status = st_fernet_encrypt(&keys, &arena, "hello", 5, &stamp, &token);
    reached = fail_alloc_end();
    assert_int_equal(status, reached ? ST_FERNET_FAILED : ST_FERNET_DONE);
    st_arena_free(&arena);
  }
  for (int n = 1, reached = 1; reached; n++) {
    st_arena arena;
    st_fernet_text text;
    st_arena_init(&arena, 100000);
    fail_alloc_nth(n);
    st_fernet_status status = st_fernet_decrypt(&keys, &arena, TOKEN, strlen(TOKEN), &text);
    reached = fail_alloc_end();
    assert_int_equal(status, reached ? ST_FERNET_FAILED : ST_FERNET_DONE);
    st_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_goes_both_ways),
      cmocka_unit_test(every_length_comes_back),
      cmocka_unit_test(two_tokens_of_a_text_differ),
      cmocka_unit_test(the_first_key_encrypts_and_any_decrypts),
      cmocka_unit_test(a_changed_character_is_noticed),
      cmocka_unit_test(a_cut_or_longer_token_is_refused),
      cmocka_unit_test(what_no_key_holder_would_make_is_refused),
      cmocka_unit_test(keys_are_read_strictly),
      cmocka_unit_test(there_is_an_end_to_keys),
      cmocka_unit_test(nothing_is_left_of_keys),
      cmocka_unit_test(new_keys_are_keys),
      cmocka_unit_test(no_memory_is_no_refusal),
  };
  return cmocka_run_group_tests_name("fernet", tests, NULL, NULL);
}
