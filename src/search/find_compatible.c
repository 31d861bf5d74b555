/* find_compatible.c - searching through the tables that the format of the store has.
**
** They tell which messages may match (candidates.h); these are read and matched one by one, so that a
** query means what it means everywhere, and ranked by BM25.  Newest or oldest first, reading ends with
** the last one wanted.  By rank all are read; but where there are very many, in the order that the
** table itself gives them, and only until there are enough. */
#include "search/find_compatible.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "registry_ids.h"
#include "search/candidates.h"
#include "search/match.h"
#include "search/text.h"

#define ARENA_MAX (UINT64_C(2) << 30)
#define CHUNK 256            /* messages read at once */
#define MANY 4096            /* above that, filters are asked for all messages rather than for these */
#define MOST 5000            /* messages that are read to be ranked, if there are enough among them */

typedef struct allowed {
  int64_t id;
  double time;
} allowed;

/* A message that matches. */
typedef struct matching {
  allowed row;
  uint32_t tokens;
  uint16_t times[]; /* of each positive term */
} matching;

typedef struct finding {
  st_call *call;
  const st_query *query;
  const st_filter *filter;
  st_order order;
  st_matcher *matcher;
  st_inline_state state;
  st_arena arena, scratch; /* scratch: of one message */
  allowed *rows;           /* the candidates that the filters leave */
  size_t count;
  size_t enough;           /* need not be read on from there, once k have been found */
  matching **found;
  size_t nfound;
  int nterms;
} finding;

/* ---- what the tables say ---- */

/* The next number of a record of FTS5: seven bits a byte, the highest first. */
static double read_varint(const unsigned char **at, const unsigned char *end) {
  double number = 0;
  while (*at < end) {
    number = number * 128 + (**at & 0x7F);
    if (*(*at)++ < 0x80) break;
  }
  return number;
}

static double average_of(const st_value *totals) {
  if (totals->type != ST_BLOB || totals->length == 0) return 0;
  const unsigned char *at = (const unsigned char *)totals->bytes, *end = at + totals->length;
  double rows = read_varint(&at, end), tokens = read_varint(&at, end);
  return rows > 0 ? tokens / rows : 0;
}

static void count_messages(st_call *call, st_inline_state *state) {
  st_value v[4] = {{.type = ST_NULL}};
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_INLINE_COUNTS, NULL);
  if (st_rows_next(call, &rows)) {
    for (size_t i = 0; i < 4; i++) st_rows_value(call, &rows, i, &v[i]);
    state->messages = v[ST_R_CONVERSATION_INLINE_COUNTS_MESSAGES].integer;
    state->lacking = v[ST_R_CONVERSATION_INLINE_COUNTS_WORDS].integer != state->messages ||
                     v[ST_R_CONVERSATION_INLINE_COUNTS_SUBSTRINGS].integer != state->messages;
    state->average = average_of(&v[ST_R_CONVERSATION_INLINE_COUNTS_TOTALS]);
  }
  st_rows_end(call, &rows);
}

void st_inline_look(st_call *call, st_inline_state *state) {
  st_value tables = st_int(0), triggers = st_int(0);
  st_rows rows;
  *state = (st_inline_state){0};
  st_rows_start(call, &rows, STELE_M_CONVERSATION_INLINE_PARTS, NULL);
  if (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_CONVERSATION_INLINE_PARTS_TABLES, &tables);
    st_rows_value(call, &rows, ST_R_CONVERSATION_INLINE_PARTS_TRIGGERS, &triggers);
  }
  st_rows_end(call, &rows);
  state->broken = tables.integer != 2 || triggers.integer != 6;
  if (!state->broken) count_messages(call, state);
}

/* The candidates.  Messages that a table does not have are read in any case. */
static void find_candidates(finding *f, st_candidates *candidates) {
  st_inline_look(f->call, &f->state);
  if (f->state.broken) {
    *candidates = (st_candidates){.found = {.all = true}};
    for (int i = 0; i < ST_QUERY_TERMS_MAX; i++) candidates->rows[i] = -1;
  } else {
    st_candidates_find(f->call, &f->arena, f->query, f->order == ST_ORDER_RANK, candidates);
  }
  if (f->state.lacking) {
    st_ids unlisted = st_ids_read(f->call, &f->arena, STELE_M_CONVERSATION_FIND_UNLISTED, NULL);
    candidates->found = st_ids_either(f->call, &f->arena, candidates->found, unlisted);
  }
  if (f->state.broken || f->state.lacking)
    st_note(f->call, "the search tables in the file are incomplete, which makes this slow: "
                     "`stele reindex --mode compatible` completes them");
}

