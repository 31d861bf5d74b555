/* fuzz_query.c - any text as a query: its tree is as query.h says, every form of it can be written, and FTS5 finds in a text what
** matching without an index finds.  The query is the first line, the text what follows. */
#include <sqlite3.h>
#include <string.h>

#include "fuzz/target.h"
#include "search/fts5_token.h"
#include "search/inside.h"
#include "search/match.h"

static sqlite3 *db;
static sqlite3_stmt *insert, *find;

static void open_index(void) {
  static uint32_t counted;
  static st_inner inner;
  must(sqlite3_open(":memory:", &db) == SQLITE_OK && st_fts5_tokenizer_register(db, &counted, &inner) == SQLITE_OK, "no tokeniser");
  must(sqlite3_exec(db, "CREATE VIRTUAL TABLE f USING fts5(content, tokenize='stele')", NULL, NULL, NULL) == SQLITE_OK, "no table");
  must(sqlite3_prepare_v2(db, "INSERT INTO f(rowid, content) VALUES (1, ?1)", -1, &insert, NULL) == SQLITE_OK, "no insert");
  must(sqlite3_prepare_v2(db, "SELECT rowid FROM f WHERE f MATCH ?1", -1, &find, NULL) == SQLITE_OK, "no search");
}

static void check_term(const st_query *query, int number) {
  const st_term *term = &query->terms[number];
  must(term->number == number && term->count >= 1 && term->count <= ST_PHRASE_TOKENS_MAX, "a term");
  must(term->tokens[0].kind != ST_TOKEN_BOUNDARY && term->tokens[term->count - 1].kind != ST_TOKEN_BOUNDARY, "a boundary at an end");
  for (int i = 0; i < term->count; i++)
    must(strlen(term->tokens[i].text) == term->tokens[i].length && term->tokens[i].typed, "a token");
}

/* The number of the next term, from left to right. */
static int walk(const st_query_node *node, int next) {
  if (node->kind == ST_QUERY_TERM) {
    must(node->term->number == next, "terms are in their order");
    return next + 1;
  }
  must(node->kind != ST_QUERY_EMPTY, "only the root may be empty");
  return walk(node->right, walk(node->left, next));
}

static void check(const st_query *query) {
  must(query && query->remark && query->term_count <= ST_QUERY_TERMS_MAX, "a query");
  for (int i = 0; i < query->term_count; i++) check_term(query, i);
  if (query->root->kind == ST_QUERY_EMPTY) return;
  must(walk(query->root, 0) == query->term_count, "the tree has all terms");
}

static void write_all(const st_query *query) {
  static void (*const forms[])(const st_query *query, st_str *out) = {st_query_fts5, st_query_tsquery, st_query_tsquery_loose};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    st_str out;
    st_str_init(&out, 16 << 20);
    forms[i](query, &out);
    must(!out.failed && (out.length == 0 || strlen(out.text) == out.length), "a form of the query");
    st_str_free(&out);
  }
}

/* Does FTS5 find the query in the text? */
static bool fts5_finds(const st_query *query, const char *text, size_t length) {
  st_str expression;
  st_str_init(&expression, 16 << 20);
  st_query_fts5(query, &expression);
  must(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK, "no transaction");
  sqlite3_bind_text(insert, 1, text, (int)length, SQLITE_STATIC);
  must(sqlite3_step(insert) == SQLITE_DONE, "the text is not taken");
  sqlite3_reset(insert);
  sqlite3_bind_text(find, 1, expression.text, -1, SQLITE_STATIC);
  int result = sqlite3_step(find);
  must(result == SQLITE_ROW || result == SQLITE_DONE, sqlite3_errmsg(db));
  sqlite3_reset(find);
  must(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK, "no way back");
  st_str_free(&expression);
  return result == SQLITE_ROW;
}

static void check_match(st_arena *arena, const st_query *query, const char *text, size_t length) {
  st_column column = {text, length};
  st_matcher *matcher = st_matcher_new(arena, query);
  must(matcher != NULL, "no memory");
  must(st_match(matcher, &column, 1) == fts5_finds(query, text, length), "FTS5 says something else");
}

/* A quick look rules nothing out that is inside. */
static void check_inside(st_arena *arena, const st_query *query, const char *text, size_t length) {
  st_query inside = *query;
  st_column column = {text, length};
  inside.inside = true;
  st_matcher *matcher = st_matcher_new(arena, &inside);
  must(matcher != NULL, "no memory");
  if (st_match(matcher, &column, 1)) must(st_inside_may_match(arena, &inside, text, length), "the quick look leaves something out");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *query_text = (const char *)data, *newline = size ? memchr(data, '\n', size) : NULL;
  size_t query_length = newline ? (size_t)(newline - query_text) : size;
  const char *text = newline ? newline + 1 : "";
  size_t length = newline ? size - query_length - 1 : 0;
  st_arena arena;
  if (!db) open_index();
  st_arena_init(&arena, 64 << 20);
  const st_query *query = st_query_parse(&arena, query_text, query_length);
  check(query);
  const st_query *any = st_query_any(&arena, query), *phrase = st_query_phrase(&arena, query);
  check(any);
  check(phrase);
  write_all(query);
  check_match(&arena, query, text, length);
  check_match(&arena, any, text, length);
  check_match(&arena, phrase, text, length);
  check_inside(&arena, query, text, length);
  st_arena_free(&arena);
  return 0;
}
