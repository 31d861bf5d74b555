/* find_postgres.c - searching where the index is a table of the store: the same tokens, kept as
** tsvectors, so that both engines find the same messages. */
#include <stdio.h>
#include <string.h>

#include "registry_ids.h"
#include "search/columns.h"
#include "search/due.h"
#include "search/find_postgres.h"
#include "search/inside.h"
#include "search/match.h"
#include "search/reading.h"
#include "search/statement.h"
#include "search/tokens.h"

#define BATCH 200
#define LITERAL_MAX (4u << 20)
#define BATCH_MEMORY ((size_t)1 << 30)

/* ---- Indexing ---- */

/* One noted change, with what the message is now. */
typedef struct change {
  int64_t number, id;
  bool gone;
  st_tokens tokens;
} change;

static void read_change(st_call *call, st_rows *rows, st_tsvector *vector, change *c) {
  st_value v[8];
  for (size_t i = 0; i < 8; i++) st_rows_value(call, rows, i, &v[i]);
  c->number = v[ST_R_CONVERSATION_INDEX_CHANGES_CHANGE].integer;
  c->id = v[ST_R_CONVERSATION_INDEX_CHANGES_ID].integer;
  c->gone = v[ST_R_CONVERSATION_INDEX_CHANGES_SESSION_ID].type != ST_TEXT;
  if (c->gone) return;
  c->tokens = st_tokens_write(call, vector, &v[ST_R_CONVERSATION_INDEX_CHANGES_CONTENT], &v[ST_R_CONVERSATION_INDEX_CHANGES_TOOL_NAME],
                              &v[ST_R_CONVERSATION_INDEX_CHANGES_TOOL_CALLS]);
}

static int read_changes(st_call *call, change *changes) {
  st_tsvector *vector = st_call_alloc(call, sizeof *vector);
  st_value args[] = {st_int(0), st_int(BATCH)};
  st_rows rows;
  int count = 0;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_INDEX_CHANGES, args);
  while (count < BATCH && st_rows_next(call, &rows)) read_change(call, &rows, vector, &changes[count++]);
  st_rows_end(call, &rows);
  return count;
}

static void write_changes(st_call *call, const change *changes, int count) {
  st_value numbers[BATCH];
  char id[32];
  for (int i = 0; i < count && st_ok(call); i++) {
    st_value put[] = {st_int(changes[i].id), st_textz(changes[i].tokens.text), st_bool(changes[i].tokens.lost),
                      st_bool(changes[i].tokens.cut)};
    numbers[i] = st_int(changes[i].number);
    if (changes[i].gone)
      st_run(call, STELE_M_CONVERSATION_INDEX_FORGET, put);
    else
      st_run(call, STELE_M_CONVERSATION_INDEX_PUT, put);
    snprintf(id, sizeof id, "%lld", (long long)changes[i].id);
    st_due_note(call, "message", id);
  }
  st_value done = {.type = ST_LIST, .items = numbers, .count = (uint32_t)count, .width = 1};
  st_run(call, STELE_M_CONVERSATION_INDEX_DONE, &done);
}

/* How many were indexed. */
static int index_some(st_call *call) {
  change changes[BATCH];
  memset(changes, 0, sizeof changes);
  st_call_begin(call, true);
  if (!st_ok(call)) return 0;
  int count = read_changes(call, changes);
  if (count > 0) write_changes(call, changes, count);
  st_call_end(call);
  return count;
}

void st_postgres_catch_up(st_call *call, int64_t *indexed) {
  st_arena *outer = call->arena, memory;
  int count = BATCH;
  *indexed = 0;
  st_arena_init(&memory, BATCH_MEMORY);
  call->arena = &memory; /* what a batch needs is freed with it: there may be millions */
  while (count == BATCH && st_ok(call)) {
    *indexed += count = index_some(call);
    st_arena_reset(&memory);
  }
  call->arena = outer;
  st_arena_free(&memory);
}

/* ---- Finding ---- */