/* ---- filters ---- */

static int by_id(const void *a, const void *b) {
  const allowed *one = a, *other = b;
  return (one->id > other->id) - (one->id < other->id);
}

static int by_time(const void *a, const void *b) {
  const allowed *one = a, *other = b;
  return one->time != other->time ? (one->time > other->time) - (one->time < other->time) : by_id(a, b);
}

static int by_time_down(const void *a, const void *b) {
  const allowed *one = a, *other = b;
  return one->time != other->time ? (one->time < other->time) - (one->time > other->time) : by_id(a, b);
}

static st_value list_of(const st_value *items, size_t count) {
  return (st_value){.type = ST_LIST, .items = items, .count = (uint32_t)count, .width = 1};
}

static void set_filters(finding *f, st_value *args) {
  const st_filter *filter = f->filter;
  if (filter->roles) args[ST_P_CONVERSATION_FIND_ALLOWED_ROLES] = *filter->roles;
  if (!isinf(filter->since)) args[ST_P_CONVERSATION_FIND_ALLOWED_SINCE] = st_real(filter->since);
  if (!isinf(filter->until)) args[ST_P_CONVERSATION_FIND_ALLOWED_UNTIL] = st_real(filter->until);
  if (!filter->sessions) return;
  st_value *sessions = st_call_alloc(f->call, (filter->nsessions + 1) * sizeof *sessions);
  for (size_t i = 0; sessions && i < filter->nsessions; i++) sessions[i] = st_textz(filter->sessions[i]);
  args[ST_P_CONVERSATION_FIND_ALLOWED_SESSIONS] = list_of(sessions, sessions ? filter->nsessions : 0);
}

static bool is_among(const st_ids *ids, int64_t id) {
  size_t from = 0, to = ids->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (ids->ids[middle] == id) return true;
    if (ids->ids[middle] < id) from = middle + 1;
    else to = middle;
  }
  return false;
}

static void add_allowed(finding *f, st_rows *rows, size_t *room) {
  st_value id, time;
  if (f->count == *room) {
    allowed *grown = st_arena_alloc(&f->arena, (2 * *room + CHUNK) * sizeof *grown);
    if (!grown) {
      st_fail(f->call, STELE_NOMEM, NULL, "out of memory");
      return;
    }
    if (f->count) memcpy(grown, f->rows, f->count * sizeof *grown);
    f->rows = grown;
    *room = 2 * *room + CHUNK;
  }
  st_rows_value(f->call, rows, ST_R_CONVERSATION_FIND_ALLOWED_ID, &id);
  st_rows_value(f->call, rows, ST_R_CONVERSATION_FIND_ALLOWED_TIMESTAMP, &time);
  f->rows[f->count++] = (allowed){id.integer, time.type == ST_REAL ? time.real : 0};
}

/* Those of the ids, or (NULL) of all messages, that are allowed and, if among is given, in it. */
static void ask_filters(finding *f, st_value *args, const st_ids *among, size_t *room) {
  st_value id;
  st_rows rows;
  st_rows_start(f->call, &rows, STELE_M_CONVERSATION_FIND_ALLOWED, args);
  while (st_rows_next(f->call, &rows)) {
    st_rows_value(f->call, &rows, ST_R_CONVERSATION_FIND_ALLOWED_ID, &id);
    if (!among || is_among(among, id.integer)) add_allowed(f, &rows, room);
  }
  st_rows_end(f->call, &rows);
}

static void apply_filters(finding *f, const st_ids *ids) {
  st_value args[ST_P_CONVERSATION_FIND_ALLOWED_UNTIL + 1] = {{0}}, items[CHUNK];
  size_t room = 0;
  set_filters(f, args);
  if (ids->all || ids->count > MANY) {
    ask_filters(f, args, ids->all ? NULL : ids, &room);
    return;
  }
  for (size_t at = 0; at < ids->count && st_ok(f->call); at += CHUNK) {
    size_t count = ids->count - at < CHUNK ? ids->count - at : CHUNK;
    for (size_t i = 0; i < count; i++) items[i] = st_int(ids->ids[at + i]);
    args[ST_P_CONVERSATION_FIND_ALLOWED_IDS] = list_of(items, count);
    ask_filters(f, args, NULL, &room);
  }
}

