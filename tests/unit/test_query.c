/* test_query.c - the query language, and how it is written for the engines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "fail_alloc.h"
#include "search/query.h"
#include "search/tsvector.h"

#define LENGTH(list) (sizeof(list) / sizeof *(list))

static st_arena arena;

static int set_up(void **state) {
  (void)state;
  st_arena_init(&arena, 16 * 1024 * 1024);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  st_arena_free(&arena);
  return 0;
}

/* Parse a copy that ends where the text ends and is gone afterwards. */
static const st_query *parse_bytes(const char *text, size_t length) {
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  const st_query *query = st_query_parse(&arena, exact, length);
  free(exact);
  assert_non_null(query);
  return query;
}

static const st_query *parse(const char *text) {
  return parse_bytes(text, strlen(text));
}

/* Written by one of the writers; in the arena. */
static const char *written(const st_query *query, void (*write)(const st_query *, st_str *)) {
  st_str out;
  st_str_init(&out, 1 << 20);
  write(query, &out);
  assert_false(out.failed);
  const char *copy = st_arena_copy(&arena, out.text, out.length);
  st_str_free(&out);
  return copy;
}

/* What a query is read as, shown by its FTS5 expression, and the remark. */
static void check(const char *text, const char *fts5, const char *remark) {
  const st_query *query = parse(text);
  assert_string_equal(written(query, st_query_fts5), fts5);
  assert_string_equal(query->remark, remark);
}

static void words_are_joined_by_and(void **state) {
  (void)state;
  check("docker", "\"docker\"", "");
  check("  Docker\tcompose\nup ", "\"docker\" AND \"compose\" AND \"up\"", "");
  check("a AND b", "\"a\" AND \"b\"", "");
  check("a\u3000b\u00A0c", "\"a\" AND \"b\" AND \"c\"", "");
}

static void operators_bind_not_and_or(void **state) {
  (void)state;
  check("a OR b", "\"a\" OR \"b\"", "");
  check("a OR b c", "\"a\" OR (\"b\" AND \"c\")", "");
  check("a b OR c d", "(\"a\" AND \"b\") OR (\"c\" AND \"d\")", "");
  check("a NOT b", "\"a\" NOT \"b\"", "");
  check("a NOT b c", "(\"a\" AND \"c\") NOT \"b\"", "");
  check("a AND NOT b", "\"a\" NOT \"b\"", "");
  check("NOT b a", "\"a\" NOT \"b\"", "");
  check("a NOT b NOT c", "\"a\" NOT (\"b\" OR \"c\")", "");
  check("a OR b NOT c OR d", "\"a\" OR (\"b\" NOT \"c\") OR \"d\"", "");
}

static void operators_are_upper_case(void **state) {
  (void)state;
  check("a and b or not c", "\"a\" AND \"and\" AND \"b\" AND \"or\" AND \"not\" AND \"c\"", "");
  check("And ORx NOTHING", "\"and\" AND \"orx\" AND \"nothing\"", "");
  check("\"a OR b\"", "\"a or b\"", "");
}

static void phrases_are_quoted(void **state) {
  (void)state;
  check("\"Deploy plan\" x", "\"deploy plan\" AND \"x\"", "");
  check("“deploy plan” „a b“", "\"deploy plan\" AND \"a b\"", "");
  check("a\"b c\"d", "\"a\" AND \"b c\" AND \"d\"", "");
  check("NOT\"a b\"c", "\"c\" NOT \"a b\"", "");
}

static void punctuation_makes_phrases(void **state) {
  (void)state;
  check("it's", "\"it s\"", "");
  check("a/b.py", "\"a b py\"", "");
  check("user@host", "\"user host\"", "");
  check("chat-send P2.2", "\"chat send\" AND \"p2 2\"", "");
  check("std::string main()", "\"std string\" AND \"main\"", "");
  check("50%", "\"50\"", "");
  check("TODO: x", "\"todo\" AND \"x\"", "");
  check("^foo +bar {x} --all", "\"foo\" AND \"bar\" AND \"x\" AND \"all\"", "");
}

