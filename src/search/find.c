/* find.c - see find.h. */
#include "search/find.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "registry_ids.h"
#include "search/find_compatible.h"
#include "search/find_postgres.h"
#include "search/form.h"
#include "search/index_file.h"
#include "search/index_state.h"
#include "search/inside.h"
#include "search/match.h"
#include "search/quick.h"
#include "search/reading.h"
#include "search/text.h"
#include "search/trigrams.h"

#define TAIL_MAX 256 /* messages read and matched one by one; above that they are indexed first */

/* The filter, in the numbers of the index. */
typedef struct numbers {
  const st_filter *filter;
  uint8_t *sessions; /* a bit per session number; NULL: all */
  uint32_t nsessions;
  bool roles[UINT16_MAX + 1];
} numbers;

static bool allows(const void *with, const st_rowinfo *row) {
  const numbers *n = with;
  if (row->time < n->filter->since || row->time >= n->filter->until) return false;
  if (n->filter->roles && !n->roles[row->role]) return false;
  if (!n->filter->sessions) return true;
  return row->session < n->nsessions && (n->sessions[row->session / 8] >> (row->session % 8) & 1);
}

static void set_sessions(st_call *call, st_index *index, numbers *n) {
  uint32_t largest = 0;
  int code = SQLITE_OK;
  uint32_t *found = st_call_alloc(call, (n->filter->nsessions + 1) * sizeof *found);
  for (size_t i = 0; found && i < n->filter->nsessions; i++) {
    found[i] = st_index_number(index, "stele_sessions", n->filter->sessions[i], strlen(n->filter->sessions[i]), false, &code);
    if (found[i] > largest) largest = found[i];
    if (code != SQLITE_OK) st_index_fail(call, index, code);
  }
  n->nsessions = largest + 1;
  n->sessions = st_call_alloc(call, largest / 8 + 1);
  for (size_t i = 0; found && n->sessions && i < n->filter->nsessions; i++)
    if (found[i]) n->sessions[found[i] / 8] |= (uint8_t)(1u << (found[i] % 8));
}

static bool allows_all(const st_filter *filter) {
  return !filter->sessions && !filter->roles && filter->since == -HUGE_VAL && filter->until == HUGE_VAL;
}

static numbers *prepare_filter(st_call *call, st_index *index, const st_filter *filter) {
  numbers *n = st_call_alloc(call, sizeof *n);
  if (!n) return NULL;
  n->filter = filter;
  if (filter->sessions) set_sessions(call, index, n);
  for (uint32_t i = 0; filter->roles && i < filter->roles->count; i++) {
    const st_value *role = &filter->roles->items[i];
    int code;
    n->roles[st_index_number(index, "stele_roles", role->bytes, role->length, false, &code) & UINT16_MAX] = true;
    if (code != SQLITE_OK) st_index_fail(call, index, code);
  }
  n->roles[0] = false;
  return st_ok(call) ? n : NULL;
}

/* Of the messages of that number and above. */
static void search_index(st_call *call, st_index *index, const st_query *query, int64_t from, st_rank *rank) {
  sqlite3_stmt *stmt = NULL;
  st_str match;
  st_str_init(&match, 1 << 20);
  st_query_fts5(query, &match);
  int code = match.failed ? SQLITE_NOMEM
                          : sqlite3_prepare_v2(index->db,
                                               "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH ?1 AND "
                                               "rowid >= ?3 AND stele_rank(messages_fts, ?2)",
                                               -1, &stmt, NULL);
  if (code == SQLITE_OK && match.length > 0) {
    sqlite3_bind_text(stmt, 1, match.text, (int)match.length, SQLITE_STATIC);
    sqlite3_bind_pointer(stmt, 2, rank, ST_RANK_POINTER, NULL);
    sqlite3_bind_int64(stmt, 3, from);
    code = sqlite3_step(stmt) == SQLITE_ROW ? rank->error : sqlite3_extended_errcode(index->db);
  }
  sqlite3_finalize(stmt);
  st_str_free(&match);
  if (code != SQLITE_OK) st_index_fail(call, index, code);
}

/* ---- What is not indexed yet ---- */

static bool in_list(const st_value *list, const st_value *text) {
  for (uint32_t i = 0; list && i < list->count; i++)
    if (list->items[i].length == text->length && memcmp(list->items[i].bytes, text->bytes, text->length) == 0) return true;
  return !list;
}

static bool tail_allows(const st_filter *filter, const st_value *session, const st_value *role, double time) {
  if (time < filter->since || time >= filter->until || !in_list(filter->roles, role)) return false;
  for (size_t i = 0; filter->sessions && i < filter->nsessions; i++)
    if (strcmp(filter->sessions[i], session->bytes) == 0) return true;
  return !filter->sessions;
}

