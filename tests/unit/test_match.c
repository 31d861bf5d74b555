/* test_match.c - matching a row that is not indexed, compared with what FTS5 says of the same row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "fail_alloc.h"
#include "in_arena.h"
#include "search/fts5_token.h"
#include "search/inside.h"
#include "search/match.h"

#define LENGTH(list) (sizeof(list) / sizeof *(list))
#define COLUMNS 3

static st_matcher *matcher_of(const char *query) {
  const st_query *parsed = st_query_parse(&arena, query, strlen(query));
  assert_non_null(parsed);
  st_matcher *matcher = st_matcher_new(&arena, parsed);
  assert_non_null(matcher);
  return matcher;
}

static bool matches(const char *query, const char *text) {
  st_column column = {text, strlen(text)};
  return st_match(matcher_of(query), &column, 1);
}

static void terms_are_found(void **state) {
  (void)state;
  assert_true(matches("docker", "the Docker daemon"));
  assert_false(matches("docker", "dockers"));
  assert_true(matches("dock*", "dockers"));
  assert_false(matches("dockers*", "docker"));
  assert_true(matches("\"the docker\"", "in the Docker daemon"));
  assert_false(matches("\"docker the\"", "in the Docker daemon"));
  assert_true(matches("\"the dae\"*", "the x the daemon"));
  assert_false(matches("\"the dae\"*", "the x daemon"));
  assert_true(matches("\"a a b\"", "a a a b"));
  assert_true(matches("\"a b a c\"", "a b a b a c"));
  assert_true(matches("\"a a\"*", "x a ab"));
}

static st_matcher *inside_of(const char *query) {
  st_query *wide = st_arena_alloc(&arena, sizeof *wide);
  assert_non_null(wide);
  *wide = *st_query_parse(&arena, query, strlen(query));
  wide->inside = true;
  return st_matcher_new(&arena, wide);
}

/* The quick look may only rule out what does not match. */
static bool is_inside(const char *query, const char *text) {
  st_column column = {text, strlen(text)};
  st_matcher *matcher = inside_of(query);
  assert_non_null(matcher);
  bool found = st_match(matcher, &column, 1);
  assert_true(!found || st_inside_may_match(&arena, st_matcher_query(matcher), text, strlen(text)));
  return found;
}

static void parts_of_words_are_found(void **state) {
  (void)state;
  assert_true(is_inside("ocke", "the DOCKER daemon"));
  assert_true(is_inside("docker", "the Docker daemon"));
  assert_false(is_inside("edae", "the daemon"));
  assert_false(is_inside("ockers", "docker s"));
  assert_true(is_inside("\"cker dae\"", "the docker -- daemon"));
  assert_false(is_inside("\"cke dae\"", "the docker daemon"));
  assert_false(is_inside("\"cker aem\"", "the docker daemon"));
  assert_false(is_inside("\"the cker daemon\"", "the docker daemon"));
  assert_true(is_inside("\"ana ban\"", "banana bana banana"));
  assert_true(is_inside("\"ana ana ana\"", "banana ana ana banana"));
  assert_true(is_inside("the oc* ocker", "the octopus docker"));
  assert_false(is_inside("th ocker", "the docker"));
  assert_true(is_inside("cole", "É\u0301COLES"));
  assert_true(is_inside("部署", "修改部署"));
  assert_true(is_inside("ocke NOT emo", "docker"));
  assert_false(is_inside("ocke NOT emo", "docker daemon"));
  assert_true(is_inside("zzz OR emo", "daemon"));
  assert_false(is_inside("", "daemon"));
}

typedef struct marked {
  const char *text;
  char found[100];
} marked;

static bool add_marked(void *to, size_t start, size_t end, const st_place *places, int count) {
  marked *m = to;
  (void)start, (void)end;
  for (int i = 0; i < count; i++) {
    size_t length = strlen(m->found);
    snprintf(m->found + length, sizeof m->found - length, "[%.*s]", (int)(places[i].end - places[i].start), m->text + places[i].start);
  }
  return true;
}

