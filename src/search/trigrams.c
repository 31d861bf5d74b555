/* trigrams.c - see trigrams.h. */
#include "search/trigrams.h"

#include "base/chars.h"
#include "search/common.h"
#include "search/index_file.h"
#include "search/inner.h"
#include "search/inside.h"
#include "search/vocabulary.h"

#define EXPRESSION_MAX (1u << 20)
#define WORDS_MAX 64     /* with a part, and */
#define FEW_ROWS 20000   /* messages that have them: so many are listed in a few milliseconds */
#define READ_ROWS 2000   /* listed ones: reading them takes as long as finding out which need not be read */
#define SIFT_WORDS 16    /* with a part: so many are read beside each other */
#define SOURCE_TERMS 16  /* of a query with more, all is listed */

typedef struct finder {
  st_call *call;
  st_arena *arena;
  st_index *index;
  st_str match;
  bool listed[ST_QUERY_TERMS_MAX]; /* by number of the term */
} finder;

static st_ids look_up(finder *f, const char *sql) {
  st_ids found = {0};
  sqlite3_stmt *stmt = NULL;
  int code = f->match.failed ? SQLITE_NOMEM : sqlite3_prepare_v2(f->index->db, sql, -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_text(stmt, 1, f->match.text, (int)f->match.length, SQLITE_STATIC);
  if (code == SQLITE_OK) {
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW && st_ok(f->call))
      st_ids_add(f->call, f->arena, &found, sqlite3_column_int64(stmt, 0));
    code = code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : sqlite3_extended_errcode(f->index->db);
  }
  sqlite3_finalize(stmt);
  if (code != SQLITE_OK) st_index_fail(f->call, f->index, code);
  return found;
}

/* The runs of three characters, joined by AND, behind what is there.  One that begins with a mark would be read without it,
** and is left out. */
static void write_runs(st_str *out, const st_query_token *token, size_t *joined) {
  const char *starts[ST_TOKEN_MAX + 1], *end = token->text + token->length;
  int characters = 0, size;
  for (const char *at = token->text; at < end; at += size) {
    starts[characters++] = at;
    st_char_read(at, end, &size);
  }
  starts[characters] = end;
  for (int i = 0; i + ST_INSIDE_CHARACTERS <= characters; i++) {
    if (st_char_kind_of(st_char_read(starts[i], end, &size)) != ST_CHAR_LETTER) continue;
    st_str_addz(out, (*joined)++ ? " AND \"" : "\"");
    st_str_add(out, starts[i], (size_t)(starts[i + ST_INSIDE_CHARACTERS] - starts[i]));
    st_str_addc(out, '"');
  }
}

/* ---- A list ---- */

static st_ids of_part(finder *f, const st_query_token *token) {
  st_ids all = {.all = true};
  size_t joined = 0;
  st_str_clear(&f->match);
  write_runs(&f->match, token, &joined);
  if (joined == 0) return all;
  return look_up(f, "SELECT rowid FROM stele_trigram WHERE stele_trigram MATCH ?1 ORDER BY rowid");
}

/* The phrase of the tokens from..to, each of which stands for itself. */
static st_ids of_whole(finder *f, const st_term *term, int from, int to) {
  st_ids all = {.all = true};
  while (from < to && term->tokens[from].kind == ST_TOKEN_BOUNDARY) from++;
  while (from < to && term->tokens[to - 1].kind == ST_TOKEN_BOUNDARY) to--;
  if (from == to) return all;
  st_term phrase = {.tokens = &term->tokens[from], .count = to - from, .prefix = term->prefix && to == term->count};
  st_query_node root = {.kind = ST_QUERY_TERM, .term = &phrase};
  st_query query = {.root = &root};
  st_str_clear(&f->match);
  st_query_fts5(&query, &f->match);
  return look_up(f, "SELECT rowid FROM stele_text WHERE stele_text MATCH 'text : ' || ?1 ORDER BY rowid");
}

static st_ids of_term(void *with, const st_term *term) {
  finder *f = with;
  st_ids found = {.all = true};
  for (int i = 0, next; i < term->count && st_ok(f->call); i = next) {
    next = i + 1;
    bool part = st_inside_is_part(&term->tokens[i]);
    while (!part && next < term->count && !st_inside_is_part(&term->tokens[next])) next++;
    st_ids some = part ? of_part(f, &term->tokens[i]) : of_whole(f, term, i, next);
    found = st_ids_both(f->call, f->arena, found, some);
    if (!found.all && found.count <= ST_IDS_FEW) break;
  }
  return found;
}

