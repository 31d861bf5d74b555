/* test_json.c - the JSON reader and writer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "fail_alloc.h"
#include "in_arena.h"

#define FFFD "\xEF\xBF\xBD"

static st_json_error error;

/* Read a copy that ends where the text ends, so that a sanitizer sees any step beyond.  The copy is
** gone afterwards: what is looked at must be in the arena. */
static st_json *parse_bytes(const char *text, size_t length, unsigned flags) {
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  st_json *value = st_json_parse(&arena, exact, length, flags, &error);
  free(exact);
  return value;
}

static st_json *parse(const char *text, unsigned flags) {
  return parse_bytes(text, strlen(text), flags);
}

static st_json *parse_valid(const char *text) {
  st_json *value = parse(text, 0);
  if (!value) fail_msg("%s: %s at %zu", text, error.message, error.offset);
  return value;
}

static void words_are_read(void **state) {
  (void)state;
  assert_int_equal(parse_valid("null")->type, ST_JSON_NULL);
  st_json *yes = parse_valid(" \t\r\n true \t\r\n ");
  assert_int_equal(yes->type, ST_JSON_BOOL);
  assert_true(yes->boolean);
  st_json *no = parse_valid("false");
  assert_int_equal(no->type, ST_JSON_BOOL);
  assert_false(no->boolean);
}

static void integers_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t value;
  } cases[] = {{"0", 0}, {"7", 7}, {"-1", -1}, {"9223372036854775807", INT64_MAX}, {"-9223372036854775808", INT64_MIN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_json *value = parse_valid(cases[i].text);
    assert_int_equal(value->type, ST_JSON_INT);
    assert_true(value->integer == cases[i].value);
    assert_true(value->real == (double)cases[i].value);
  }
}

static void other_numbers_are_reals(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } cases[] = {
      {"-0", -0.0},       {"0.0", 0.0},       {"1.5", 1.5},         {"1e3", 1000},   {"1E+3", 1000},
      {"12e-1", 1.2},     {"-0.25e2", -25},   {"0e0", 0},           {"1e-400", 0},   {"0.1", 0.1},
      {"1e308", 1e308},   {"9223372036854775808", 9223372036854775808.0},
      {"-9223372036854775809", -9223372036854775808.0},
      {"123456789012345678901234567890", 1.2345678901234568e29},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    st_json *value = parse_valid(cases[i].text);
    assert_int_equal(value->type, ST_JSON_REAL);
    assert_memory_equal(&value->real, &cases[i].value, sizeof(double));
  }
}

static void check_string(const char *json, unsigned flags, const char *expected, size_t length) {
  st_json *value = parse(json, flags);
  if (!value) fail_msg("%s: %s at %zu", json, error.message, error.offset);
  assert_int_equal(value->type, ST_JSON_STRING);
  assert_int_equal(value->length, length);
  assert_memory_equal(value->text, expected, length);
  assert_int_equal(value->text[length], '\0');
}

#define CHECK_STRING(json, flags, expected) check_string(json, flags, expected, sizeof(expected) - 1)

static void strings_are_decoded(void **state) {
  (void)state;
  CHECK_STRING("\"\"", 0, "");
  CHECK_STRING("\"plain\"", 0, "plain");
  CHECK_STRING("\"exactly8\"", 0, "exactly8");
  CHECK_STRING("\"a long run that is plain, over many words\"", 0, "a long run that is plain, over many words");
  CHECK_STRING("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", 0, "\"\\/\b\f\n\r\t");
  CHECK_STRING("\"between\\nplain runs\\tof text\"", 0, "between\nplain runs\tof text");
  CHECK_STRING("\"\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\"", 0, "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK_STRING("\"a\\u0000b\"", 0, "a\0b");
  CHECK_STRING("\"\\uFFFF\\uD7FF\\uE000\\uDBFF\\uDFFF\"", 0, "\xEF\xBF\xBF\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF");
  CHECK_STRING("\"h\xC3\xA9llo \xE2\x82\xAC \xF0\x9F\x98\x80\x7F\"", 0, "h\xC3\xA9llo \xE2\x82\xAC \xF0\x9F\x98\x80\x7F");
}

/* Each byte at each place among plain ones, so that no width of scanning misses it. */
static void every_byte_is_seen_everywhere(void **state) {
  (void)state;
  for (int byte = 0; byte < 256; byte++) {
    bool plain = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
    for (size_t place = 1; place <= 20; place++) {
      char text[] = "\"ABCDEFGHIJKLMNOPQRST\""; /* of which none names an escape */
      text[place] = (char)byte;
      st_json *value = parse_bytes(text, sizeof text - 1, 0);
      if (plain != (value != NULL)) fail_msg("byte %d at %zu", byte, place);
      if (plain) assert_memory_equal(value->text, text + 1, 20);
      st_arena_reset(&arena);
    }
  }
}

