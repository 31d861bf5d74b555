/* sqlite_group.c - stele_group(key, kind, detail, amount, at, id): figures by the first three, in one
** pass.
**
** SQLite groups by sorting, or by following an index and looking up every row: for 200,000 rows
** that takes 100 to 180 ms.  This aggregate keeps the few groups in a hash table while the table is
** scanned in its own order, which takes about 15.
**
** The result is a JSON array, one element per group, in no order:
**   [key, kind, detail, count, sum, min, max, last_at, last_id]
** key is an integer; kind and detail are texts, cut to 31 bytes, null is "".  An amount that is null
** is counted but not summed.  last_id is the id of the row with the greatest at, of several the
** greatest id. */
#include <string.h>

#include "engine/sqlite_driver.h"

#define NAME_MAX_BYTES 31

typedef struct name {
  unsigned char length;
  char bytes[NAME_MAX_BYTES];
} name;

typedef struct group {
  int64_t count; /* 0: the place is free */
  int64_t key;
  double sum, lost; /* the sum, and what rounding took from it */
  double min, max, last_at;
  int64_t amounts, last_id;
  name kind, detail;
} group;

typedef struct groups {
  group *places;
  unsigned used, room; /* room is a power of two */
} groups;

static bool same(const name *a, const name *b) {
  return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

static uint64_t mix(uint64_t hash, const name *with) {
  hash = (hash ^ with->length) * UINT64_C(0x9E3779B97F4A7C15);
  if (!with->length) return hash;
  hash ^= (uint64_t)(unsigned char)with->bytes[0] << 8 | (unsigned char)with->bytes[with->length - 1];
  return hash * UINT64_C(0x9E3779B97F4A7C15);
}

static group *place_of(const groups *all, int64_t key, const name *kind, const name *detail) {
  uint64_t hash = mix(mix((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15), kind), detail);
  unsigned at = (unsigned)(hash >> 32) & (all->room - 1);
  for (;; at = (at + 1) & (all->room - 1)) {
    group *place = &all->places[at];
    if (!place->count || (place->key == key && same(&place->kind, kind) && same(&place->detail, detail))) return place;
  }
}

/* At most three quarters of the places are taken. */
static bool make_room(groups *all) {
  if (all->room && all->used < all->room / 4 * 3) return true;
  groups larger = {NULL, all->used, all->room ? all->room * 2 : 256};
  larger.places = sqlite3_malloc64(larger.room * sizeof(group));
  if (!larger.places) return false;
  memset(larger.places, 0, larger.room * sizeof(group));
  for (unsigned i = 0; i < all->room; i++) {
    const group *old = &all->places[i];
    if (old->count) *place_of(&larger, old->key, &old->kind, &old->detail) = *old;
  }
  sqlite3_free(all->places);
  *all = larger;
  return true;
}

/* As SQLite's own sum(): what an addition rounds away is kept aside (Kahan and Neumaier). */
static void add_amount(group *to, double amount) {
  double sum = to->sum + amount;
  double larger = to->sum < 0 ? -to->sum : to->sum, smaller = amount < 0 ? -amount : amount;
  to->lost += larger >= smaller ? (to->sum - sum) + amount : (amount - sum) + to->sum;
  to->sum = sum;
  if (to->amounts == 0 || amount < to->min) to->min = amount;
  if (to->amounts == 0 || amount > to->max) to->max = amount;
  to->amounts++;
}

/* Never inside a character. */
static void read_name(sqlite3_value *value, name *out) {
  const char *text = (const char *)sqlite3_value_text(value);
  int length = text ? sqlite3_value_bytes(value) : 0;
  if (length > NAME_MAX_BYTES)
    for (length = NAME_MAX_BYTES; length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80; length--) continue;
  out->length = (unsigned char)length;
  if (length) memcpy(out->bytes, text, (size_t)length);
}

static group *group_of(sqlite3_context *context, sqlite3_value **values) {
  groups *all = sqlite3_aggregate_context(context, sizeof *all);
  name kind, detail;
  if (!all || !make_room(all)) return NULL;
  int64_t key = sqlite3_value_int64(values[0]);
  read_name(values[1], &kind);
  read_name(values[2], &detail);
  group *found = place_of(all, key, &kind, &detail);
  if (found->count++ > 0) return found;
  all->used++;
  found->key = key;
  found->kind = kind;
  found->detail = detail;
  return found;
}

static void step(sqlite3_context *context, int count, sqlite3_value **values) {
  group *to = group_of(context, values);
  (void)count;
  if (!to) {
    sqlite3_result_error_nomem(context);
    return;
  }
  if (sqlite3_value_type(values[3]) != SQLITE_NULL) add_amount(to, sqlite3_value_double(values[3]));
  double at = sqlite3_value_double(values[4]);
  int64_t id = sqlite3_value_int64(values[5]);
  if (to->count == 1 || at > to->last_at || (at == to->last_at && id > to->last_id)) {
    to->last_at = at;
    to->last_id = id;
  }
}

static void add_name(sqlite3_str *out, const name *from) {
  sqlite3_str_appendchar(out, 1, '"');
  for (unsigned i = 0; i < from->length; i++) {
    unsigned char c = (unsigned char)from->bytes[i];
    if (c < 0x20 || c == '"' || c == '\\')
      sqlite3_str_appendf(out, "\\u%04x", c);
    else
      sqlite3_str_appendchar(out, 1, (char)c);
  }
  sqlite3_str_appendall(out, "\",");
}

static void add_group(sqlite3_str *out, const group *from) {
  sqlite3_str_appendf(out, "%s[%lld,", sqlite3_str_length(out) > 1 ? "," : "", (long long)from->key);
  add_name(out, &from->kind);
  add_name(out, &from->detail);
  sqlite3_str_appendf(out, "%lld", (long long)from->count);
  if (from->amounts)
    sqlite3_str_appendf(out, ",%!.17g,%!.17g,%!.17g", from->sum + from->lost, from->min, from->max);
  else
    sqlite3_str_appendall(out, ",null,null,null");
  sqlite3_str_appendf(out, ",%!.17g,%lld]", from->last_at, (long long)from->last_id);
}

static void finish(sqlite3_context *context) {
  groups *all = sqlite3_aggregate_context(context, 0);
  sqlite3_str *out = sqlite3_str_new(NULL);
  sqlite3_str_appendchar(out, 1, '[');
  for (unsigned i = 0; all && i < all->room; i++)
    if (all->places[i].count) add_group(out, &all->places[i]);
  sqlite3_str_appendchar(out, 1, ']');
  if (all) sqlite3_free(all->places);
  if (sqlite3_str_errcode(out) == SQLITE_OK) {
    int length = sqlite3_str_length(out);
    sqlite3_result_text(context, sqlite3_str_finish(out), length, sqlite3_free);
  } else {
    sqlite3_free(sqlite3_str_finish(out));
    sqlite3_result_error_nomem(context);
  }
}

int st_sqlite_functions(sqlite3 *db) {
  return sqlite3_create_function_v2(db, "stele_group", 6, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL, NULL,
                                    step, finish, NULL);
}