/* A row that lost something is asked itself. */
static bool really_matches(st_call *call, st_matcher *matcher, int64_t id) {
  st_value arg = st_int(id), v[3];
  st_rows rows;
  bool matches = false;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_SEARCH_HIT, &arg);
  if (st_rows_next(call, &rows)) {
    st_column columns[ST_COLUMNS];
    st_rows_value(call, &rows, ST_R_CONVERSATION_SEARCH_HIT_CONTENT, &v[0]);
    st_rows_value(call, &rows, ST_R_CONVERSATION_SEARCH_HIT_TOOL_NAME, &v[1]);
    st_rows_value(call, &rows, ST_R_CONVERSATION_SEARCH_HIT_TOOL_CALLS, &v[2]);
    st_columns_read(call, call->arena, &v[0], &v[1], &v[2], columns);
    matches = st_ok(call) && st_match(matcher, columns, ST_COLUMNS);
  }
  st_rows_end(call, &rows);
  return matches;
}

static st_value session_list(st_call *call, const st_filter *filter) {
  st_value list = {.type = ST_ABSENT};
  if (!filter->sessions) return list;
  st_value *items = st_call_alloc(call, (filter->nsessions + 1) * sizeof *items);
  for (size_t i = 0; items && i < filter->nsessions; i++) items[i] = st_textz(filter->sessions[i]);
  list = (st_value){.type = ST_LIST, .items = items, .count = (uint32_t)filter->nsessions, .width = 1};
  return list;
}

static void run_query(st_call *call, const st_value *args, int k, st_matcher *matcher, st_found *found) {
  st_value v[4];
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_FIND_MESSAGES, args);
  while (found->count < k && st_rows_next(call, &rows)) {
    for (size_t i = 0; i < 4; i++) st_rows_value(call, &rows, i, &v[i]);
    st_hit hit = {.id = v[ST_R_CONVERSATION_FIND_MESSAGES_ID].integer,
                  .score = v[ST_R_CONVERSATION_FIND_MESSAGES_SCORE].real,
                  .time = v[ST_R_CONVERSATION_FIND_MESSAGES_TIMESTAMP].real};
    if (v[ST_R_CONVERSATION_FIND_MESSAGES_LOST].integer && !really_matches(call, matcher, hit.id)) continue;
    found->hits[found->count++] = hit;
  }
  st_rows_end(call, &rows);
}

/* ---- Finding inside of words ---- */

/* The token by which the fewest messages are likely to be found, of those that all must be there: the longest. */
typedef struct choice {
  const st_term *term;
  int token;
  size_t worth;
} choice;

static choice choose(const st_query_node *node) {
  choice best = {0};
  if (node->kind == ST_QUERY_NOT) return choose(node->left);
  if (node->kind == ST_QUERY_AND) {
    choice left = choose(node->left), right = choose(node->right);
    return left.worth >= right.worth ? left : right;
  }
  for (int i = 0; i < node->term->count; i++) {
    const st_query_token *token = &node->term->tokens[i];
    if (token->kind != ST_TOKEN_BOUNDARY && token->length > best.worth) best = (choice){node->term, i, token->length};
  }
  return best;
}

/* A regular expression for the text of a tsvector, in which every token stands in quotes.  Tokens have no
** character that means anything in one. */
static void write_pattern(const st_query_node *node, st_str *out) {
  if (node->kind == ST_QUERY_OR) {
    write_pattern(node->left, out);
    write_pattern(node->right, out);
    return;
  }
  choice best = choose(node);
  const st_query_token *token = &best.term->tokens[best.token];
  bool part = st_inside_is_part(token), open = best.term->prefix && best.token == best.term->count - 1;
  if (out->length) st_str_addc(out, '|');
  if (!part) st_str_addc(out, '\'');
  st_str_add(out, token->text, token->length);
  if (!part && !open) st_str_addc(out, '\'');
}