static void cjk_is_a_phrase(void **state) {
  (void)state;
  check("部署计划", "\"部 署 计 划\"", "");
  check("部署 计划", "\"部 署\" AND \"计 划\"", "");
  check("修改youer服务端", "\"修 改 youer 服 务 端\"", "");
  check("大别山 OR 部署", "\"大 别 山\" OR \"部 署\"", "");
  check("部署，计划。", "\"部 署 . 计 划\"", "");
  check("🎉 done", "\"🎉\" AND \"done\"", "");
}

static void a_star_makes_a_prefix(void **state) {
  (void)state;
  check("depl*", "\"depl\"*", "");
  check("my-app*", "\"my app\"*", "");
  check("\"deploy pl\"* x", "\"deploy pl\"* AND \"x\"", "");
  check("(depl**)", "\"depl\"*", "");
  check("*depl", "\"depl\"", "");
  check("a*b", "\"a b\"", "");
  check("\"a*\"", "\"a\"", "");
  check("\"a b\" *", "\"a b\"", "ignored *");
}

static void what_is_left_over_is_dropped(void **state) {
  (void)state;
  check("OR a", "\"a\"", "dropped a dangling OR");
  check("a AND", "\"a\"", "dropped a dangling AND");
  check("a NOT", "\"a\"", "dropped a dangling NOT");
  check("a AND NOT", "\"a\"", "dropped a dangling AND; dropped a dangling NOT");
  check("a AND AND b", "\"a\" AND \"b\"", "dropped an extra AND");
  check("a OR AND b", "\"a\" OR \"b\"", "dropped an extra AND");
  check("a NOT NOT b", "\"a\" NOT \"b\"", "dropped an extra NOT");
  check("a NOT OR b", "\"a\" NOT \"b\"", "dropped an extra OR");
  check("a & b", "\"a\" AND \"b\"", "ignored &");
  check("a OR - b", "\"a\" OR \"b\"", "ignored -");
}

static void other_readings_are_remarked(void **state) {
  (void)state;
  check("docker -compose", "\"docker\" AND \"compose\"", "read -compose as the word compose");
  check("content:docker", "\"content docker\"", "read content:docker as the words content docker");
  check("tool_name:a-b-c-d", "\"tool name a b c d\"", "read tool_name:a-b-c-d as the words tool name a b ...");
  check("-部,署 x", "\"部 . 署\" AND \"x\"", "read -部,署 as the words 部 署");
  check("\"unbalanced x", "\"unbalanced\" AND \"x\"", "ignored a quote without its partner");
  check("\"a b\" c\"d", "\"a b\" AND \"c d\"", "ignored a quote without its partner");
  check("(a OR b) c", "\"a\" OR (\"b\" AND \"c\")", "brackets do not group");
  check("c NOT(a)", "\"c\" NOT \"a\"", "brackets do not group");
  check("(a b)", "\"a\" AND \"b\"", "");
}

static void a_query_may_be_empty(void **state) {
  (void)state;
  check("", "\"\"", "nothing to search for");
  check(" \n", "\"\"", "nothing to search for");
  check("AND", "\"\"", "dropped a dangling AND; nothing to search for");
  check("*", "\"\"", "ignored *; nothing to search for");
  check("\"\"", "\"\"", "ignored an empty phrase; nothing to search for");
  check("NOT x", "\"\"", "NOT alone finds nothing: NOT x; nothing to search for");
  check("a OR NOT x y OR NOT z", "\"a\" OR (\"y\" NOT \"x\")", "NOT alone finds nothing: NOT z");
  assert_int_equal(parse("...")->root->kind, ST_QUERY_EMPTY);
  assert_int_equal(parse("NOT x")->term_count, 0);
  assert_non_null(st_query_parse(&arena, NULL, 0));
}

static void the_tree_is_as_documented(void **state) {
  (void)state;
  const st_query *query = parse("a b NOT c OR \"d e\"*");
  assert_int_equal(query->root->kind, ST_QUERY_OR);
  const st_query_node *without = query->root->left;
  assert_int_equal(without->kind, ST_QUERY_NOT);
  assert_int_equal(without->left->kind, ST_QUERY_AND);
  assert_string_equal(without->right->term->tokens[0].text, "c");
  const st_term *phrase = query->root->right->term;
  assert_int_equal(phrase->count, 2);
  assert_true(phrase->prefix);
  assert_int_equal(query->term_count, 4);
  for (int i = 0; i < query->term_count; i++) assert_int_equal(query->terms[i].number, i);
  const st_term *wanted[ST_QUERY_TERMS_MAX];
  assert_int_equal(st_query_terms(query, wanted, ST_QUERY_TERMS_MAX), 3);
  assert_string_equal(wanted[1]->tokens[0].text, "b");
  assert_ptr_equal(wanted[2], phrase);
  assert_int_equal(st_query_terms(query, wanted, 2), 2);
}

