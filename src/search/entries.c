/* entries.c - see entries.h. */
#include "search/entries.h"

#include <math.h>
#include <stdlib.h>

#include "registry_ids.h"
#include "search/allowed.h"
#include "search/statement.h"

#define FEW 4000           /* so many are few */
#define FEW_SESSIONS 500   /* that may have few messages, and are quickly told to the server */

/* An entry that was read. */
typedef struct entry {
  int64_t number, id;
  double time;
} entry;

/* Both methods have those of their parameters that are a filter in one order. */
enum {
  NUMBER = ST_R_CONVERSATION_ENTRIES_AT_NUMBER,
  ID = ST_R_CONVERSATION_ENTRIES_AT_ID,
  TIME = ST_R_CONVERSATION_ENTRIES_AT_TIME,
  SESSION = ST_R_CONVERSATION_ENTRIES_AT_SESSION,
  RESULTS
};
enum { FILTERED_BY = 3 };
_Static_assert((int)ST_P_CONVERSATION_ENTRIES_AT_UNTIL == (int)ST_P_CONVERSATION_ENTRIES_AT_SESSIONS + FILTERED_BY - 1 &&
                   (int)ST_P_CONVERSATION_ENTRIES_WITHIN_UNTIL == (int)ST_P_CONVERSATION_ENTRIES_WITHIN_SESSIONS + FILTERED_BY - 1,
               "a filter's parameters stand together");

st_entries st_entries_of(st_call *call, st_arena *arena, const st_filter *filter) {
  st_entries entries = {.call = call, .arena = arena, .filter = filter};
  bool many = filter->sessions && filter->nsessions > FEW_SESSIONS;
  if (st_ok(call) && many && !st_nameset_make(arena, filter->sessions, filter->nsessions, &entries.sessions))
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return entries;
}

static st_value list_of(const st_value *items, size_t count) {
  return (st_value){.type = ST_LIST, .items = items, .count = (uint32_t)count, .width = 1};
}

static void set_filter(const st_entries *entries, st_value out[FILTERED_BY]) {
  const st_filter *filter = entries->filter;
  for (int i = 0; i < FILTERED_BY; i++) out[i] = (st_value){.type = ST_ABSENT};
  if (filter->sessions && !entries->sessions.slots) {
    st_value *items = st_call_alloc(entries->call, (filter->nsessions + 1) * sizeof *items);
    for (size_t i = 0; items && i < filter->nsessions; i++) items[i] = st_textz(filter->sessions[i]);
    if (items) out[0] = list_of(items, filter->nsessions);
  }
  out[1] = st_statement_time(filter->since);
  out[2] = st_statement_time(filter->until);
}

static bool is_of_session(const st_entries *entries, const st_value *session) {
  return !entries->sessions.slots || st_nameset_has(&entries->sessions, session->bytes, session->length);
}

/* ---- What the filter lets through ---- */

static bool is_of_some_time(const st_filter *filter) { return isfinite(filter->since) || isfinite(filter->until); }

bool st_entries_are_narrowed(const st_entries *entries) { return entries->filter->sessions || is_of_some_time(entries->filter); }

static bool may_be_few(const st_filter *filter) {
  return is_of_some_time(filter) || (filter->sessions && filter->nsessions <= FEW_SESSIONS);
}

static int by_number(const void *a, const void *b) {
  int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
  return (one > other) - (one < other);
}

