/* find_compatible.c - searching through the tables that the format of the store has.
**
** They tell which messages may match (candidates.h); these are read and matched one by one (reading.h).  By
** rank, where there are very many, they are read in the order that the table itself gives them, and only
** until there are enough. */
#include "search/find_compatible.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "registry_ids.h"
#include "search/candidates.h"
#include "search/inside.h"
#include "search/reading.h"

#define ARENA_MAX (UINT64_C(2) << 30)
#define CHUNK 256            /* messages read at once */
#define MANY 4096            /* above that, filters are asked for all messages rather than for these */
#define MOST 5000            /* messages that are read to be ranked, if there are enough among them */

typedef struct finding {
  st_call *call;
  const st_query *query;
  const st_filter *filter;
  st_inline_state state;
  st_arena arena;
  st_reading reading;
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
    st_candidates_find(f->call, &f->arena, f->query, f->reading.order == ST_ORDER_RANK, candidates);
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

/* Those of the ids, or (NULL) of all messages, that are allowed and, if among is given, in it. */
static void ask_filters(finding *f, st_value *args, const st_ids *among) {
  st_value id, time;
  st_rows rows;
  st_rows_start(f->call, &rows, STELE_M_CONVERSATION_FIND_ALLOWED, args);
  while (st_rows_next(f->call, &rows)) {
    st_rows_value(f->call, &rows, ST_R_CONVERSATION_FIND_ALLOWED_ID, &id);
    st_rows_value(f->call, &rows, ST_R_CONVERSATION_FIND_ALLOWED_TIMESTAMP, &time);
    if (!among || is_among(among, id.integer)) st_reading_add(&f->reading, id.integer, time.type == ST_REAL ? time.real : 0);
  }
  st_rows_end(f->call, &rows);
}

static void apply_filters(finding *f, const st_ids *ids) {
  st_value args[ST_P_CONVERSATION_FIND_ALLOWED_UNTIL + 1] = {{0}}, items[CHUNK];
  set_filters(f, args);
  if (ids->all || ids->count > MANY) {
    ask_filters(f, args, ids->all ? NULL : ids);
    return;
  }
  for (size_t at = 0; at < ids->count && st_ok(f->call); at += CHUNK) {
    size_t count = ids->count - at < CHUNK ? ids->count - at : CHUNK;
    for (size_t i = 0; i < count; i++) items[i] = st_int(ids->ids[at + i]);
    args[ST_P_CONVERSATION_FIND_ALLOWED_IDS] = list_of(items, count);
    ask_filters(f, args, NULL);
  }
}

/* ---- in which order they are read ---- */

/* Those that the table puts first come first, those that it does not know last. */
static void order_by_table(finding *f, const st_str *words) {
  st_reading *r = &f->reading;
  st_value id, match = {.type = ST_TEXT, .bytes = words->text, .length = words->length};
  st_rows rows;
  size_t placed = 0;
  st_candidate *ordered = st_call_alloc(f->call, r->count * sizeof *ordered);
  bool *taken = st_call_alloc(f->call, r->count);
  if (!st_ok(f->call)) return;
  qsort(r->rows, r->count, sizeof *r->rows, st_reading_by_id);
  st_rows_start(f->call, &rows, STELE_M_CONVERSATION_FIND_BEST_WORDS, &match);
  while (st_rows_next(f->call, &rows)) {
    st_rows_value(f->call, &rows, 0, &id);
    const st_candidate *row = bsearch(&(st_candidate){.id = id.integer}, r->rows, r->count, sizeof *r->rows, st_reading_by_id);
    if (!row || taken[row - r->rows]) continue;
    taken[row - r->rows] = true;
    ordered[placed++] = *row;
  }
  st_rows_end(f->call, &rows);
  for (size_t i = 0; i < r->count; i++)
    if (!taken[i]) ordered[placed++] = r->rows[i];
  memcpy(r->rows, ordered, r->count * sizeof *ordered);
  r->enough = MOST;
}

static void set_order(finding *f, const st_candidates *candidates) {
  st_str words;
  if (f->query->inside) {
    st_reading_sort_most(&f->reading, ST_INSIDE_BLOCK);
    return;
  }
  st_reading_sort(&f->reading);
  if (f->reading.order != ST_ORDER_RANK || f->reading.count <= MOST || candidates->found.all) return;
  st_str_init(&words, 1 << 20);
  st_candidates_words(f->query, &words);
  if (words.failed) st_fail(f->call, STELE_NOMEM, NULL, "out of memory");
  if (words.length && st_ok(f->call)) order_by_table(f, &words);
  st_str_free(&words);
}

static void find_among(finding *f, const st_candidates *candidates, int k) {
  f->reading.count = f->reading.taken = 0;
  f->reading.enough = f->reading.order == ST_ORDER_RANK ? SIZE_MAX : 0;
  if (st_ok(f->call)) apply_filters(f, &candidates->found);
  if (st_ok(f->call)) set_order(f, candidates);
  if (st_ok(f->call)) st_reading_match(&f->reading, (size_t)k);
}

static void find(finding *f, int k, st_found *found) {
  st_candidates candidates;
  find_candidates(f, &candidates);
  find_among(f, &candidates, k);
  if (candidates.narrowed && f->reading.nfound < (size_t)k) { /* then none may be missed */
    candidates.found = (st_ids){.all = true};
    find_among(f, &candidates, k);
  }
  f->reading.total_rows = (double)f->state.messages;
  f->reading.average = f->state.average;
  memcpy(f->reading.frequency, candidates.rows, sizeof candidates.rows);
  if (st_ok(f->call)) st_reading_rank(&f->reading, k, found);
}

void st_compatible_find(st_call *call, const st_query *query, const st_filter *filter, st_order order, int k,
                        st_found *found) {
  finding f = {.call = call, .query = query, .filter = filter};
  *found = (st_found){0};
  if (query->root->kind == ST_QUERY_EMPTY) return;
  st_reading_begin(&f.reading, call, query, order);
  st_arena_init(&f.arena, ARENA_MAX);
  if (st_ok(call)) find(&f, k, found);
  st_arena_free(&f.arena);
  st_reading_end(&f.reading);
}
