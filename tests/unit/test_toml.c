/* test_toml.c - settings in a part of TOML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/toml.h"
#include "fail_alloc.h"

static st_arena arena;
static st_toml_error error;

static const st_toml *parse(const char *text) {
  st_arena_reset(&arena);
  return st_toml_parse(&arena, text, strlen(text), &error);
}

static int begin(void **state) {
  (void)state;
  st_arena_init(&arena, 1 << 20);
  return 0;
}

static int end(void **state) {
  (void)state;
  st_arena_free(&arena);
  return 0;
}

static void values_of_every_kind(void **state) {
  (void)state;
  const st_toml *root = parse("# a comment\n"
                              "a = \"x\\ty\\u00e9\\\"\" # another\r\n"
                              "b = 'C:\\n'\n"
                              "\t\"c d\"=-1_000\n"
                              "e = true\nf=false\n"
                              "g = [ 1, 2, # three\n 3,\n]\nh = []\ni = ['a', \"b\"]\nj = 0\nk = +7");
  assert_non_null(root);
  assert_string_equal(st_toml_get(root, "a")->text, "x\ty\xC3\xA9\"");
  assert_string_equal(st_toml_get(root, "b")->text, "C:\\n");
  assert_int_equal(st_toml_get(root, "c d")->integer, -1000);
  assert_int_equal(st_toml_get(root, "c d")->line, 4);
  assert_int_equal(st_toml_get(root, "e")->type, ST_TOML_BOOL);
  assert_int_equal(st_toml_get(root, "e")->integer, 1);
  assert_int_equal(st_toml_get(root, "f")->integer, 0);
  const st_toml *list = st_toml_get(root, "g");
  assert_int_equal(list->type, ST_TOML_ARRAY);
  assert_int_equal(list->first->next->next->integer, 3);
  assert_int_equal(list->last->line, 8);
  assert_null(st_toml_get(root, "h")->first);
  assert_string_equal(st_toml_get(root, "i")->last->text, "b");
  assert_int_equal(st_toml_get(root, "j")->integer, 0);
  assert_int_equal(st_toml_get(root, "k")->integer, 7);
  assert_null(st_toml_get(root, "l"));
}

static void tables_and_arrays_of_tables(void **state) {
  (void)state;
  const st_toml *root = parse("a=1\n[one]\na=2\n[[many]]\na=3\n\n[[ many ]]\na=4\n[two]");
  assert_non_null(root);
  assert_int_equal(st_toml_get(root, "a")->integer, 1);
  assert_int_equal(st_toml_get(st_toml_get(root, "one"), "a")->integer, 2);
  const st_toml *many = st_toml_get(root, "many");
  assert_int_equal(many->type, ST_TOML_TABLES);
  assert_int_equal(st_toml_get(many->first, "a")->integer, 3);
  assert_int_equal(st_toml_get(many->last, "a")->integer, 4);
  assert_int_equal(many->last->line, 7);
  assert_null(st_toml_get(root, "two")->first);
  assert_non_null(parse(""));
  assert_non_null(parse(" \n# x"));
}

static void mistakes_name_their_line(void **state) {
  static const struct {
    const char *text;
    int line;
    const char *message;
  } wrong[] = {
      {"a", 1, "no ="},
      {"a=", 1, "a value is missing"},
      {"\n\na=b", 3, "b is no text"},
      {"a=1 2", 1, "something follows"},
      {"a=1\na=2", 2, "a stands twice"},
      {"[a]\n[a]", 2, "a stands twice"},
      {"[a]\n[[a]]", 2, "a stands twice"},
      {"[[a]]\n[a]", 2, "a stands twice"},
      {"[a", 1, "] is missing"},
      {"[[a]", 1, "] is missing"},
      {"[]", 1, "a key is missing"},
      {"a.b=1", 1, "dotted keys"},
      {"a={}", 1, "inline tables"},
      {"a=\"\"\"x\"\"\"", 1, "several lines"},
      {"a=\"x", 1, "has no end"},
      {"a='x\n'", 1, "has no end"},
      {"a=\"\\x\"", 1, "no such escape"},
      {"a=\"\\ud800\"", 1, "is no character"},
      {"a=\"\\u0000\"", 1, "is no character"},
      {"a=\"\\u12\"", 1, "is no character"},
      {"a=\"\x01\"", 1, "control character"},
      {"a=\"\xFF\"", 1, "not UTF-8"},
      {"# \xE1here\na=1", 1, "not UTF-8"},
      {"a=[1 2]", 1, "a comma or ] is missing"},
      {"a=[1,\n\n", 3, "a value is missing"},
      {"a=1.5", 1, "1.5 is no text"},
      {"a=1_", 1, "1_ is no text"},
      {"a=01", 1, "01 is no text"},
      {"a=99999999999999999999", 1, "is no text"},
      {"a=2026-01-01", 1, "is no text"},
      {"a=[[[[[[[[[[[[[[[[[1", 1, "nested too deeply"},
      {"# \x01", 1, "control character"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    if (parse(wrong[i].text)) fail_msg("taken: %s", wrong[i].text);
    if (!strstr(error.message, wrong[i].message)) fail_msg("%s: %s", wrong[i].text, error.message);
    assert_int_equal(error.line, wrong[i].line);
    assert_false(error.nomem);
  }
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (int n = 1;; n++) {
    st_arena_free(&arena);
    st_arena_init(&arena, 1 << 20);
    fail_alloc_nth(n);
    const st_toml *root = parse("a = ['x', 'y']\n[[t]]\nb=1");
    if (!fail_alloc_end()) {
      assert_non_null(root);
      break;
    }
    assert_null(root);
    assert_true(error.nomem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(values_of_every_kind, begin, end),
      cmocka_unit_test_setup_teardown(tables_and_arrays_of_tables, begin, end),
      cmocka_unit_test_setup_teardown(mistakes_name_their_line, begin, end),
      cmocka_unit_test_setup_teardown(every_allocation_may_fail, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