/* ---- any input ---- */

static char *repeated(const char *piece, int times) {
  st_str text;
  st_str_init(&text, 16 << 20);
  for (int i = 0; i < times; i++) st_str_addz(&text, piece);
  return st_str_take(&text);
}

static void long_queries_are_cut(void **state) {
  (void)state;
  char *text = repeated("w ", 100);
  const st_query *query = parse(text);
  assert_int_equal(query->term_count, ST_QUERY_TERMS_MAX);
  assert_string_equal(query->remark, "searched for the first 64 terms only");
  st_free(text);
  text = repeated("w.", 100);
  query = parse(text);
  assert_int_equal(query->term_count, 1);
  assert_int_equal(query->terms[0].count, ST_PHRASE_TOKENS_MAX);
  assert_string_equal(query->remark, "cut a phrase to its first 64 tokens");
  st_free(text);
  text = repeated("部,", 100); /* token 64 is a boundary, at which no phrase ends */
  query = parse(text);
  assert_int_equal(query->terms[0].count, ST_PHRASE_TOKENS_MAX - 1);
  st_free(text);
  text = repeated("w ", 66);
  memcpy(text + 128, "OR w", 4); /* the operator before what was cut is not dangling */
  query = parse(text);
  assert_int_equal(query->term_count, ST_QUERY_TERMS_MAX);
  assert_string_equal(query->remark, "searched for the first 64 terms only");
  st_free(text);
}

static void a_prefix_that_was_cut_is_none(void **state) {
  (void)state;
  char *text = repeated("w.", 100);
  text[199] = '*';
  assert_false(parse(text)->terms[0].prefix);
  text[0] = '"';
  text[198] = '"';
  assert_false(parse(text)->terms[0].prefix);
  st_free(text);
}

static void any_bytes_are_a_query(void **state) {
  (void)state;
  static const char pieces[][8] = {"a",  " ",   "\"",  "*",    "AND ", " OR ", "NOT ", "-",  "(",       ")",
                                   "部", "，", "\xFF", "\xE2", ":",    "'",    "“",   "🎉", "content:", "é"};
  unsigned seed = 1;
  for (int round = 0; round < 3000; round++) {
    char text[512];
    size_t length = 0;
    int count = 1 + round % 40;
    for (int i = 0; i < count; i++) {
      seed = seed * 1103515245 + 12345;
      const char *piece = pieces[(seed >> 16) % LENGTH(pieces)];
      if ((seed >> 8) % 50 == 0) text[length++] = '\0';
      size_t size = strnlen(piece, 8);
      memcpy(text + length, piece, size);
      length += size;
    }
    const st_query *query = parse_bytes(text, length);
    assert_true(strlen(query->remark) < 1000);
    st_arena_reset(&arena);
  }
}

static void garbage_of_100_kb_is_read(void **state) {
  (void)state;
  static const char *const pieces[] = {"AND ", "NOT ", "\"", "\"\" ", "* ", "(",    "( ",
                                       "-",    "a",    "a ", "\xFF",  "部", "“a” ", "é*"};
  for (size_t i = 0; i < LENGTH(pieces); i++) {
    char *text = repeated(pieces[i], (int)(100000 / strlen(pieces[i])));
    const st_query *query = parse(text);
    assert_true(strlen(query->remark) < 1000);
    assert_true(query->term_count <= ST_QUERY_TERMS_MAX);
    st_free(text);
    st_arena_reset(&arena);
  }
}