static void parts_of_words_are_where_they_stand(void **state) {
  static const struct {
    const char *query, *text, *found;
  } cases[] = {{"ocke", "docker Rocket", "[ocke][ocke]"},  {"asse", "Straßen, Straßen", "[aße][aße]"},
               {"\"cker dae\"", "a docker, daemon", "[cker, dae]"}, {"cole", "e\u0301cole\u0301s", "[cole\u0301]"},
               {"ffee", "kaf\u00ADfee", "[f\u00ADfee]"},         {"\"raßen bah\"", "Straßen bahn", "[raßen bah]"}};
  (void)state;
  for (size_t i = 0; i < LENGTH(cases); i++) {
    marked m = {.text = cases[i].text};
    assert_true(st_match_places(inside_of(cases[i].query), m.text, strlen(m.text), add_marked, &m));
    assert_string_equal(m.found, cases[i].found);
  }
}

static void operators_are_followed(void **state) {
  (void)state;
  assert_true(matches("a b", "b a"));
  assert_false(matches("a b", "b"));
  assert_true(matches("a OR b", "b"));
  assert_false(matches("a NOT b", "a b"));
  assert_true(matches("a NOT b", "a c"));
  assert_true(matches("x OR a NOT b", "x b"));
  assert_false(matches("", "a"));
  assert_false(matches("NOT b", "a"));
}

static void what_users_wrote_is_found(void **state) {
  (void)state;
  static const char *const texts[] = {
      "it's",  "a/b.py", "user@host", "50%",        "chat-send", "TODO: x", "P2.2", "snake_case",
      "ÉCOLE", "🎉",     "--force",   "部署，计划", "C++",       "-x",      "ﾊﾟｰﾃｨｰ",  "修改youer服务端",
  };
  for (size_t i = 0; i < LENGTH(texts); i++) {
    char text[200];
    snprintf(text, sizeof text, "before %s after", texts[i]);
    if (!matches(texts[i], text)) fail_msg("%s is not found", texts[i]);
  }
  assert_true(matches("youer", "修改youer服务端"));
  assert_true(matches("部", "修改部署"));
  assert_true(matches("改部", "修改部署"));
  assert_false(matches("改部", "修改，部署"));
  assert_false(matches("桂林 NOT 漓江", "桂林漓江"));
}

static void phrases_stay_in_their_column(void **state) {
  (void)state;
  st_column columns[] = {{"a b", 3}, {NULL, 0}, {"c d", 3}};
  assert_true(st_match(matcher_of("b d"), columns, COLUMNS));
  assert_false(st_match(matcher_of("\"b c\""), columns, COLUMNS));
  assert_false(st_match(matcher_of("\"b c\"*"), columns, COLUMNS));
  st_matcher *matcher = matcher_of("\"b c\" OR \"c d\"");
  assert_true(st_match(matcher, columns, COLUMNS));
  assert_false(st_match(matcher, columns, 1)); /* nothing is left from the row before */
}

static void occurrences_and_tokens_are_counted(void **state) {
  (void)state;
  st_column columns[] = {{"a a a b, 部。", strlen("a a a b, 部。")}, {"A b", 3}};
  st_matcher *matcher = matcher_of("a \"a a\" b* NOT z");
  assert_true(st_match(matcher, columns, 2));
  const st_query *query = st_matcher_query(matcher);
  static const int times[] = {4, 2, 2, 0};
  for (int i = 0; i < 4; i++) assert_int_equal(st_match_times(matcher, &query->terms[i]), times[i]);
  assert_int_equal(st_match_tokens(matcher), 8); /* with the boundary before 部 */
}

static void long_phrases_are_found(void **state) {
  (void)state;
  char query[400] = "\"", text[500] = "w w ";
  for (int i = 0; i < 64; i++) {
    char word[8];
    snprintf(word, sizeof word, "%s ", i % 7 ? "w" : "x");
    strcat(query, word);
    strcat(text, word);
  }
  strcat(query, "\"");
  assert_true(matches(query, text));
  text[strlen(text) - 2] = 'y';
  assert_false(matches(query, text));
}

static void matching_without_memory_fails(void **state) {
  (void)state;
  const st_query *query = st_query_parse(&arena, "a \"b c\" d*", strlen("a \"b c\" d*"));
  assert_non_null(query);
  bool failed = true;
  for (size_t max = 0; failed; max += 16) {
    st_arena small;
    st_arena_init(&small, max);
    failed = !st_matcher_new(&small, query);
    st_arena_free(&small);
  }
  st_arena fresh;
  st_arena_init(&fresh, 1 << 20);
  fail_alloc_nth(1);
  assert_null(st_matcher_new(&fresh, query));
  assert_true(fail_alloc_end());
  st_arena_free(&fresh);
}

/* ---- against FTS5 ---- */

static uint64_t seed;

static unsigned roll(unsigned sides) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(seed >> 33) % sides;
}