/* ---- What few messages have ---- */

static double rows_of(finder *f, const st_slice *words, size_t count) {
  double rows = 0;
  int code = SQLITE_OK;
  for (size_t i = 0; i < count && code == SQLITE_OK; i++) rows += st_vocabulary_rows(f->index, words[i].bytes, words[i].length, &code);
  if (code != SQLITE_OK) st_index_fail(f->call, f->index, code);
  return rows;
}

static st_ids of_words(finder *f, const st_slice *words, size_t count) {
  st_ids none = {0};
  if (count == 0) return none;
  st_str_clear(&f->match);
  for (size_t i = 0; i < count; i++) {
    st_str_addz(&f->match, i ? " OR \"" : "text : (\"");
    st_str_add(&f->match, words[i].bytes, words[i].length);
    st_str_addc(&f->match, '"');
  }
  st_str_addc(&f->match, ')');
  return look_up(f, "SELECT rowid FROM stele_text WHERE stele_text MATCH ?1 ORDER BY rowid");
}

/* False: there are too many for a list. */
static bool list_part(finder *f, const st_query_token *token, st_ids *out) {
  st_slice words[WORDS_MAX];
  int code;
  size_t count = st_inner_find(f->index->db, f->arena, token->text, token->length, words, WORDS_MAX, &code);
  if (code != SQLITE_OK) st_index_fail(f->call, f->index, code);
  if (!st_ok(f->call) || count > WORDS_MAX || rows_of(f, words, count) > FEW_ROWS) return false;
  *out = of_words(f, words, count);
  return st_ok(f->call);
}

static bool list_term(finder *f, const st_term *term, st_ids *out) {
  bool listed = false;
  for (int i = 0; i < term->count && !(listed && out->count <= ST_IDS_FEW); i++) {
    st_ids some;
    if (!st_inside_is_part(&term->tokens[i]) || !list_part(f, &term->tokens[i], &some)) continue;
    *out = listed ? st_ids_both(f->call, f->arena, *out, some) : some;
    listed = true;
  }
  f->listed[term->number] = listed;
  return listed;
}

static st_ids list_all(finder *f, const st_query_node *node) { return st_ids_of(f->call, f->arena, node, of_term, f); }

static bool list(finder *f, const st_query_node *node, st_ids *out);

/* One side may do for both. */
static bool list_both(finder *f, const st_query_node *node, st_ids *out) {
  st_ids left, right;
  bool has_left = list(f, node->left, &left);
  if (has_left && left.count <= ST_IDS_FEW) {
    *out = left;
    return true;
  }
  bool has_right = list(f, node->right, &right);
  if (has_left || has_right) *out = has_left ? left : right;
  if (has_left && has_right) *out = st_ids_both(f->call, f->arena, left, right);
  return has_left || has_right;
}

static bool list(finder *f, const st_query_node *node, st_ids *out) {
  st_ids left, right;
  *out = (st_ids){0};
  if (!st_ok(f->call)) return false;
  switch (node->kind) {
    case ST_QUERY_TERM: return list_term(f, node->term, out);
    case ST_QUERY_NOT: return list(f, node->left, out);
    case ST_QUERY_AND: return list_both(f, node, out);
    case ST_QUERY_OR: break;
    case ST_QUERY_EMPTY: return true;
  }
  if (!list(f, node->left, &left) || !list(f, node->right, &right)) return false;
  *out = st_ids_either(f->call, f->arena, left, right);
  return true;
}

/* ---- Of what is listed ---- */

/* Leave those that have one of the words, whose postings are open. */
static st_ids sift_ids(finder *f, st_common *words, size_t count, const st_ids *from) {
  st_ids left = {0};
  for (size_t i = 0; i < from->count; i++) {
    bool has = false;
    for (size_t n = 0; n < count && !has; n++) has = st_postings_seek(&words[n].postings, from->ids[i]) == from->ids[i];
    if (has) st_ids_add(f->call, f->arena, &left, from->ids[i]);
  }
  return left;
}

