/* allowed.c - see allowed.h. */
#include "search/allowed.h"

#include <math.h>
#include <string.h>

#include "search/index_file.h"
#include "search/numbering.h"

/* Numbers, a bit for each. */
typedef struct numbers {
  uint8_t *bits; /* NULL: all */
  uint32_t end;  /* the first that is beyond them */
} numbers;

struct st_allowed {
  double since, until;
  bool timed; /* these are limits */
  numbers sessions, projects, roles, kinds;
};

static bool has(const numbers *n, uint32_t number) {
  return !n->bits || (number < n->end && (n->bits[number / 8] >> (number % 8) & 1));
}

static bool is_within(const st_allowed *a, double time) { return time >= a->since && time < a->until; }

/* What lets the fewest through is asked first, and nothing is read that no filter asks for. */
bool st_allowed_row(const void *allowed, st_rowinfos *rows, int64_t id) {
  const st_allowed *a = allowed;
  if (a->sessions.bits && !has(&a->sessions, st_rowinfos_session(rows, id))) return false;
  if (a->projects.bits && !has(&a->projects, st_rowinfos_project(rows, id))) return false;
  st_kind is = st_rowinfos_kind(rows, id);
  if (!is.kind || !has(&a->kinds, is.kind) || !has(&a->roles, is.role)) return false;
  return !a->timed || is_within(a, st_rowinfos_time(rows, id));
}

static numbers numbers_of(st_call *call, const uint32_t *found, size_t count) {
  numbers n = {.end = 1};
  for (size_t i = 0; i < count; i++)
    if (found[i] >= n.end) n.end = found[i] + 1;
  n.bits = st_call_alloc(call, n.end / 8 + 1);
  for (size_t i = 0; n.bits && i < count; i++)
    if (found[i]) n.bits[found[i] / 8] |= (uint8_t)(1u << (found[i] % 8));
  return n;
}

static void set_names(st_call *call, st_index *index, const char *table, const st_slice *names, size_t count, numbers *out) {
  uint32_t *found = st_call_alloc(call, (count + 1) * sizeof *found);
  if (!found) return;
  int code = st_index_numbers(index, table, names, count, found);
  if (code != SQLITE_OK) st_index_fail(call, index, code);
  *out = numbers_of(call, found, count);
}

static void set_list(st_call *call, st_index *index, const char *table, const st_value *list, numbers *out) {
  st_slice *names = list ? st_call_alloc(call, (list->count + 1) * sizeof *names) : NULL;
  if (!names) return;
  for (uint32_t i = 0; i < list->count; i++) names[i] = (st_slice){list->items[i].bytes, list->items[i].length};
  set_names(call, index, table, names, list->count, out);
}

static void set_sessions(st_call *call, st_index *index, const st_filter *filter, numbers *out) {
  st_slice *names = filter->sessions ? st_call_alloc(call, (filter->nsessions + 1) * sizeof *names) : NULL;
  if (!names) return;
  for (size_t i = 0; i < filter->nsessions; i++) names[i] = (st_slice){filter->sessions[i], strlen(filter->sessions[i])};
  set_names(call, index, "stele_sessions", names, filter->nsessions, out);
}

/* Kinds have the numbers of their sources. */
static void set_kinds(st_call *call, const st_filter *filter, numbers *out) {
  const st_store *store = call->store->store;
  uint32_t *found = filter->kinds ? st_call_alloc(call, (store->nsources + 1u) * sizeof *found) : NULL;
  if (!found) return;
  for (uint32_t i = 0; i < store->nsources; i++) {
    st_value kind = st_textz(store->sources[i].kind);
    if (st_list_has(filter->kinds, &kind)) found[i] = i + 1;
  }
  *out = numbers_of(call, found, store->nsources);
}

st_allowed *st_allowed_new(st_call *call, st_index *index, const st_filter *filter) {
  st_allowed *a = st_call_alloc(call, sizeof *a);
  if (!a) return NULL;
  a->since = filter->since;
  a->until = filter->until;
  a->timed = filter->since != -HUGE_VAL || filter->until != HUGE_VAL;
  set_kinds(call, filter, &a->kinds);
  set_sessions(call, index, filter, &a->sessions);
  set_list(call, index, "stele_roles", filter->roles, &a->roles);
  set_list(call, index, "stele_projects", filter->projects, &a->projects);
  return st_ok(call) ? a : NULL;
}

bool st_filter_is_open(const st_filter *filter) {
  return !filter->sessions && !filter->roles && !filter->kinds && !filter->projects && filter->since == -HUGE_VAL &&
         filter->until == HUGE_VAL;
}

bool st_list_has(const st_value *list, const st_value *text) {
  for (uint32_t i = 0; list && i < list->count; i++)
    if (list->items[i].length == text->length && memcmp(list->items[i].bytes, text->bytes, text->length) == 0) return true;
  return !list;
}