static st_column column_of(st_arena *arena, const st_value *value, bool json) {
  st_column column = {NULL, 0};
  if (value->type != ST_TEXT) return column;
  column.text = json ? st_json_text(arena, value->bytes, value->length, &column.length)
                     : st_content_text(arena, value->bytes, value->length, &column.length);
  if (!column.text) column.length = 0;
  return column;
}

static void offer_tail_row(st_call *call, st_matcher *matcher, const st_filter *filter, st_rank *rank, st_rows *rows,
                           st_arena *scratch) {
  st_value v[8];
  double tf[64];
  for (size_t i = 0; i < 8; i++) st_rows_value(call, rows, i, &v[i]);
  double time = v[ST_R_CONVERSATION_INDEX_BATCH_TIMESTAMP].real;
  if (!tail_allows(filter, &v[ST_R_CONVERSATION_INDEX_BATCH_SESSION_ID], &v[ST_R_CONVERSATION_INDEX_BATCH_ROLE], time)) return;
  st_column columns[3] = {column_of(scratch, &v[ST_R_CONVERSATION_INDEX_BATCH_CONTENT], false),
                          column_of(scratch, &v[ST_R_CONVERSATION_INDEX_BATCH_TOOL_NAME], false),
                          column_of(scratch, &v[ST_R_CONVERSATION_INDEX_BATCH_TOOL_CALLS], true)};
  if (!st_match(matcher, columns, 3)) return;
  const st_query *query = st_matcher_query(matcher);
  for (int i = 0, t = 0; i < query->term_count; i++)
    if (!query->terms[i].negative) tf[t++] = st_match_times(matcher, &query->terms[i]);
  st_hit hit = {.id = v[ST_R_CONVERSATION_INDEX_BATCH_ID].integer, .time = time};
  if (rank->order == ST_ORDER_RANK) hit.score = st_rank_score(rank, tf, (double)st_match_tokens(matcher));
  rank->matches++;
  st_rank_offer(rank, hit);
}

static void search_tail(st_call *call, st_index *index, const st_query *query, const st_filter *filter, st_rank *rank) {
  st_value args[] = {st_int(index->upto), st_int(TAIL_MAX)};
  st_matcher *matcher = st_matcher_new(call->arena, query);
  st_arena scratch;
  st_rows rows;
  if (!matcher) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  st_arena_init(&scratch, UINT64_C(1) << 30);
  st_rows_start(call, &rows, STELE_M_CONVERSATION_INDEX_BATCH, args);
  while (st_rows_next(call, &rows)) {
    offer_tail_row(call, matcher, filter, rank, &rows, &scratch);
    st_arena_reset(&scratch);
  }
  st_rows_end(call, &rows);
  st_arena_free(&scratch);
}

/* Remember what had to be counted. */
static void keep_frequencies(st_index *index, const st_query *query, st_rank *rank, const double *known) {
  for (int i = 0, term = 0; i < query->term_count; i++) {
    if (query->terms[i].negative) continue;
    bool counted = rank->nterms > 1 && rank->order == ST_ORDER_RANK && known[term] < 0 && rank->df[term] >= 0;
    if (counted) st_frequency_put(&index->frequencies, index->db, &query->terms[i], rank->df[term], rank->total_rows);
    if (rank->df[term] < 0) rank->df[term] = 0; /* no indexed row had it */
    term++;
  }
  st_rank_weigh(rank);
}

static void find_words(st_call *call, st_index *index, const st_query *query, const st_filter *filter, st_order order,
                       int k, st_found *found) {
  double known[64];
  st_quick quick = {.query = query, .from = 0};
  numbers *n = prepare_filter(call, index, filter);
  if (query->quick && !st_quick_plan(call, index, query, &quick)) return;
  query = quick.query;
  st_rank rank = {.order = order, .rows = &index->rows, .allows = allows_all(filter) ? NULL : allows, .filter = n,
                  .total_rows = index->total_rows, .total_tokens = index->total_tokens, .k = k};
  rank.hits = st_call_alloc(call, ((size_t)k + 1) * sizeof *rank.hits);
  for (int i = 0; i < query->term_count; i++) {
    if (query->terms[i].negative) continue;
    rank.phrase[rank.nterms] = query->terms[i].number;
    known[rank.nterms] = query->quick ? quick.rows[i]
                                      : st_frequency_get(&index->frequencies, index->db, &query->terms[i], rank.total_rows);
    rank.df[rank.nterms] = known[rank.nterms];
    rank.nterms++;
  }
  if (!st_ok(call)) return;
  search_index(call, index, query, quick.from, &rank);
  keep_frequencies(index, query, &rank, known);
  if (st_ok(call)) search_tail(call, index, query, filter, &rank);
  st_rank_finish(&rank);
  *found = (st_found){rank.hits, rank.count, rank.matches};
  if (quick.from > 0)
    st_note(call, "very many messages have these words: only the newest %lld were looked at", (long long)(index->upto - quick.from));
}