static void members_keep_their_order(void **state) {
  (void)state;
  st_json *list = parse_valid("[1, \"two\" ,[3],{},null]");
  assert_int_equal(list->type, ST_JSON_ARRAY);
  assert_int_equal(list->length, 5);
  static const st_json_type types[] = {ST_JSON_INT, ST_JSON_STRING, ST_JSON_ARRAY, ST_JSON_OBJECT, ST_JSON_NULL};
  const st_json *member = list->first;
  for (int i = 0; i < 5; i++, member = member->next) {
    assert_int_equal(member->type, types[i]);
    assert_null(member->key);
  }
  assert_null(member);
  assert_int_equal(parse_valid("[]")->length, 0);
  assert_null(parse_valid("[ \n ]")->first);
  assert_int_equal(parse_valid("{ }")->type, ST_JSON_OBJECT);
}

static void names_are_found(void **state) {
  (void)state;
  st_json *object = parse_valid("{\"a\":1,\"b\":2,\"a\":3,\"\":4,\"\\u00e9\":5,\"x\\u0000y\":6}");
  assert_int_equal(object->length, 6);
  assert_true(object->first->integer == 1); /* all are kept */
  assert_true(st_json_get(object, "a")->integer == 3);
  assert_true(st_json_get(object, "b")->integer == 2);
  assert_true(st_json_get(object, "")->integer == 4);
  assert_true(st_json_get(object, "\xC3\xA9")->integer == 5);
  assert_null(st_json_get(object, "x"));
  assert_null(st_json_get(object, "ab"));
  assert_string_equal(st_json_get(object, "b")->key, "b");
  assert_int_equal(st_json_get(object, "b")->key_length, 1);
  assert_null(st_json_get(NULL, "a"));
  assert_null(st_json_get(parse_valid("[1]"), "a"));
}

static void raw_is_the_text_of_the_value(void **state) {
  (void)state;
  static const char text[] = " { \"a\" : [ 1 , \"x\\n\" ] , \"b\" : -1.50e+2 , \"c\":true } ";
  static const struct {
    const char *key;
    const char *raw;
  } cases[] = {{"a", "[ 1 , \"x\\n\" ]"}, {"b", "-1.50e+2"}, {"c", "true"}};
  st_json *object = st_json_parse(&arena, text, sizeof text - 1, 0, &error);
  assert_non_null(object);
  assert_ptr_equal(object->raw, text + 1);
  assert_int_equal(object->raw_length, sizeof text - 3);
  for (size_t i = 0; i < 3; i++) {
    const st_json *member = st_json_get(object, cases[i].key);
    assert_int_equal(member->raw_length, strlen(cases[i].raw));
    assert_memory_equal(member->raw, cases[i].raw, member->raw_length);
  }
}