/* ---- matching ---- */

/* Those that the table puts first come first, those that it does not know last. */
static void order_by_table(finding *f, const st_str *words) {
  st_value id, match = {.type = ST_TEXT, .bytes = words->text, .length = words->length};
  st_rows rows;
  size_t placed = 0;
  allowed *ordered = st_call_alloc(f->call, f->count * sizeof *ordered);
  bool *taken = st_call_alloc(f->call, f->count);
  if (!st_ok(f->call)) return;
  qsort(f->rows, f->count, sizeof *f->rows, by_id);
  st_rows_start(f->call, &rows, STELE_M_CONVERSATION_FIND_BEST_WORDS, &match);
  while (st_rows_next(f->call, &rows)) {
    st_rows_value(f->call, &rows, 0, &id);
    const allowed *row = bsearch(&(allowed){.id = id.integer}, f->rows, f->count, sizeof *f->rows, by_id);
    if (!row || taken[row - f->rows]) continue;
    taken[row - f->rows] = true;
    ordered[placed++] = *row;
  }
  st_rows_end(f->call, &rows);
  for (size_t i = 0; i < f->count; i++)
    if (!taken[i]) ordered[placed++] = f->rows[i];
  f->rows = ordered;
  f->enough = MOST;
}

static void set_order(finding *f, const st_candidates *candidates) {
  st_str words;
  f->enough = f->order == ST_ORDER_RANK ? SIZE_MAX : 0;
  if (f->count == 0) return;
  if (f->order == ST_ORDER_NEWEST) qsort(f->rows, f->count, sizeof *f->rows, by_time_down);
  if (f->order == ST_ORDER_OLDEST) qsort(f->rows, f->count, sizeof *f->rows, by_time);
  if (f->order != ST_ORDER_RANK || f->count <= MOST || candidates->found.all) return;
  st_str_init(&words, 1 << 20);
  st_candidates_words(f->query, &words);
  if (words.failed) st_fail(f->call, STELE_NOMEM, NULL, "out of memory");
  if (words.length && st_ok(f->call)) order_by_table(f, &words);
  st_str_free(&words);
}

static st_column column_of(finding *f, st_rows *rows, size_t result, bool json) {
  st_column column = {NULL, 0};
  st_value value;
  st_rows_value(f->call, rows, result, &value);
  if (value.type != ST_TEXT) return column;
  column.text = json ? st_json_text(&f->scratch, value.bytes, value.length, &column.length)
                     : st_content_text(&f->scratch, value.bytes, value.length, &column.length);
  if (!column.text) st_fail(f->call, STELE_NOMEM, NULL, "out of memory");
  return column;
}