/* Words that share beginnings, CJK, symbols, and what stands between. */
static const char *const pieces[] = {
    "a",  "ab", "abc", "É", "e", "b", "部", "署", "计", "한", "ガ", "ｶﾞ",
    "🎉", "✅", "12", "it", "s", "C", "ß", "\xFF", "—", "🏽", "हि", "\u0301",
};
static const char *const gaps[] = {" ", " ", " ", "", "", ", ", ".", "，", "\n", "/", "-", "\u3000"};

static void add_text(char *text, size_t size, unsigned most) {
  text[0] = '\0';
  for (unsigned left = roll(most + 1); left; left--) {
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", pieces[roll(LENGTH(pieces))], gaps[roll(LENGTH(gaps))]);
  }
}

static void add_query(char *text, size_t size) {
  static const char *const joints[] = {" ", " ", " AND ", " OR ", " OR ", " NOT ", " AND NOT ", " OR NOT "};
  static const char *const frames[][2] = {{"", ""}, {"", ""}, {"", "*"}, {"\"", "\""}, {"\"", "\"*"}, {"(", ")"}};
  text[0] = '\0';
  for (unsigned left = 1 + roll(4); left; left--) {
    char term[100];
    add_text(term, sizeof term, 3);
    unsigned frame = roll(LENGTH(frames));
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s%s%s", frames[frame][0], term, frames[frame][1],
             left > 1 ? joints[roll(LENGTH(joints))] : "");
  }
}

static sqlite3 *db;
static uint32_t counted;
static st_inner inner;

static void run(const char *sql) {
  if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *stmt = NULL;
  if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
  return stmt;
}

static void open_index(void) {
  assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
  assert_int_equal(st_fts5_tokenizer_register(db, &counted, &inner), SQLITE_OK);
  bool deletes = sqlite3_libversion_number() >= 3043000;
  run(deletes ? "CREATE VIRTUAL TABLE f USING fts5(content, tool_name, tool_calls, content='', contentless_delete=1, "
                "tokenize='stele')"
              : "CREATE VIRTUAL TABLE f USING fts5(content, tool_name, tool_calls, content='', tokenize='stele')");
}

#define ROWS 60

static char rows[ROWS][COLUMNS][400];