static void remarks_stay_short_and_shown(void **state) {
  (void)state;
  check("- & + = < > a", "\"a\"", "ignored -; ignored &; ignored +; ignored =; ignored <; and more");
  const st_query *query = parse_bytes("\0\x01\xFF a", 5);
  assert_string_equal(query->remark, "ignored   \xEF\xBF\xBD");
  char *dashes = repeated("-", 1000);
  assert_int_equal(strlen(parse(dashes)->remark), strlen("ignored ...; nothing to search for") + 48);
  st_free(dashes);
}

static void parsing_without_memory_fails(void **state) {
  (void)state;
  static const char text[] = "a OR \"b c\"* NOT d & -e (f) 部署";
  st_arena_free(&arena);
  int n = 1;
  for (;; n++) {
    fail_alloc_nth(n);
    const st_query *query = st_query_parse(&arena, text, strlen(text));
    bool failed = fail_alloc_end();
    st_arena_free(&arena);
    if (!failed) break;
    assert_null(query);
  }
  assert_true(n > 2);
  /* The arena itself may be too small. */
  for (size_t max = 0;; max += 16) {
    st_arena small;
    st_arena_init(&small, max);
    const st_query *query = st_query_parse(&small, text, strlen(text));
    st_arena_free(&small);
    if (query) break;
  }
}

/* ---- PostgreSQL ---- */

static void check_tsquery(const char *text, const char *exact, const char *loose) {
  const st_query *query = parse(text);
  assert_string_equal(written(query, st_query_tsquery), exact);
  assert_string_equal(written(query, st_query_tsquery_loose), loose);
}

static void tsqueries_are_written(void **state) {
  (void)state;
  check_tsquery("a", "'a'", "'a'");
  check_tsquery("depl*", "'depl':*", "'depl':*");
  check_tsquery("a b OR c", "('a' & 'b') | 'c'", "('a' & 'b') | 'c'");
  check_tsquery("it's my-app*", "('it' <-> 's') & ('my' <-> 'app':*)", "('it' & 's') & ('my' & 'app':*)");
  check_tsquery("a NOT b NOT \"c d\"", "'a' & !('b' | ('c' <-> 'd'))", "'a'");
  check_tsquery("x OR a b NOT c", "'x' | (('a' & 'b') & !'c')", "'x' | (('a' & 'b'))");
  check_tsquery("部，署", "('部' <-> '\x01' <-> '署')", "('部' & '\x01' & '署')");
  check_tsquery("", "", "");
}

static void tsvectors_are_written(void **state) {
  (void)state;
  st_str out;
  st_str_init(&out, 1 << 21);
  static st_tsvector vector;
  st_tsvector_init(&vector, &out);
  st_tsvector_add(&vector, "It's 部，署", strlen("It's 部，署"), 'A');
  st_tsvector_add(&vector, NULL, 0, 'B');
  st_tsvector_add(&vector, "it", 2, 'C');
  assert_string_equal(out.text, "'it':1A 's':2A '部':3A '\x01':4A '署':5A 'it':8C ");
  assert_false(vector.phrases_lost || vector.words_lost);
  st_str_free(&out);
}

static void positions_beyond_the_last_are_left_out(void **state) {
  (void)state;
  st_str text, out;
  st_str_init(&text, 1 << 21);
  st_str_init(&out, 1 << 21);
  static st_tsvector vector;
  for (int i = 0; i < 20000; i++) st_str_addf(&text, "w%d ", i < 18000 ? i : 0);
  st_tsvector_init(&vector, &out);
  st_tsvector_add(&vector, text.text, text.length, 'D');
  assert_true(vector.phrases_lost);
  assert_false(vector.words_lost);
  assert_non_null(strstr(out.text, "'w16382':16383D 'w16383' 'w16384' "));
  assert_non_null(strstr(out.text, "'w17999' 'w0' "));
  assert_null(strstr(out.text, "'w0' 'w0'")); /* written once is enough */
  st_str_free(&text);
  st_str_free(&out);
}

static void a_frequent_word_loses_positions(void **state) {
  (void)state;
  static st_tsvector vector;
  st_str out;
  st_str_init(&out, 1 << 21);
  char *text = repeated("the ", 256);
  st_tsvector_init(&vector, &out);
  st_tsvector_add(&vector, text, strlen(text), 'D');
  assert_false(vector.phrases_lost);
  st_tsvector_add(&vector, text, 3, 'D');
  assert_true(vector.phrases_lost);
  assert_false(vector.words_lost);
  st_free(text);
  st_str_free(&out);
}