static const struct {
  const char *text;
  size_t offset;
  const char *message;
} refusals[] = {
    {"", 0, "a value is missing"},
    {"  ", 2, "a value is missing"},
    {"nul", 0, "a value is missing"},
    {"TRUE", 0, "a value is missing"},
    {"NaN", 0, "a value is missing"},
    {"Infinity", 0, "a value is missing"},
    {"+1", 0, "a value is missing"},
    {".5", 0, "a value is missing"},
    {"'a'", 0, "a value is missing"},
    {"[1,]", 3, "a value is missing"},
    {"[,1]", 1, "a value is missing"},
    {"[", 1, "a value is missing"},
    {"// no\n1", 0, "a value is missing"},
    {"\xEF\xBB\xBF" "1", 0, "a value is missing"},
    {"\f1", 0, "a value is missing"},
    {"-Infinity", 1, "a digit is missing"},
    {"-", 1, "a digit is missing"},
    {"1.", 2, "a digit is missing"},
    {"1.e3", 2, "a digit is missing"},
    {"1e", 2, "a digit is missing"},
    {"1e+", 3, "a digit is missing"},
    {"01", 0, "a number has a leading zero"},
    {"-007", 1, "a number has a leading zero"},
    {"[1e400]", 1, "number out of range"},
    {"-1e400", 0, "number out of range"},
    {"1 2", 2, "something follows the value"},
    {"{}}", 2, "something follows the value"},
    {"nullx", 4, "something follows the value"},
    {"0x10", 1, "something follows the value"},
    {"1 // no", 2, "something follows the value"},
    {"[1 2]", 3, "a comma or ] is missing"},
    {"[1", 2, "a comma or ] is missing"},
    {"[1}", 2, "a comma or ] is missing"},
    {"{\"a\":1", 6, "a comma or } is missing"},
    {"{\"a\":1]", 6, "a comma or } is missing"},
    {"{\"a\":1 \"b\":2}", 7, "a comma or } is missing"},
    {"{a:1}", 1, "a name in quotes is missing"},
    {"{\"a\":1,}", 7, "a name in quotes is missing"},
    {"{1:1}", 1, "a name in quotes is missing"},
    {"{", 1, "a name in quotes is missing"},
    {"{\"a\"}", 4, "a colon is missing"},
    {"{\"a\" 1}", 5, "a colon is missing"},
    {"{\"a\":}", 5, "a value is missing"},
    {"\"", 1, "the text ends inside a string"},
    {"\"abc", 4, "the text ends inside a string"},
    {"\"abc\\", 4, "the text ends inside a string"},
    {"\"abc\\\"", 6, "the text ends inside a string"},
    {"\"a\\x\"", 2, "no such escape"},
    {"\"\\'\"", 1, "no such escape"},
    {"\"\\u12\"", 1, "\\u needs four hexadecimal digits"},
    {"\"\\u12G4\"", 1, "\\u needs four hexadecimal digits"},
    {"\"\\u", 1, "\\u needs four hexadecimal digits"},
    {"\"\\uD800\"", 1, "half of a surrogate pair"},
    {"\"\\uD800\\n\"", 1, "half of a surrogate pair"},
    {"\"\\uD800\\u0041\"", 1, "half of a surrogate pair"},
    {"\"\\uD800\\uD800\"", 1, "half of a surrogate pair"},
    {"\"\\uD800\\uE000\"", 1, "half of a surrogate pair"},
    {"\"\\uDC00\\uD800\"", 1, "half of a surrogate pair"},
    {"\"a\nb\"", 2, "a control character in a string must be escaped"},
    {"\"\x1F\"", 1, "a control character in a string must be escaped"},
    {"{\"\t\":1}", 2, "a control character in a string must be escaped"},
};

static void refusals_say_why_and_where(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    error = (st_json_error){0};
    if (parse(refusals[i].text, 0)) fail_msg("%s was read", refusals[i].text);
    assert_string_equal(error.message, refusals[i].message);
    if (error.offset != refusals[i].offset) fail_msg("%s: at %zu", refusals[i].text, error.offset);
    assert_false(error.nomem);
  }
  assert_null(st_json_parse(&arena, NULL, 0, 0, &error));
  assert_null(st_json_parse(&arena, NULL, 0, 0, NULL));
  assert_null(parse_bytes("1\0", 2, 0));
  assert_null(parse_bytes("\"a\0b\"", 5, 0));
}

/* Bytes that are no UTF-8, and what replaces them: one U+FFFD for each longest beginning of a
** character, as the Unicode standard recommends. */
static const struct {
  const char *bytes;
  const char *replaced;
} bad_utf8[] = {
    {"\x80", FFFD},
    {"\xC0\xAF", FFFD FFFD},
    {"\xC1\xBF", FFFD FFFD},
    {"\xC3", FFFD},
    {"\xC3(", FFFD "("},
    {"\xE0\x80\x80", FFFD FFFD FFFD},
    {"\xE0\x9F\xBF", FFFD FFFD FFFD},
    {"\xE2\x82", FFFD},
    {"\xE2\x82(", FFFD "("},
    {"\xED\xA0\x80", FFFD FFFD FFFD},
    {"\xF0\x8F\xBF\xBF", FFFD FFFD FFFD FFFD},
    {"\xF0\x9F\x98", FFFD},
    {"\xF4\x90\x80\x80", FFFD FFFD FFFD FFFD},
    {"\xF5\x80\x80\x80", FFFD FFFD FFFD FFFD},
    {"\xFF\xFE", FFFD FFFD},
    {"\xC3\xA9\xA9\xC3\xA9", "\xC3\xA9" FFFD "\xC3\xA9"},
};

static void bad_utf8_is_refused_or_replaced(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_utf8 / sizeof *bad_utf8; i++) {
    char text[32], expected[32];
    snprintf(text, sizeof text, "\"a%sz\"", bad_utf8[i].bytes);
    snprintf(expected, sizeof expected, "a%sz", bad_utf8[i].replaced);
    assert_null(parse(text, 0));
    assert_string_equal(error.message, "not UTF-8");
    check_string(text, ST_JSON_LENIENT, expected, strlen(expected));
    assert_null(parse_bytes(text, strlen(text) - 2, ST_JSON_LENIENT)); /* cut inside the bytes */
  }
}