static void sift_words(finder *f, const st_slice *words, size_t count, st_ids *ids) {
  st_common opened[SIFT_WORDS];
  size_t open = 0;
  int code = SQLITE_OK;
  for (; open < count && code == SQLITE_OK; open++) {
    st_query_token token = {.text = words[open].bytes, .length = words[open].length, .kind = ST_TOKEN_WORD};
    code = st_common_open(f->index, f->arena, &(st_term){.tokens = &token, .count = 1}, false, &opened[open]);
  }
  if (code == SQLITE_OK) *ids = sift_ids(f, opened, count, ids);
  for (size_t n = 0; n < open; n++) {
    if (code == SQLITE_OK && opened[n].postings.broken) code = SQLITE_CORRUPT;
    st_common_close(&opened[n]);
  }
  if (code != SQLITE_OK) st_index_fail(f->call, f->index, code);
}

static void sift_term(finder *f, const st_term *term, st_ids *ids) {
  st_slice words[SIFT_WORDS];
  for (int i = 0; i < term->count && ids->count > READ_ROWS && st_ok(f->call); i++) {
    const st_query_token *token = &term->tokens[i];
    int code = SQLITE_OK;
    if (!st_inside_is_part(token)) continue;
    size_t count = st_inner_find(f->index->db, f->arena, token->text, token->length, words, SIFT_WORDS, &code);
    if (code != SQLITE_OK) st_index_fail(f->call, f->index, code);
    if (st_ok(f->call) && count <= SIFT_WORDS) sift_words(f, words, count, ids);
    else if (st_ok(f->call)) *ids = st_ids_both(f->call, f->arena, *ids, of_part(f, token));
  }
}

/* Reading shows what else they need; of very many it would take too long. */
static void sift(finder *f, const st_query_node *node, st_ids *ids) {
  if (ids->count <= READ_ROWS || !st_ok(f->call)) return;
  switch (node->kind) {
    case ST_QUERY_TERM:
      if (!f->listed[node->term->number]) sift_term(f, node->term, ids);
      break;
    case ST_QUERY_AND:
      sift(f, node->left, ids);
      sift(f, node->right, ids);
      break;
    case ST_QUERY_NOT: sift(f, node->left, ids); break;
    case ST_QUERY_OR:
    case ST_QUERY_EMPTY: break;
  }
}

/* ---- What very many have ---- */

/* What a part of the query needs, as an expression for stele_trigram; false: it may be anything, and nothing is written. */
static bool write_node(st_str *out, const st_query_node *node) {
  size_t before = out->length, joined = 0;
  if (node->kind == ST_QUERY_NOT) return write_node(out, node->left);
  st_str_addc(out, '(');
  if (node->kind == ST_QUERY_TERM) {
    for (int i = 0; i < node->term->count; i++)
      if (st_inside_is_part(&node->term->tokens[i])) write_runs(out, &node->term->tokens[i], &joined);
  } else {
    bool either = node->kind == ST_QUERY_OR, left = write_node(out, node->left);
    size_t between = out->length;
    if (left) st_str_addz(out, either ? " OR " : " AND ");
    bool right = write_node(out, node->right);
    if (!right) st_str_cut(out, between);
    joined = either ? left && right : left || right;
  }
  st_str_addc(out, ')');
  if (!joined) st_str_cut(out, before);
  return joined > 0;
}

/* NULL: there is none, or it does not say all. */
static const char *runs_of(finder *f, const st_query *query) {
  if (query->term_count > SOURCE_TERMS) return NULL;
  st_str_clear(&f->match);
  if (!write_node(&f->match, query->root) || f->match.failed) return NULL;
  char *copy = st_arena_copy(f->arena, f->match.text, f->match.length);
  if (!copy) st_fail(f->call, STELE_NOMEM, NULL, "out of memory");
  return copy;
}

st_trigrams st_trigrams_find(st_call *call, st_arena *arena, st_index *index, const st_query *query) {
  finder f = {.call = call, .arena = arena, .index = index};
  st_trigrams found = {0};
  st_str_init(&f.match, EXPRESSION_MAX);
  bool listed = list(&f, query->root, &found.ids);
  if (listed) sift(&f, query->root, &found.ids);
  if (!listed && st_ok(call)) found.runs = runs_of(&f, query);
  if (!listed && !found.runs) found.ids = list_all(&f, query->root);
  st_str_free(&f.match);
  return found;
}