static void a_tsvector_stays_below_1_mb(void **state) {
  (void)state;
  static st_tsvector vector;
  st_str text, out;
  st_str_init(&text, 4 << 20);
  st_str_init(&out, 4 << 20);
  for (int i = 0; i < 30000; i++) st_str_addf(&text, "%0100d ", i); /* cut to 64 bytes, and so the same */
  for (int i = 0; i < 30000; i++) st_str_addf(&text, "%063d ", i);
  st_tsvector_init(&vector, &out);
  st_tsvector_add(&vector, text.text, text.length / 2, 'D');
  st_tsvector_add(&vector, text.text, text.length, 'D');
  assert_true(vector.words_lost && vector.phrases_lost);
  assert_true(out.length <= ST_TSVECTOR_MAX && out.length > ST_TSVECTOR_MAX - 100);
  assert_int_equal(out.text[out.length - 1], ' ');
  st_str_free(&text);
  st_str_free(&out);
}

/* ---- some of the words ---- */

static void check_any(const char *text, const char *fts5) {
  const st_query *any = st_query_any(&arena, parse(text));
  assert_non_null(any);
  assert_string_equal(written(any, st_query_fts5), fts5);
  for (int i = 0; i < any->term_count; i++) assert_int_equal(any->terms[i].number, i);
}

static void some_of_the_words(void **state) {
  (void)state;
  check_any("deploy the app", "\"deploy\" OR \"the\" OR \"app\"");
  check_any("\"deploy the\" NOT app", "\"deploy\" OR \"the\"");
  check_any("a/b.py my-ap*", "\"a\" OR \"b\" OR \"py\" OR \"my\" OR \"ap\"*");
  check_any("東京 x", "\"東 京\" OR \"x\"");
  check_any("one", "\"one\"");
  check_any("", "\"\"");
}

static void some_of_many_words(void **state) {
  (void)state;
  char text[ST_QUERY_TERMS_MAX * 4 + 1] = "";
  for (int i = 0; i < ST_QUERY_TERMS_MAX; i++) memcpy(text + (size_t)i * 4, "a-b ", 5);
  assert_int_equal(st_query_any(&arena, parse(text))->term_count, ST_QUERY_TERMS_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(words_are_joined_by_and, set_up, tear_down),
      cmocka_unit_test_setup_teardown(operators_bind_not_and_or, set_up, tear_down),
      cmocka_unit_test_setup_teardown(operators_are_upper_case, set_up, tear_down),
      cmocka_unit_test_setup_teardown(phrases_are_quoted, set_up, tear_down),
      cmocka_unit_test_setup_teardown(punctuation_makes_phrases, set_up, tear_down),
      cmocka_unit_test_setup_teardown(cjk_is_a_phrase, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_star_makes_a_prefix, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_is_left_over_is_dropped, set_up, tear_down),
      cmocka_unit_test_setup_teardown(other_readings_are_remarked, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_query_may_be_empty, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_tree_is_as_documented, set_up, tear_down),
      cmocka_unit_test_setup_teardown(long_queries_are_cut, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_prefix_that_was_cut_is_none, set_up, tear_down),
      cmocka_unit_test_setup_teardown(any_bytes_are_a_query, set_up, tear_down),
      cmocka_unit_test_setup_teardown(garbage_of_100_kb_is_read, set_up, tear_down),
      cmocka_unit_test_setup_teardown(remarks_stay_short_and_shown, set_up, tear_down),
      cmocka_unit_test_setup_teardown(parsing_without_memory_fails, set_up, tear_down),
      cmocka_unit_test_setup_teardown(tsqueries_are_written, set_up, tear_down),
      cmocka_unit_test_setup_teardown(tsvectors_are_written, set_up, tear_down),
      cmocka_unit_test_setup_teardown(positions_beyond_the_last_are_left_out, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_frequent_word_loses_positions, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_tsvector_stays_below_1_mb, set_up, tear_down),
      cmocka_unit_test_setup_teardown(some_of_the_words, set_up, tear_down),
      cmocka_unit_test_setup_teardown(some_of_many_words, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