static void lenient_takes_what_others_wrote(void **state) {
  (void)state;
  CHECK_STRING("\"a\nb\t\x01\"", ST_JSON_LENIENT, "a\nb\t\x01");
  CHECK_STRING("\"x\\uD800y\"", ST_JSON_LENIENT, "x" FFFD "y");
  CHECK_STRING("\"\\uD800\\uD83D\\uDE00\"", ST_JSON_LENIENT, FFFD "\xF0\x9F\x98\x80");
  CHECK_STRING("\"\\uDC00\\n\"", ST_JSON_LENIENT, FFFD "\n");
  CHECK_STRING("\"\\uD800\"", ST_JSON_LENIENT, FFFD);
  st_json *raw_nul = parse_bytes("\"a\0b\"", 5, ST_JSON_LENIENT);
  assert_int_equal(raw_nul->length, 3);
  st_json *list = parse("[NaN,Infinity,-Infinity,1e400,-1e400,-5]", ST_JSON_LENIENT);
  assert_int_equal(list->length, 6);
  const st_json *member = list->first;
  for (int i = 0; i < 5; i++, member = member->next) assert_int_equal(member->type, ST_JSON_NULL);
  assert_true(member->integer == -5);
  static const char *const refused[] = {"[1,]", "'a'", "-NaN", "-Inf", "nan", "// x\n1", "\"\\x\"", "\"\\u12\"", "01", "1 2"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    if (parse(refused[i], ST_JSON_LENIENT)) fail_msg("%s was read", refused[i]);
  }
}

static void depth_is_bounded(void **state) {
  (void)state;
  enum { MANY = 100000 };
  static char text[MANY];
  memset(text, '[', ST_JSON_MAX_DEPTH);
  memset(text + ST_JSON_MAX_DEPTH, ']', ST_JSON_MAX_DEPTH);
  assert_non_null(parse_bytes(text, 2 * ST_JSON_MAX_DEPTH, 0));
  memset(text, '[', MANY);
  for (unsigned flags = 0; flags <= ST_JSON_LENIENT; flags++) {
    assert_null(parse_bytes(text, MANY, flags));
    assert_string_equal(error.message, "nested too deeply");
    assert_int_equal(error.offset, ST_JSON_MAX_DEPTH);
  }
  /* Depth, not the number of brackets. */
  st_str wide;
  st_str_init(&wide, MANY);
  st_str_addz(&wide, "[[]");
  for (int i = 0; i < 2 * ST_JSON_MAX_DEPTH; i++) st_str_addz(&wide, ",[{}]");
  st_str_addz(&wide, "]");
  assert_non_null(parse_bytes(wide.text, wide.length, 0));
  st_str_free(&wide);
}

static const char document[] =
    "{\"name\":\"st\\u00e9le\",\"tags\":[\"a\",\"b\\n\",\"\xE2\x82\xAC\"],\"n\":-12.5e3,"
    "\"deep\":{\"x\":[[],[{}],[null,true,false]],\"big\":123456789012345678901},\"s\":\"\\uD83D\\uDE00\"}";

static void every_beginning_is_refused(void **state) {
  (void)state;
  size_t length = sizeof document - 1;
  assert_non_null(parse_bytes(document, length, 0));
  for (size_t i = 0; i < length; i++) {
    assert_null(parse_bytes(document, i, 0));
    assert_true(error.offset <= i);
    assert_null(parse_bytes(document, i, ST_JSON_LENIENT));
  }
}

static void no_memory_is_told(void **state) {
  (void)state;
  enum { MEMBERS = 3000 };
  st_str text;
  st_str_init(&text, 1000000);
  st_str_addc(&text, '[');
  for (int i = 0; i < MEMBERS; i++) st_str_addf(&text, "%s{\"key\":\"a\\nb\",\"n\":%d}", i ? "," : "", i);
  st_str_addc(&text, ']');
  assert_false(text.failed);
  int n = 1;
  for (;; n++) {
    fail_alloc_nth(n);
    st_json *value = st_json_parse(&arena, text.text, text.length, 0, &error);
    bool reached = fail_alloc_end();
    assert_int_equal(value == NULL, reached);
    st_arena_free(&arena);
    if (!reached) break;
    assert_true(error.nomem);
    assert_string_equal(error.message, "out of memory");
  }
  assert_true(n > 5);
  st_str_free(&text);
}