/* In the order of their numbers, of at most so many entries, whichever those are.  *all: there are no others. */
static st_ids read_within(const st_entries *entries, int64_t most, bool *all) {
  enum { OF_SESSION = ST_R_CONVERSATION_ENTRIES_WITHIN_SESSION };
  st_value args[ST_P_CONVERSATION_ENTRIES_WITHIN_LIMIT + 1], v[OF_SESSION + 1];
  st_rows rows;
  st_ids found = {0};
  int64_t read = 0;
  set_filter(entries, &args[ST_P_CONVERSATION_ENTRIES_WITHIN_SESSIONS]);
  args[ST_P_CONVERSATION_ENTRIES_WITHIN_LIMIT] = st_int(most);
  st_rows_stream(entries->call, &rows, STELE_M_CONVERSATION_ENTRIES_WITHIN, args);
  for (; st_rows_next(entries->call, &rows); read++) {
    for (size_t i = 0; i <= OF_SESSION; i++) st_rows_value(entries->call, &rows, i, &v[i]);
    if (is_of_session(entries, &v[OF_SESSION])) st_ids_add(entries->call, entries->arena, &found, v[ST_R_CONVERSATION_ENTRIES_WITHIN_NUMBER].integer);
  }
  st_rows_end(entries->call, &rows);
  if (found.count) qsort(found.ids, found.count, sizeof *found.ids, by_number);
  *all = read < most;
  return found;
}

st_ids st_entries_few(const st_entries *entries) {
  st_ids any = {.all = true};
  bool all;
  if (!may_be_few(entries->filter)) return any;
  st_ids few = read_within(entries, FEW + 1, &all);
  return all ? few : any;
}

st_ids st_entries_within(const st_entries *entries) {
  bool all;
  return read_within(entries, INT64_MAX, &all);
}

/* ---- Numbers ---- */

static bool has(const st_ids *ids, int64_t id) {
  return ids->count && bsearch(&id, ids->ids, ids->count, sizeof *ids->ids, by_number);
}

/* Is it to be found? */
static bool read_entry(const st_entries *entries, st_rows *rows, entry *out) {
  st_value v[RESULTS];
  for (size_t i = 0; i < RESULTS; i++) st_rows_value(entries->call, rows, i, &v[i]);
  *out = (entry){v[NUMBER].integer, v[ID].integer, v[TIME].type == ST_REAL ? v[TIME].real : 0};
  return is_of_session(entries, &v[SESSION]) && !has(&entries->left_out, out->id);
}

/* Those of some numbers. */
static int read_at(const st_entries *entries, const st_value *numbers, int count, entry *out) {
  st_value args[ST_P_CONVERSATION_ENTRIES_AT_UNTIL + 1];
  st_rows rows;
  int found = 0;
  args[ST_P_CONVERSATION_ENTRIES_AT_NUMBERS] = list_of(numbers, (size_t)count);
  set_filter(entries, &args[ST_P_CONVERSATION_ENTRIES_AT_SESSIONS]);
  st_rows_start(entries->call, &rows, STELE_M_CONVERSATION_ENTRIES_AT, args);
  while (found < count && st_rows_next(entries->call, &rows)) found += read_entry(entries, &rows, &out[found]);
  st_rows_end(entries->call, &rows);
  return st_ok(entries->call) ? found : 0;
}

static int by_entry(const void *a, const void *b) {
  const entry *one = a, *other = b;
  return (one->number > other->number) - (one->number < other->number);
}

int st_entries_of_hits(const st_entries *entries, st_hit *hits, int count) { return st_entries_numbered(entries, hits, count, NULL); }

int st_entries_numbered(const st_entries *entries, st_hit *hits, int count, int64_t *kept_numbers) {
  st_value *numbers = st_call_alloc(entries->call, ((size_t)count + 1) * sizeof *numbers);
  entry *found = st_call_alloc(entries->call, ((size_t)count + 1) * sizeof *found);
  int kept = 0;
  if (!st_ok(entries->call) || count == 0) return 0;
  for (int i = 0; i < count; i++) numbers[i] = st_int(hits[i].id);
  int known = read_at(entries, numbers, count, found);
  if (known) qsort(found, (size_t)known, sizeof *found, by_entry);
  for (int i = 0; i < count && known; i++) {
    entry wanted = {.number = hits[i].id};
    const entry *at = bsearch(&wanted, found, (size_t)known, sizeof *found, by_entry);
    if (at && kept_numbers) kept_numbers[kept] = at->number;
    if (at) hits[kept++] = (st_hit){.id = at->id, .score = hits[i].score, .time = at->time};
  }
  return kept;
}