static void add_candidates(st_call *call, const st_str *pattern, const st_filter *filter, st_reading *r) {
  st_value args[ST_P_CONVERSATION_FIND_TOKENS_UNTIL + 1], id, time;
  st_rows rows;
  memset(args, 0, sizeof args);
  args[ST_P_CONVERSATION_FIND_TOKENS_PATTERN] = st_textz(pattern->text);
  args[ST_P_CONVERSATION_FIND_TOKENS_ROLES] = *filter->roles;
  args[ST_P_CONVERSATION_FIND_TOKENS_SESSIONS] = session_list(call, filter);
  args[ST_P_CONVERSATION_FIND_TOKENS_SINCE] = st_statement_time(filter->since);
  args[ST_P_CONVERSATION_FIND_TOKENS_UNTIL] = st_statement_time(filter->until);
  st_rows_start(call, &rows, STELE_M_CONVERSATION_FIND_TOKENS, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_CONVERSATION_FIND_TOKENS_ID, &id);
    st_rows_value(call, &rows, ST_R_CONVERSATION_FIND_TOKENS_TIMESTAMP, &time);
    st_reading_add(r, id.integer, time.real);
  }
  st_rows_end(call, &rows);
}

static void find_inside(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k,
                        st_found *found) {
  st_reading r;
  st_str pattern;
  st_str_init(&pattern, LITERAL_MAX);
  write_pattern(query->root, &pattern);
  if (pattern.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_reading_begin(&r, call, query, order);
  if (st_ok(call)) add_candidates(call, &pattern, filter, &r);
  st_reading_sort_most(&r, ST_INSIDE_MOST);
  if (st_ok(call)) st_reading_match(&r, (size_t)k);
  if (st_ok(call)) st_reading_rank(&r, k, found);
  st_reading_end(&r);
  st_str_free(&pattern);
}

/* ---- Both ---- */

static void find_words(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k,
                       st_found *found) {
  enum { OVER = 200 }; /* rows that may turn out not to match */
  st_value args[ST_P_CONVERSATION_FIND_MESSAGES_LIMIT + 1];
  st_matcher *matcher = st_matcher_new(call->arena, query);
  memset(args, 0, sizeof args);
  found->hits = st_call_alloc(call, ((size_t)k + 1) * sizeof *found->hits);
  if (!matcher) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_statement_queries(call, query, &args[ST_P_CONVERSATION_FIND_MESSAGES_QUERY]);
  if (filter->roles) args[ST_P_CONVERSATION_FIND_MESSAGES_ROLES] = *filter->roles;
  args[ST_P_CONVERSATION_FIND_MESSAGES_SESSIONS] = session_list(call, filter);
  args[ST_P_CONVERSATION_FIND_MESSAGES_SINCE] = st_statement_time(filter->since);
  args[ST_P_CONVERSATION_FIND_MESSAGES_UNTIL] = st_statement_time(filter->until);
  if (order == ST_ORDER_NEWEST) args[ST_P_CONVERSATION_FIND_MESSAGES_NEWEST] = st_bool(true);
  if (order == ST_ORDER_OLDEST) args[ST_P_CONVERSATION_FIND_MESSAGES_OLDEST] = st_bool(true);
  args[ST_P_CONVERSATION_FIND_MESSAGES_LIMIT] = st_int(k + OVER);
  if (st_ok(call)) run_query(call, args, k, matcher, found);
}
_Static_assert((int)ST_P_CONVERSATION_FIND_MESSAGES_LOOSE == (int)ST_P_CONVERSATION_FIND_MESSAGES_QUERY + ST_STATEMENT_QUERIES - 1,
               "both queries stand together");

void st_postgres_find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k,
                      st_found *found) {
  int64_t indexed;
  *found = (st_found){0};
  if (query->root->kind == ST_QUERY_EMPTY) return;
  st_postgres_catch_up(call, &indexed);
  if (query->inside) find_inside(call, query, filter, order, k, found);
  else find_words(call, query, filter, order, k, found);
}
