/* trigrams.c - see trigrams.h. */
#include "search/trigrams.h"

#include "base/chars.h"
#include "search/index_file.h"
#include "search/inside.h"

#define EXPRESSION_MAX (1u << 20)

typedef struct finder {
  st_call *call;
  st_arena *arena;
  st_index *index;
  st_str match;
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

/* The runs of three characters, joined by AND.  One that begins with a mark would be read without it, and is
** left out. */
static void write_trigrams(st_str *out, const st_query_token *token) {
  const char *starts[ST_TOKEN_MAX + 1], *end = token->text + token->length;
  int characters = 0, size;
  for (const char *at = token->text; at < end; at += size) {
    starts[characters++] = at;
    st_char_read(at, end, &size);
  }
  starts[characters] = end;
  for (int i = 0; i + ST_INSIDE_CHARACTERS <= characters; i++) {
    if (st_char_kind_of(st_char_read(starts[i], end, &size)) != ST_CHAR_LETTER) continue;
    st_str_addz(out, out->length ? " AND \"" : "\"");
    st_str_add(out, starts[i], (size_t)(starts[i + ST_INSIDE_CHARACTERS] - starts[i]));
    st_str_addc(out, '"');
  }
}

static st_ids of_part(finder *f, const st_query_token *token) {
  st_ids all = {.all = true};
  st_str_clear(&f->match);
  write_trigrams(&f->match, token);
  if (f->match.length == 0 && !f->match.failed) return all;
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

st_ids st_trigrams_find(st_call *call, st_arena *arena, st_index *index, const st_query *query) {
  finder f = {.call = call, .arena = arena, .index = index};
  st_str_init(&f.match, EXPRESSION_MAX);
  st_ids found = st_ids_of(call, arena, query->root, of_term, &f);
  st_str_free(&f.match);
  return found;
}