static void take_row(finding *f, st_rows *rows) {
  st_value id, time;
  st_rows_value(f->call, rows, ST_R_CONVERSATION_FIND_TEXTS_ID, &id);
  st_rows_value(f->call, rows, ST_R_CONVERSATION_FIND_TEXTS_TIMESTAMP, &time);
  st_column columns[3] = {column_of(f, rows, ST_R_CONVERSATION_FIND_TEXTS_CONTENT, false),
                          column_of(f, rows, ST_R_CONVERSATION_FIND_TEXTS_TOOL_NAME, false),
                          column_of(f, rows, ST_R_CONVERSATION_FIND_TEXTS_TOOL_CALLS, true)};
  if (!st_ok(f->call) || !st_match(f->matcher, columns, 3)) return;
  matching *m = st_arena_alloc(&f->arena, sizeof *m + (size_t)f->nterms * sizeof m->times[0]);
  if (!m) {
    st_fail(f->call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  m->row = (allowed){id.integer, time.type == ST_REAL ? time.real : 0};
  m->tokens = (uint32_t)st_match_tokens(f->matcher);
  for (int i = 0, t = 0; i < f->query->term_count; i++) {
    if (f->query->terms[i].negative) continue;
    int times = st_match_times(f->matcher, &f->query->terms[i]);
    m->times[t++] = (uint16_t)(times < UINT16_MAX ? times : UINT16_MAX);
  }
  f->found[f->nfound++] = m;
}

static void match_chunk(finding *f, const allowed *chunk, size_t count) {
  st_value items[CHUNK] = {{ST_ABSENT, {0}}}, ids = list_of(items, count);
  st_rows rows;
  for (size_t i = 0; i < count; i++) items[i] = st_int(chunk[i].id);
  st_rows_start(f->call, &rows, STELE_M_CONVERSATION_FIND_TEXTS, &ids);
  while (st_rows_next(f->call, &rows)) {
    take_row(f, &rows);
    st_arena_reset(&f->scratch);
  }
  st_rows_end(f->call, &rows);
}

static void match_rows(finding *f, size_t k) {
  f->nfound = 0;
  f->found = st_arena_alloc(&f->arena, (f->count + 1) * sizeof *f->found);
  if (!f->found) st_fail(f->call, STELE_NOMEM, NULL, "out of memory");
  for (size_t at = 0; at < f->count && st_ok(f->call) && (at < f->enough || f->nfound < k); at += CHUNK)
    match_chunk(f, &f->rows[at], f->count - at < CHUNK ? f->count - at : CHUNK);
}

/* ---- ranking ---- */

static void set_frequencies(const finding *f, const st_candidates *candidates, st_rank *rank) {
  for (int i = 0; i < f->query->term_count; i++) {
    if (f->query->terms[i].negative) continue;
    double having = 0;
    for (size_t r = 0; r < f->nfound; r++) having += f->found[r]->times[rank->nterms] > 0;
    double told = candidates->rows[f->query->terms[i].number];
    rank->df[rank->nterms++] = told > having ? told : having;
  }
  double tokens = 0;
  for (size_t r = 0; r < f->nfound; r++) tokens += f->found[r]->tokens;
  double average = f->state.average > 0 ? f->state.average : tokens / (double)(f->nfound + 1);
  rank->total_tokens = average * rank->total_rows;
  st_rank_weigh(rank);
}

static void rank_rows(finding *f, const st_candidates *candidates, st_rank *rank) {
  double tf[ST_QUERY_TERMS_MAX];
  set_frequencies(f, candidates, rank);
  for (size_t r = 0; r < f->nfound; r++) {
    const matching *m = f->found[r];
    st_hit hit = {m->row.id, 0, m->row.time};
    for (int i = 0; i < f->nterms; i++) tf[i] = m->times[i];
    if (f->order == ST_ORDER_RANK) hit.score = st_rank_score(rank, tf, m->tokens);
    st_rank_offer(rank, hit);
  }
  st_rank_finish(rank);
}

static void find_among(finding *f, const st_candidates *candidates, int k) {
  f->count = 0;
  if (st_ok(f->call)) apply_filters(f, &candidates->found);
  if (st_ok(f->call)) set_order(f, candidates);
  if (st_ok(f->call)) match_rows(f, (size_t)k);
}

static void find(finding *f, int k, st_found *found) {
  st_candidates candidates;
  find_candidates(f, &candidates);
  find_among(f, &candidates, k);
  if (candidates.narrowed && f->nfound < (size_t)k) { /* then none may be missed */
    candidates.found = (st_ids){.all = true};
    find_among(f, &candidates, k);
  }
  st_rank rank = {.order = f->order, .k = k};
  rank.total_rows = (double)(f->state.messages ? f->state.messages : (int64_t)f->count);
  rank.hits = st_call_alloc(f->call, ((size_t)k + 1) * sizeof *rank.hits);
  if (!st_ok(f->call)) return;
  rank_rows(f, &candidates, &rank);
  *found = (st_found){rank.hits, rank.count, (int64_t)f->nfound};
}

void st_compatible_find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k,
                        st_found *found) {
  finding f = {.call = call, .query = query, .filter = filter, .order = order};
  *found = (st_found){0};
  if (query->root->kind == ST_QUERY_EMPTY) return;
  f.matcher = st_matcher_new(call->arena, query);
  for (int i = 0; i < query->term_count; i++) f.nterms += !query->terms[i].negative;
  if (!f.matcher) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_arena_init(&f.arena, ARENA_MAX);
  st_arena_init(&f.scratch, ARENA_MAX);
  if (st_ok(call)) find(&f, k, found);
  st_arena_free(&f.arena);
  st_arena_free(&f.scratch);
}