static void fill_index(void) {
  sqlite3_stmt *insert = prepare("INSERT INTO f(rowid, content, tool_name, tool_calls) VALUES (?1, ?2, ?3, ?4)");
  for (int row = 0; row < ROWS; row++) {
    sqlite3_bind_int(insert, 1, row);
    for (int i = 0; i < COLUMNS; i++) {
      add_text(rows[row][i], sizeof rows[row][i], i ? 4 : 12);
      sqlite3_bind_text(insert, i + 2, rows[row][i], -1, SQLITE_STATIC);
    }
    assert_int_equal(sqlite3_step(insert), SQLITE_DONE);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
}

/* Which rows FTS5 finds. */
static void ask_fts5(sqlite3_stmt *find, const st_query *query, bool found[ROWS]) {
  st_str expression;
  st_str_init(&expression, 1 << 20);
  st_query_fts5(query, &expression);
  memset(found, 0, ROWS * sizeof *found);
  sqlite3_bind_text(find, 1, expression.text, -1, SQLITE_STATIC);
  int result;
  while ((result = sqlite3_step(find)) == SQLITE_ROW) found[sqlite3_column_int(find, 0)] = true;
  if (result != SQLITE_DONE) fail_msg("%s: %s", expression.text, sqlite3_errmsg(db));
  sqlite3_reset(find);
  st_str_free(&expression);
}

static void compare(sqlite3_stmt *find, const char *text, int *hits) {
  const st_query *query = st_query_parse(&arena, text, strlen(text));
  assert_non_null(query);
  st_matcher *matcher = st_matcher_new(&arena, query);
  assert_non_null(matcher);
  bool found[ROWS];
  ask_fts5(find, query, found);
  for (int row = 0; row < ROWS; row++) {
    st_column columns[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) columns[i] = (st_column){rows[row][i], strlen(rows[row][i])};
    bool matched = st_match(matcher, columns, COLUMNS);
    *hits += matched;
    if (matched != found[row])
      fail_msg("%s in [%s] [%s] [%s]: FTS5 says %d", text, rows[row][0], rows[row][1], rows[row][2], found[row]);
  }
  st_arena_reset(&arena);
}

static void fts5_finds_the_same_rows(void **state) {
  (void)state;
  int hits = 0;
  seed = 20250101;
  for (int round = 0; round < 20; round++) {
    open_index();
    fill_index();
    sqlite3_stmt *find = prepare("SELECT rowid FROM f WHERE f MATCH ?1");
    for (int i = 0; i < 150; i++) {
      char text[600];
      add_query(text, sizeof text);
      compare(find, text, &hits);
    }
    sqlite3_finalize(find);
    sqlite3_close(db);
  }
  assert_true(hits > 10000); /* or the comparison says little */
}

/* Every term with as many tokens as it may have, joined in the way that makes the deepest tree. */
static void fts5_takes_the_largest_queries(void **state) {
  (void)state;
  static const char *const joints[] = {" AND ", " OR ", " NOT ", " OR a NOT "};
  open_index();
  seed = 5;
  fill_index();
  sqlite3_stmt *find = prepare("SELECT rowid FROM f WHERE f MATCH ?1");
  for (size_t joint = 0; joint < LENGTH(joints); joint++) {
    st_str text;
    st_str_init(&text, 1 << 20);
    for (int term = 0; term < ST_QUERY_TERMS_MAX + 1; term++) {
      if (term) st_str_addz(&text, joints[joint]);
      for (int i = 0; i < ST_PHRASE_TOKENS_MAX + 1; i++) st_str_addf(&text, "%s.", term % 2 ? "部" : "a");
    }
    int hits = 0;
    compare(find, text.text, &hits);
    st_str_free(&text);
  }
  sqlite3_finalize(find);
  sqlite3_close(db);
}

/* An auxiliary function of FTS5 that gives the counts of a row, as a ranking function sees them. */
static void tell_counts(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *context, int count,
                        sqlite3_value **values) {
  (void)count, (void)values;
  int times[ST_QUERY_TERMS_MAX] = {0}, instances = 0, tokens = 0, phrase, column, offset;
  api->xInstCount(fts, &instances);
  for (int i = 0; i < instances; i++)
    if (api->xInst(fts, i, &phrase, &column, &offset) == SQLITE_OK) times[phrase]++;
  api->xColumnSize(fts, -1, &tokens);
  char text[1000];
  int length = snprintf(text, sizeof text, "%d", tokens);
  for (int i = 0; i < api->xPhraseCount(fts); i++)
    length += snprintf(text + length, sizeof text - (size_t)length, " %d", times[i]);
  sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void register_counts(void) {
  fts5_api *api = NULL;
  sqlite3_stmt *stmt = prepare("SELECT fts5(?1)");
  sqlite3_bind_pointer(stmt, 1, &api, "fts5_api_ptr", NULL);
  sqlite3_step(stmt);
  sqlite3_finalize(stmt);
  assert_non_null(api);
  assert_int_equal(api->xCreateFunction(api, "counts", NULL, tell_counts, NULL), SQLITE_OK);
}

static void fts5_counts_the_same(void **state) {
  (void)state;
  open_index();
  register_counts();
  static const char text[] = "a a ab 部署，计 a. É a a";
  sqlite3_stmt *insert = prepare("INSERT INTO f(rowid, content, tool_name) VALUES (1, ?1, 'a a')");
  sqlite3_bind_text(insert, 1, text, -1, SQLITE_STATIC);
  assert_int_equal(sqlite3_step(insert), SQLITE_DONE);
  sqlite3_finalize(insert);
  st_matcher *matcher = matcher_of("a* \"a a\" NOT zz OR 部署 NOT 计划 OR \"署，计\"");
  const st_query *query = st_matcher_query(matcher);
  st_column columns[] = {{text, strlen(text)}, {"a a", 3}};
  assert_true(st_match(matcher, columns, 2));
  char ours[200];
  int length = snprintf(ours, sizeof ours, "%zu", st_match_tokens(matcher));
  for (int i = 0; i < query->term_count; i++)
    length += snprintf(ours + length, sizeof ours - (size_t)length, " %d", st_match_times(matcher, &query->terms[i]));
  st_str expression;
  st_str_init(&expression, 1 << 20);
  st_query_fts5(query, &expression);
  sqlite3_stmt *find = prepare("SELECT counts(f) FROM f WHERE f MATCH ?1");
  sqlite3_bind_text(find, 1, expression.text, -1, SQLITE_STATIC);
  assert_int_equal(sqlite3_step(find), SQLITE_ROW);
  assert_string_equal(ours, (const char *)sqlite3_column_text(find, 0));
  assert_string_equal(ours, "13 8 3 0 1 0 1");
  sqlite3_finalize(find);
  sqlite3_close(db);
  st_str_free(&expression);
}

/* A text by itself is counted in one go where it is ASCII; with another column it is read token by token. */
static void counting_in_one_go_gives_what_reading_gives(void **state) {
  static const char *const queries[] = {"aba", "bab OR a0b", "aba bab NOT bbb", "abaabaaba", "bab*"};
  static const char letters[] = "aAbB0 -.\n\0\xC3";
  (void)state;
  for (unsigned n = 0, random = 1; n < 2000; n++) {
    char text[301];
    size_t length = n % 300;
    for (size_t i = 0; i < length; i++) {
      random = random * 1103515245u + 12345u;
      text[i] = letters[(random >> 16) % (n % 7 == 0 ? sizeof letters - 1 : sizeof letters - 2)];
      if (n % 5 == 0 && random >> 30) text[i] = 'a'; /* long words */
    }
    st_matcher *m = inside_of(queries[n % 5]);
    const st_query *query = st_matcher_query(m);
    const st_column columns[2] = {{text, length}, {"", 0}};
    int times[3];
    bool matches = st_match(m, columns, 1);
    size_t tokens = st_match_tokens(m);
    for (int i = 0; i < query->term_count; i++) times[i] = st_match_times(m, &query->terms[i]);
    assert_int_equal(st_match(m, columns, 2), matches);
    assert_int_equal(st_match_tokens(m), tokens);
    for (int i = 0; i < query->term_count; i++) assert_int_equal(st_match_times(m, &query->terms[i]), times[i]);
    st_arena_reset(&arena);
  }
}

/* The tokens are counted while FTS5 takes them, not in a query. */
static void tokens_are_counted_as_they_are_indexed(void **state) {
  (void)state;
  open_index();
  counted = 0;
  run("INSERT INTO f(rowid, content, tool_name) VALUES (1, 'a a ab 部署，计 a', 'a a')");
  assert_int_equal(counted, 10);
  run("SELECT 1 FROM f WHERE f MATCH 'a b c'");
  assert_int_equal(counted, 10);
  sqlite3_close(db);
}

static bool has_trigrams(const char *expression) {
  sqlite3_stmt *find = prepare("SELECT 1 FROM t WHERE t MATCH ?1");
  sqlite3_bind_text(find, 1, expression, -1, SQLITE_STATIC);
  bool found = sqlite3_step(find) == SQLITE_ROW;
  sqlite3_finalize(find);
  return found;
}

static void trigrams_are_those_of_the_words(void **state) {
  (void)state;
  open_index();
  run("CREATE VIRTUAL TABLE t USING fts5(content, content='', detail=none, tokenize='stele_trigram')");
  run("INSERT INTO t(rowid, content) VALUES (1, 'Banana banana, ab Straße привет 部署计划')");
  assert_true(has_trigrams("ban AND ana AND nan AND str AND ass AND sse AND при AND вет"));
  assert_false(has_trigrams("aba")); /* across two words */
  assert_false(has_trigrams("ab*")); /* too short */
  assert_false(has_trigrams("部署计"));
  sqlite3_close(db);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(terms_are_found, set_up, tear_down),
      cmocka_unit_test_setup_teardown(operators_are_followed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(parts_of_words_are_found, set_up, tear_down),
      cmocka_unit_test_setup_teardown(parts_of_words_are_where_they_stand, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_users_wrote_is_found, set_up, tear_down),
      cmocka_unit_test_setup_teardown(phrases_stay_in_their_column, set_up, tear_down),
      cmocka_unit_test_setup_teardown(occurrences_and_tokens_are_counted, set_up, tear_down),
      cmocka_unit_test_setup_teardown(long_phrases_are_found, set_up, tear_down),
      cmocka_unit_test_setup_teardown(matching_without_memory_fails, set_up, tear_down),
      cmocka_unit_test_setup_teardown(fts5_finds_the_same_rows, set_up, tear_down),
      cmocka_unit_test_setup_teardown(fts5_takes_the_largest_queries, set_up, tear_down),
      cmocka_unit_test_setup_teardown(fts5_counts_the_same, set_up, tear_down),
      cmocka_unit_test_setup_teardown(tokens_are_counted_as_they_are_indexed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(counting_in_one_go_gives_what_reading_gives, set_up, tear_down),
      cmocka_unit_test_setup_teardown(trigrams_are_those_of_the_words, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
