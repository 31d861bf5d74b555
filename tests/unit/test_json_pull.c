/* test_json_pull.c - the lazy JSON reader says what the other one says, on random documents and on damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_pull.h"
#include "base/json_scan.h"
#include "base/utf8.h"
#include "fail_alloc.h"
#include "in_arena.h"

/* ----------------------------------------------------------------------------- random documents */

static uint32_t seed = 1;

static uint32_t chance(uint32_t below) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) % below;
}

static void add_any(st_str *out, const char *const *choices, uint32_t count) {
  st_str_addz(out, choices[chance(count)]);
}
#define ADD_ANY(out, ...) \
  do { \
    static const char *const choices[] = {__VA_ARGS__}; \
    add_any(out, choices, sizeof choices / sizeof *choices); \
  } while (0)

static void add_space(st_str *out) {
  if (chance(4) == 0) ADD_ANY(out, " ", "\t", "\n", "\r\n", "  ");
}

static void add_string(st_str *out) {
  st_str_addc(out, '"');
  for (uint32_t left = chance(12); left > 0; left--) {
    ADD_ANY(out, "a", "plain text of some length", "\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83d\\ude00", "\\ud800", "{", "]",
            ":", ",", "\xC3\xA9", "\xF0\x9F\x98\x80", "\xFF", "\x01", "sixteen bytes....");
  }
  st_str_addc(out, '"');
}

static void add_value(st_str *out, int depth) {
  uint32_t kind = chance(depth > 5 ? 4 : 8);
  add_space(out);
  if (kind == 0) {
    ADD_ANY(out, "null", "true", "false", "NaN", "Infinity", "-Infinity");
  } else if (kind == 1) {
    ADD_ANY(out, "0", "-0", "12", "-7.25", "1e9", "1E+400", "9223372036854775808", "0.5e-3");
  } else if (kind < 4) {
    add_string(out);
  } else {
    bool named = kind < 6;
    st_str_addc(out, named ? '{' : '[');
    add_space(out);
    for (uint32_t i = 0, count = chance(5); i < count; i++) {
      if (i > 0) st_str_addc(out, ',');
      add_space(out);
      if (named) {
        add_string(out);
        add_space(out);
        st_str_addc(out, ':');
      }
      add_value(out, depth + 1);
    }
    st_str_addc(out, named ? '}' : ']');
  }
  add_space(out);
}

/* A damaged document: a byte gone, changed or doubled, or its end cut off. */
static void damage(st_str *out) {
  static const char bytes[] = "{}[]\":,\\0-+.eEtnu \x80";
  size_t at = out->length ? chance((uint32_t)out->length) : 0;
  if (out->length == 0) return;
  switch (chance(4)) {
    case 0: memmove(out->text + at, out->text + at + 1, out->length - at); out->length--; break;
    case 1: out->length = at; break;
    default: out->text[at] = bytes[chance(sizeof bytes - 1)];
  }
}

/* ---------------------------------------------------------------------------------- comparing */

static void check_same(const st_json *node, st_text value) {
  assert_int_equal(value.length, node->raw_length);
  assert_memory_equal(value.bytes, node->raw, value.length);
  st_text text;
  switch (node->type) {
    case ST_JSON_STRING:
      assert_true(st_pull_text(&arena, value, &text));
      assert_int_equal(text.length, node->length);
      if (text.length) assert_memory_equal(text.bytes, node->text, text.length);
      if (st_utf8_valid(value.bytes, value.length)) assert_true(st_pull_is(value, node->text));
      assert_false(st_pull_is(value, "no such text"));
      break;
    case ST_JSON_BOOL: assert_true(st_pull_true(value) == node->boolean); break;
    case ST_JSON_INT: assert_true(st_pull_int(value, node->integer + 1) == node->integer); break;
    case ST_JSON_REAL: assert_true(st_pull_real(value, 0.123) == node->real); break;
    case ST_JSON_NULL: assert_true(st_pull_real(value, 0.125) == 0.125); break;
    default: assert_int_equal(st_pull_type(value), node->type);
  }
  st_pull walk = st_pull_into(value);
  for (const st_json *member = node->first; member; member = member->next) {
    assert_true(st_pull_next(&walk));
    assert_true(walk.named == (node->type == ST_JSON_OBJECT));
    if (walk.named) {
      assert_true(st_pull_text(&arena, walk.name, &text));
      assert_int_equal(text.length, member->key_length);
      if (text.length) assert_memory_equal(text.bytes, member->key, text.length);
    }
    check_same(member, walk.value);
  }
  assert_false(st_pull_next(&walk));
  assert_false(st_pull_next(&walk));
}

/* What st_pull_write makes of a value is strict, and means the same. */
static void check_written(st_text value) {
  st_str once, twice;
  st_str_init(&once, SIZE_MAX);
  st_str_init(&twice, SIZE_MAX);
  assert_true(st_pull_write(&arena, value, &once));
  st_json_error error;
  if (!st_json_parse(&arena, once.text, once.length, 0, &error)) fail_msg("%s: %s", once.text, error.message);
  assert_true(st_pull_write(&arena, (st_text){once.text, once.length}, &twice));
  assert_string_equal(once.text, twice.text);
  st_str_free(&once);
  st_str_free(&twice);
}