/* ---- Inside of words ---- */

static void add_indexed(st_index *index, const st_ids *ids, const numbers *n, st_reading *r) {
  int64_t end = ids->all ? st_rowinfos_end(&index->rows) : (int64_t)ids->count;
  for (int64_t i = 0; i < end && st_ok(r->call); i++) {
    int64_t id = ids->all ? i : ids->ids[i];
    const st_rowinfo *row = st_rowinfos_get(&index->rows, id);
    if (row && allows(n, row)) st_reading_add(r, id, row->time);
    if (index->rows.error != SQLITE_OK) st_index_fail(r->call, index, index->rows.error);
  }
}

static void add_tail(st_call *call, st_index *index, const st_filter *filter, st_reading *r) {
  st_value args[] = {st_int(index->upto), st_int(TAIL_MAX)}, id, session, role, time;
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_INDEX_BATCH, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_CONVERSATION_INDEX_BATCH_ID, &id);
    st_rows_value(call, &rows, ST_R_CONVERSATION_INDEX_BATCH_SESSION_ID, &session);
    st_rows_value(call, &rows, ST_R_CONVERSATION_INDEX_BATCH_ROLE, &role);
    st_rows_value(call, &rows, ST_R_CONVERSATION_INDEX_BATCH_TIMESTAMP, &time);
    if (tail_allows(filter, &session, &role, time.real)) st_reading_add(r, id.integer, time.real);
  }
  st_rows_end(call, &rows);
}

static void find_inside(st_call *call, st_index *index, const st_query *query, const st_filter *filter, st_order order,
                        int k, st_found *found) {
  st_reading r;
  const numbers *n = prepare_filter(call, index, filter);
  st_reading_begin(&r, call, query, order);
  r.total_rows = index->total_rows;
  r.average = index->total_rows > 0 ? index->total_tokens / index->total_rows : 0;
  st_ids ids = st_trigrams_find(call, &r.arena, index, query);
  if (st_ok(call)) add_indexed(index, &ids, n, &r);
  add_tail(call, index, filter, &r);
  st_reading_sort_most(&r, ST_INSIDE_MOST);
  if (st_ok(call)) st_reading_match(&r, (size_t)k);
  if (st_ok(call)) st_reading_rank(&r, k, found);
  st_reading_end(&r);
}

/* ---- Everywhere ---- */

static void find_in_index(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k,
                          st_found *found) {
  st_index *index = st_index_of(call);
  int64_t indexed, changes = 0;
  *found = (st_found){0};
  if (!index || query->root->kind == ST_QUERY_EMPTY) return;
  if (st_index_backlog(call, index->upto, index->change_upto, &changes) > TAIL_MAX || changes > 0) {
    st_index_catch_up(call, index, 0, &indexed);
    st_index_merge(call, index, indexed > 20 * TAIL_MAX ? ST_MERGE_ALL : 1);
  }
  if (query->inside) find_inside(call, index, query, filter, order, k, found);
  else find_words(call, index, query, filter, order, k, found);
}

/* Inside of words only users and assistants are looked for: of the roles that the filter allows, those. */
static void set_inside_roles(st_call *call, st_filter *filter) {
  static const char *const names[] = {"user", "assistant"};
  st_value *items = st_call_alloc(call, 2 * sizeof *items), *roles = st_call_alloc(call, sizeof *roles);
  if (!st_ok(call)) return;
  *roles = (st_value){.type = ST_LIST, .items = items, .width = 1};
  for (int i = 0; i < 2; i++) {
    st_value name = st_textz(names[i]);
    if (in_list(filter->roles, &name)) items[roles->count++] = name;
  }
  filter->roles = roles;
}

static void find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k, st_found *found) {
  bool compatible = st_form_compatible(call);
  *found = (st_found){0};
  if (!st_ok(call)) return;
  if (call->store->driver->engine == ST_POSTGRES)
    st_postgres_find(call, query, filter, order, k, found);
  else if (compatible)
    st_compatible_find(call, query, filter, order, k, found);
  else
    find_in_index(call, query, filter, order, k, found);
  if (!compatible && st_index_recover(call)) find_in_index(call, query, filter, order, k, found);
  if (!st_ok(call) && st_form_changed(call, compatible)) call->again = true; /* converted meanwhile: from the start */
}

void st_find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k, st_found *found) {
  st_filter inside = *filter;
  *found = (st_found){0};
  if (query->inside) set_inside_roles(call, &inside);
  if (st_ok(call) && (!query->inside || inside.roles->count > 0)) find(call, query, &inside, order, k, found);
}