/* An arena with too low a maximum, at every maximum. */
static void full_arena_is_told(void **state) {
  (void)state;
  size_t max = 0;
  st_json *value = NULL;
  for (; !value; max += 16) {
    st_arena small;
    st_arena_init(&small, max);
    value = st_json_parse(&small, document, sizeof document - 1, 0, &error);
    if (!value) assert_true(error.nomem);
    st_arena_free(&small);
  }
  assert_true(max > 1000);
}

static void check_written(const char *text, size_t length, const char *expected) {
  st_str out;
  st_str_init(&out, 10000);
  st_json_add_string(&out, text, length);
  assert_false(out.failed);
  assert_string_equal(out.text, expected);
  st_str_free(&out);
}

static void strings_are_written(void **state) {
  (void)state;
  check_written(NULL, 0, "\"\"");
  check_written("plain", 5, "\"plain\"");
  check_written("\"\\/\b\f\n\r\t", 8, "\"\\\"\\\\/\\b\\f\\n\\r\\t\"");
  check_written("a\0b\x1F\x7F", 5, "\"a\\u0000b\\u001f\x7F\"");
  check_written("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9, "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
  check_written("\xC3\xA9", 1, "\"" FFFD "\""); /* cut by the length */
  for (size_t i = 0; i < sizeof bad_utf8 / sizeof *bad_utf8; i++) {
    char expected[32];
    snprintf(expected, sizeof expected, "\"%s\"", bad_utf8[i].replaced);
    check_written(bad_utf8[i].bytes, strlen(bad_utf8[i].bytes), expected);
  }
}

static void numbers_are_written(void **state) {
  (void)state;
  st_str out;
  st_str_init(&out, 10000);
  static const int64_t ints[] = {0, 7, -7, 10, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
    st_json_add_int(&out, ints[i]);
    st_str_addc(&out, ' ');
  }
  assert_string_equal(out.text, "0 7 -7 10 9223372036854775807 -9223372036854775808 ");
  st_str_clear(&out);
  const double reals[] = {0.1, 3.0, -0.0, 1e300, (double)NAN, (double)INFINITY, -(double)INFINITY};
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
    st_json_add_real(&out, reals[i]);
    st_str_addc(&out, ' ');
  }
  assert_string_equal(out.text, "0.1 3.0 -0.0 1e+300 null null null ");
  st_str_free(&out);
}

/* Any bytes, written, are strict JSON; bytes that were UTF-8 come back as they were. */
static void written_strings_are_read_back(void **state) {
  (void)state;
  uint32_t seed = 12345;
  st_str out;
  st_str_init(&out, 10000);
  for (int round = 0; round < 5000; round++) {
    char bytes[40];
    size_t length = (size_t)round % sizeof bytes;
    bool ascii = round % 2 == 0;
    for (size_t i = 0; i < length; i++) {
      seed = seed * 1664525 + 1013904223;
      bytes[i] = (char)(ascii ? (seed >> 24) & 0x7F : seed >> 24);
    }
    st_str_clear(&out);
    st_json_add_string(&out, bytes, length);
    st_json *value = parse_bytes(out.text, out.length, 0);
    assert_non_null(value);
    if (ascii) {
      assert_int_equal(value->length, length);
      assert_memory_equal(value->text, bytes, length);
    }
    st_arena_reset(&arena);
  }
  st_str_free(&out);
}

static void writing_stops_at_the_maximum(void **state) {
  (void)state;
  st_str out;
  st_str_init(&out, 5);
  st_json_add_string(&out, "abc", 3);
  assert_false(out.failed);
  st_str_clear(&out);
  st_json_add_string(&out, "abcd", 4);
  assert_true(out.failed);
  st_str_free(&out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(words_are_read),
      TEST(integers_are_read),
      TEST(other_numbers_are_reals),
      TEST(strings_are_decoded),
      TEST(every_byte_is_seen_everywhere),
      TEST(members_keep_their_order),
      TEST(names_are_found),
      TEST(raw_is_the_text_of_the_value),
      TEST(refusals_say_why_and_where),
      TEST(bad_utf8_is_refused_or_replaced),
      TEST(lenient_takes_what_others_wrote),
      TEST(depth_is_bounded),
      TEST(every_beginning_is_refused),
      TEST(no_memory_is_told),
      TEST(full_arena_is_told),
      TEST(strings_are_written),
      TEST(numbers_are_written),
      TEST(written_strings_are_read_back),
      TEST(writing_stops_at_the_maximum),
  };
  return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