static void check_text(const char *text, size_t length) {
  char *exact = malloc(length ? length : 1); /* so that a sanitizer sees any step beyond */
  memcpy(exact, text, length);
  const char *why = NULL;
  st_json_error error;
  st_json *node = st_json_parse(&arena, exact, length, ST_JSON_LENIENT, &error);
  const char *at = exact;
  while (at < exact + length && strchr(" \t\r\n", *at) && *at) at++;
  const char *after = st_pull_skip(exact, exact + length, &why);
  if (node) {
    if (!after) fail_msg("%.*s: %s", (int)length, text, why);
    assert_null(why);
    st_text value = {at, (size_t)(after - at)};
    check_same(node, value);
    check_written(value);
  } else if (after) { /* something may follow the value */
    assert_string_equal(error.message, "something follows the value");
  } else {
    assert_non_null(why);
  }
  free(exact);
  st_arena_reset(&arena);
}

static void it_says_what_the_other_reader_says(void **state) {
  (void)state;
  for (int i = 0; i < 20000; i++) {
    st_str out;
    st_str_init(&out, SIZE_MAX);
    add_value(&out, 0);
    check_text(out.text, out.length);
    for (int j = 0; j < 3; j++) {
      damage(&out);
      check_text(out.text, out.length);
    }
    st_str_free(&out);
  }
}

static void every_beginning_of_a_value_is_cut(void **state) {
  (void)state;
  static const char text[] = "{\"a\":[1,-2.5e3,true,null,{\"b\":\"c\\u0041\\n\"}],\"d\":\"e\"}";
  for (size_t length = 0; length < sizeof text - 1; length++) {
    char *exact = malloc(length ? length : 1);
    memcpy(exact, text, length);
    const char *why = NULL;
    assert_null(st_pull_skip(exact, exact + length, &why));
    assert_ptr_equal(why, st_pull_cut);
    free(exact);
  }
  const char *why = NULL;
  assert_ptr_equal(st_pull_skip(text, text + sizeof text - 1, &why), text + sizeof text - 1);
}

static void values_that_touch_are_told_apart(void **state) {
  (void)state;
  static const char text[] = "{\"a\":1}{\"b\":2} [3]";
  const char *end = text + sizeof text - 1;
  const char *first = st_pull_skip(text, end, NULL);
  assert_ptr_equal(first, text + 7);
  const char *second = st_pull_skip(first, end, NULL);
  assert_ptr_equal(second, text + 14);
  assert_ptr_equal(st_pull_skip(second, end, NULL), end);
}

static void depth_is_bounded_as_in_the_other_reader(void **state) {
  (void)state;
  for (int depth = ST_JSON_MAX_DEPTH - 1; depth <= ST_JSON_MAX_DEPTH + 1; depth++) {
    char text[2 * (ST_JSON_MAX_DEPTH + 1)];
    memset(text, '[', (size_t)depth);
    memset(text + depth, ']', (size_t)depth);
    const char *why = NULL;
    assert_true((st_pull_skip(text, text + 2 * depth, &why) != NULL) == (depth <= ST_JSON_MAX_DEPTH));
    if (why) assert_string_equal(why, "nested too deeply");
  }
}

static void members_are_picked_by_name(void **state) {
  (void)state;
  st_text record = st_text_of("{\"type\":\"user\",\"n\":3,\"x\\u0079\":{\"z\":[]},\"type\":\"assistant\",\"f\":1.5}");
  st_text type = {0}, nothing = {0}, escaped = {0};
  st_pull_pick(record, (st_pull_want[]){{"type", &type}, {"nothing", &nothing}, {"xy", &escaped}}, 3);
  assert_true(st_pull_is(type, "assistant"));
  assert_null(nothing.bytes);
  assert_true(st_pull_is_array(st_pull_get(escaped, "z")));
  assert_true(st_pull_int(st_pull_get(record, "n"), 0) == 3);
  assert_true(st_pull_int(st_pull_get(record, "f"), 0) == 1);
  assert_true(st_pull_int(st_pull_get(record, "type"), 9) == 9);
  assert_null(st_pull_get(type, "a").bytes);
  assert_null(st_pull_get(nothing, "a").bytes);
}

static void both_scanners_find_the_same(void **state) {
  (void)state;
  char text[80];
  for (int i = 0; i < 200000; i++) {
    size_t length = chance(sizeof text);
    for (size_t at = 0; at < length; at++) {
      uint32_t kind = chance(40);
      text[at] = (char)(kind == 0 ? '"' : kind == 1 ? '\\' : kind < 4 ? '"' ^ 1 : kind < 6 ? '"' | 0x80 : chance(256));
      if (kind > 10 && (text[at] == '"' || text[at] == '\\')) text[at] = 'x';
    }
    const char *slow = text;
    while (slow < text + length && *slow != '"' && *slow != '\\') slow++;
    assert_ptr_equal(st_json_stop(text, text + length), slow);
    assert_ptr_equal(st_json_stop_by_eight(text, text + length), slow);
  }
}

static void out_of_memory_is_told(void **state) {
  (void)state;
  st_text out;
  fail_alloc_nth(1);
  assert_false(st_pull_text(&arena, st_text_of("\"a\\nb\""), &out));
  assert_true(fail_alloc_end());
  fail_alloc_nth(1);
  assert_true(st_pull_text(&arena, st_text_of("\"plain\""), &out));
  assert_false(fail_alloc_end());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(it_says_what_the_other_reader_says, set_up, tear_down),
      cmocka_unit_test(every_beginning_of_a_value_is_cut),
      cmocka_unit_test(values_that_touch_are_told_apart),
      cmocka_unit_test(depth_is_bounded_as_in_the_other_reader),
      cmocka_unit_test_setup_teardown(members_are_picked_by_name, set_up, tear_down),
      cmocka_unit_test(both_scanners_find_the_same),
      cmocka_unit_test_setup_teardown(out_of_memory_is_told, set_up, tear_down),
  };
  return cmocka_run_group_tests_name("json_pull", tests, NULL, NULL);
}
