/* indexer_postgres.c - see indexer_postgres.h.
**
** Messages that are due are read, taken to pieces here, and written as one part of the index: three runs of bytes for each of
** their words.  Very many small parts would make a search read each word in many places: whenever sixteen of the last ones are
** small, they are put together, by the server.  Larger ones stay as they are: a search that wants only the newest messages reads
** the last parts.  A part of which most messages were deleted or changed since is emptied, and what is left of it indexed anew.
**
** One at a time indexes: two would take the same messages to pieces, and one of them in vain.
**
** Which words are the commonest (beside.h) is told by the first thousand messages: a smaller index has no codes, and is made anew
** when it has grown to that. */
#include "search/indexer_postgres.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/token.h"
#include "engine/feature.h"
#include "registry_ids.h"
#include "search/columns.h"
#include "search/due.h"
#include "search/index.h"
#include "search/index_words.h"
#include "search/part.h"
#include "search/terms.h"
#include "search/times.h"

#define PAGE 200
#define PART_CHANGES 12000       /* in a part, at most; one more page is not begun */
#define PART_BYTES (20u << 20)   /* likewise, of text */
#define PART_MEMORY ((size_t)2 << 30)
#define FIRST_ROOM 64
#define MERGED 16                /* parts that are put together */
#define SMALL_ROWS 2048          /* parts up to that are small */
#define CODED_ROWS 1000          /* in an index with codes */

/* ---- Writing a part ---- */

/* What is due, and what becomes of it. */
typedef struct batch {
  st_call *call;
  st_part *part;
  st_common common;
  st_value changes[PART_CHANGES + PAGE], gone[PART_CHANGES + PAGE]; /* numbers of changes; all messages they are about */
  st_value numbers[PART_CHANGES + PAGE], ids[PART_CHANGES + PAGE], sessions[PART_CHANGES + PAGE], times[PART_CHANGES + PAGE];
  uint32_t nchanges, ngone, rows;
  int64_t next;  /* number */
  size_t bytes;
  uint32_t seen[2 * (PART_CHANGES + PAGE)]; /* by a hash of the message: its place in gone, and 1 */
} batch;
/* A message that was changed several times is read as it is now, once. */
static bool is_new(batch *b, int64_t id) {
  enum { SLOTS = sizeof b->seen / sizeof *b->seen };
  for (uint64_t at = (uint64_t)id * UINT64_C(0x9E3779B97F4A7C15) >> 32;; at++) {
    uint32_t *slot = &b->seen[at % SLOTS];
    if (*slot && b->gone[*slot - 1].integer == id) return false;
    if (*slot) continue;
    b->gone[b->ngone] = st_int(id);
    *slot = ++b->ngone;
    return true;
  }
}

static st_value kept(batch *b, const st_value *text) { return st_call_text(b->call, text->bytes, text->length); }

static void mark_role(batch *b, const st_value *role) {
  st_value mark = st_words_role(b->call, role);
  if (st_ok(b->call) && !st_part_mark(b->part, mark.bytes, mark.length)) st_fail(b->call, STELE_NOMEM, NULL, "out of memory");
}

static void add_message(batch *b, const st_value *v, st_arena *scratch) {
  const st_value *time = &v[ST_R_CONVERSATION_INDEX_CHANGES_TIMESTAMP];
  st_column columns[ST_COLUMNS];
  uint32_t row = b->rows++;
  b->numbers[row] = st_int(b->next);
  b->ids[row] = v[ST_R_CONVERSATION_INDEX_CHANGES_ID];
  b->sessions[row] = kept(b, &v[ST_R_CONVERSATION_INDEX_CHANGES_SESSION_ID]);
  b->times[row] = st_real(time->type == ST_REAL ? time->real : 0);
  st_columns_read(b->call, scratch, &v[ST_R_CONVERSATION_INDEX_CHANGES_CONTENT], &v[ST_R_CONVERSATION_INDEX_CHANGES_TOOL_NAME],
                  &v[ST_R_CONVERSATION_INDEX_CHANGES_TOOL_CALLS], columns);
  if (!st_ok(b->call)) return;
  for (int i = 0; i < ST_COLUMNS; i++) b->bytes += columns[i].length;
  mark_role(b, &v[ST_R_CONVERSATION_INDEX_CHANGES_ROLE]);
  if (!st_part_add(b->part, b->next++, columns, ST_COLUMNS)) st_fail(b->call, STELE_NOMEM, NULL, "out of memory");
}

static void read_change(batch *b, st_rows *rows, st_arena *scratch) {
  enum { RESULTS = ST_R_CONVERSATION_INDEX_CHANGES_TOOL_CALLS + 1 };
  st_value v[RESULTS];
  for (size_t i = 0; i < RESULTS; i++) st_rows_value(b->call, rows, i, &v[i]);
  b->changes[b->nchanges++] = v[ST_R_CONVERSATION_INDEX_CHANGES_CHANGE];
  if (!is_new(b, v[ST_R_CONVERSATION_INDEX_CHANGES_ID].integer)) return;
  if (v[ST_R_CONVERSATION_INDEX_CHANGES_SESSION_ID].type == ST_TEXT) add_message(b, v, scratch);
}

static bool is_full(const batch *b) { return b->nchanges >= PART_CHANGES || b->bytes >= PART_BYTES; }

/* False: nothing more is due, or the part is full. */
static bool read_page(batch *b) {
  st_value args[] = {b->nchanges ? b->changes[b->nchanges - 1] : st_int(0), st_int(PAGE)};
  st_arena scratch;
  st_rows rows;
  uint32_t before = b->nchanges;
  st_arena_init(&scratch, PART_MEMORY);
  st_rows_stream(b->call, &rows, STELE_M_CONVERSATION_INDEX_CHANGES, args);
  while (b->bytes < PART_BYTES && st_rows_next(b->call, &rows)) {
    read_change(b, &rows, &scratch);
    st_arena_reset(&scratch);
  }
  st_rows_end(b->call, &rows);
  st_arena_free(&scratch);
  return b->nchanges - before == PAGE && !is_full(b) && st_ok(b->call);
}

static st_value list_of(const st_value *items, uint32_t count) {
  return (st_value){.type = ST_LIST, .items = items, .count = count, .width = 1};
}

static void write_entries(batch *b) {
  st_value gone = list_of(b->gone, b->ngone);
  st_value entries[] = {list_of(b->numbers, b->rows), list_of(b->ids, b->rows), list_of(b->sessions, b->rows), list_of(b->times, b->rows)};
  st_run(b->call, STELE_M_CONVERSATION_ENTRY_FORGET, &gone);
  if (b->rows) st_run(b->call, STELE_M_CONVERSATION_ENTRY_PUT, entries);
}

static st_value bytes_of(const st_str *bytes) {
  return (st_value){.type = ST_BLOB, .bytes = bytes->text ? bytes->text : "", .length = bytes->length};
}

static void write_words(batch *b, const st_part_word *words, size_t count) {
  st_value *texts = st_call_alloc(b->call, (count + 1) * sizeof *texts), *rows = st_call_alloc(b->call, (count + 1) * sizeof *rows);
  st_value *packed = st_call_alloc(b->call, (count + 1) * sizeof *packed), *places = st_call_alloc(b->call, (count + 1) * sizeof *places);
  st_value *beside = st_call_alloc(b->call, (count + 1) * sizeof *beside);
  if (!st_ok(b->call)) return;
  for (size_t i = 0; i < count; i++) {
    texts[i] = (st_value){.type = ST_TEXT, .bytes = words[i].text, .length = words[i].length};
    rows[i] = st_int(words[i].found.count);
    packed[i] = bytes_of(&words[i].found.rows);
    places[i] = bytes_of(&words[i].found.places);
    beside[i] = bytes_of(&words[i].found.beside);
  }
  uint32_t n = (uint32_t)count;
  st_value args[] = {b->numbers[0], list_of(texts, n), list_of(rows, n), list_of(packed, n), list_of(places, n), list_of(beside, n)};
  st_run(b->call, STELE_M_CONVERSATION_POSTING_PUT, args);
}

static void put_part(batch *b) {
  double oldest = INFINITY, newest = -INFINITY;
  st_str times;
  st_str_init(&times, PART_MEMORY);
  for (uint32_t i = 0; i < b->rows; i++) {
    st_times_add(&times, b->times[i].real);
    oldest = fmin(oldest, b->times[i].real);
    newest = fmax(newest, b->times[i].real);
  }
  st_value all = {.type = ST_BLOB, .bytes = times.text, .length = times.length};
  st_value part[] = {b->numbers[0],     st_int(b->next - 1), st_int(st_part_rows(b->part)), st_int(st_part_tokens(b->part)), st_real(oldest),
                     st_real(newest), all};
  if (times.failed) st_fail(b->call, STELE_NOMEM, NULL, "out of memory");
  st_run(b->call, STELE_M_CONVERSATION_PART_PUT, part);
  st_str_free(&times);
}

static void write_part(batch *b) {
  size_t count = 0;
  const st_part_word *words = st_part_words(b->part, &count);
  put_part(b);
  if (count) write_words(b, words, count);
}

static void write_batch(batch *b) {
  char id[32];
  st_value done = list_of(b->changes, b->nchanges);
  st_run(b->call, STELE_M_CONVERSATION_INDEX_DONE, &done);
  write_entries(b);
  if (b->rows) write_part(b);
  for (uint32_t i = 0; i < b->ngone; i++) {
    snprintf(id, sizeof id, "%lld", (long long)b->gone[i].integer);
    st_due_note(b->call, "message", id);
  }
}

/* ---- Common words ---- */

static int by_times(const void *a, const void *b) {
  const st_part_word *one = *(const st_part_word *const *)a, *other = *(const st_part_word *const *)b;
  if (one->found.times != other->found.times) return one->found.times > other->found.times ? -1 : 1;
  return strcmp(one->text, other->text);
}

/* Those of the part.  There is always one, so that it is known that they were chosen. */
static void list_commonest(batch *b) {
  size_t count = 0, words = 0;
  const st_part_word *all = st_part_words(b->part, &count);
  const st_part_word **order = st_call_alloc(b->call, (count + 1) * sizeof *order);
  if (!order) return;
  for (size_t i = 0; i < count; i++)
    if ((unsigned char)all[i].text[0] >= ' ') order[words++] = &all[i];
  if (words) qsort(order, words, sizeof *order, by_times);
  for (size_t i = 0; i < words && i < ST_COMMON_MAX; i++)
    b->common.words[b->common.count++] = st_call_copy(b->call, order[i]->text, order[i]->length);
  if (!words) b->common.words[b->common.count++] = ST_TOKEN_BOUNDARY_TEXT;
}

static void write_common(batch *b) {
  st_value words[ST_COMMON_MAX], codes[ST_COMMON_MAX];
  for (size_t i = 0; i < b->common.count && st_ok(b->call); i++) {
    words[i] = st_textz(b->common.words[i]);
    codes[i] = st_int((int64_t)i + 1);
  }
  st_value args[] = {list_of(words, (uint32_t)b->common.count), list_of(codes, (uint32_t)b->common.count)};
  if (st_ok(b->call)) st_run(b->call, STELE_M_CONVERSATION_COMMON_PUT, args);
}

/* ---- A part ---- */

/* Take to pieces what is due, as much as is a part. */
static void read_due(batch *b, int64_t next) {
  st_call *call = b->call;
  st_common common = b->common;
  memset(b, 0, sizeof *b);
  b->call = call;
  b->common = common;
  b->next = next;
  b->part = st_part_new();
  if (!b->part) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  else st_part_code(b->part, b->common.words, b->common.count);
  while (st_ok(call) && read_page(b)) continue;
}

/* The first part of an index with codes tells them, and is then read once more, with them. */
static void read_first(batch *b) {
  list_commonest(b);
  st_part_free(b->part);
  b->part = NULL;
  write_common(b);
  if (st_ok(b->call)) read_due(b, 1);
}

/* Nobody else writes parts until the transaction ends.  Before anything is read: what is read is what the one before has left. */
static void take_turn(st_call *call) {
  if (!st_ok(call)) return;
  stele_status status = call->store->driver->script(call->store->conn, "LOCK TABLE stele_part IN SHARE ROW EXCLUSIVE MODE");
  if (status != STELE_OK) st_fail_conn(call, status);
}

static bool is_worth_codes(const batch *b) { return st_part_rows(b->part) >= CODED_ROWS || b->bytes >= PART_BYTES; }

/* `user`: where the count of messages goes; 0: nothing was due. */
static bool index_some(st_call *call, void *user) {
  int64_t *count = user;
  bool restarted = false;
  st_postgres_parts parts;
  batch *b = st_call_alloc(call, sizeof *b);
  *count = 0;
  if (!b) return false;
  memset(b, 0, sizeof *b);
  b->call = call;
  st_postgres_parts_read(call, &parts);
  st_terms_common(call, call->arena, &b->common);
  if (st_ok(call) && b->common.count == 0 && parts.rows >= CODED_ROWS) {
    st_run(call, STELE_M_CONVERSATION_INDEX_RESTART, NULL);
    parts = (st_postgres_parts){0};
    restarted = true;
  }
  if (st_ok(call)) read_due(b, parts.last + 1);
  bool first = st_ok(call) && b->common.count == 0 && parts.count == 0;
  if (first && (is_worth_codes(b) || (restarted && b->rows))) read_first(b); /* if it did not now, it would be made anew again */
  if (st_ok(call) && b->nchanges) write_batch(b);
  st_part_free(b->part);
  *count = b->ngone;
  return st_ok(call);
}

static bool index_part(st_call *call, void *user) {
  take_turn(call);
  return index_some(call, user);
}

/* ---- Parts of which little is left ---- */

static bool is_hollow(const st_postgres_part *part) { return part->live >= 0 && 2 * part->live < part->rows; }

/* One of them.  `user`: as of index_some(); -1: there is none. */
static bool renew_part(st_call *call, void *user) {
  int64_t *count = user;
  st_postgres_parts parts;
  size_t at = 0;
  take_turn(call);
  st_postgres_parts_read(call, &parts);
  while (at < parts.count && !is_hollow(&parts.all[at])) at++;
  *count = -1;
  if (!st_ok(call) || at == parts.count) return st_ok(call);
  st_value args[] = {st_int(parts.all[at].first), st_int(parts.all[at].last)};
  st_run(call, STELE_M_CONVERSATION_EMPTY_PART, args);
  return index_some(call, count);
}

/* ---- Putting parts together ---- */

/* True: some of the last ones were; there may be more of them. */
static bool merge_some(st_call *call, void *user) {
  bool *merged = user;
  st_postgres_parts parts;
  take_turn(call);
  st_postgres_parts_read(call, &parts);
  size_t first = parts.count;
  while (st_ok(call) && first > 0 && parts.all[first - 1].rows <= SMALL_ROWS) first--;
  *merged = st_ok(call) && parts.count - first >= MERGED;
  st_value *numbers = *merged ? st_call_alloc(call, (parts.count - first) * sizeof *numbers) : NULL;
  if (!numbers) return false;
  for (size_t i = first; i < parts.count; i++) numbers[i - first] = st_int(parts.all[i].first);
  st_value args[] = {list_of(numbers, (uint32_t)(parts.count - first)), numbers[0]};
  st_run(call, STELE_M_CONVERSATION_MERGE_PARTS, args);
  return st_ok(call);
}

/* ---- All of it ---- */

/* New messages are noted from now on, and there are tables for the rest. */
static void make_tables(st_call *call) {
  st_feature_need(call, ST_F_CONVERSATION_CHANGES);
  st_feature_need(call, ST_F_CONVERSATION_POSTINGS);
}

/* Again and again, until there is none.  What a part needs is freed with it: there may be millions. */
static void make_parts(st_call *call, bool (*make)(st_call *call, void *count), int64_t none, int64_t *indexed) {
  st_arena *outer = call->arena, memory;
  int64_t count = none + 1;
  st_arena_init(&memory, PART_MEMORY);
  call->arena = &memory;
  while (count > none && st_ok(call)) {
    st_call_transaction(call, true, make, &count);
    if (count > 0) *indexed += count;
    if (count > 0) st_index_tell(call, *indexed);
    st_arena_reset(&memory);
    bool merged = count > none;
    if (merged) st_call_transaction(call, true, merge_some, &merged);
    st_arena_reset(&memory);
  }
  call->arena = outer;
  st_arena_free(&memory);
}

void st_postgres_catch_up(st_call *call, int64_t *indexed) {
  *indexed = 0;
  make_tables(call);
  make_parts(call, index_part, 0, indexed);
}

void st_postgres_renew(st_call *call, int64_t *indexed) {
  make_parts(call, renew_part, -1, indexed);
  make_parts(call, index_part, 0, indexed); /* what was left of a large one */
}

static bool restart(st_call *call, void *user) {
  (void)user;
  take_turn(call);
  st_run(call, STELE_M_CONVERSATION_INDEX_RESTART, NULL);
  return st_ok(call);
}

void st_postgres_restart(st_call *call) {
  make_tables(call);
  st_call_transaction(call, true, restart, NULL);
}

static bool reserve(st_call *call, st_postgres_parts *parts) {
  if (parts->count < parts->room) return true;
  size_t room = 2 * parts->room + FIRST_ROOM;
  st_postgres_part *all = st_call_alloc(call, room * sizeof *all);
  if (!all) return false;
  if (parts->count) memcpy(all, parts->all, parts->count * sizeof *all);
  parts->all = all;
  parts->room = room;
  return true;
}

void st_postgres_parts_read(st_call *call, st_postgres_parts *out) {
  st_value v[ST_R_CONVERSATION_LIST_PARTS_NEWEST + 1];
  st_rows list;
  *out = (st_postgres_parts){0};
  st_rows_start(call, &list, STELE_M_CONVERSATION_LIST_PARTS, NULL);
  while (st_rows_next(call, &list)) {
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) st_rows_value(call, &list, i, &v[i]);
    if (!reserve(call, out)) continue;
    const st_value *live = &v[ST_R_CONVERSATION_LIST_PARTS_LIVE];
    st_postgres_part part = {.first = v[ST_R_CONVERSATION_LIST_PARTS_PART].integer, .last = v[ST_R_CONVERSATION_LIST_PARTS_LAST].integer,
                             .rows = v[ST_R_CONVERSATION_LIST_PARTS_ROWS].integer, .live = live->type == ST_INT ? live->integer : -1,
                             .oldest = v[ST_R_CONVERSATION_LIST_PARTS_OLDEST].real, .newest = v[ST_R_CONVERSATION_LIST_PARTS_NEWEST].real};
    out->all[out->count++] = part;
    out->last = part.last;
    if (part.live < 0) continue;
    out->rows += (double)part.rows;
    out->tokens += (double)v[ST_R_CONVERSATION_LIST_PARTS_TOKENS].integer;
  }
  st_rows_end(call, &list);
}
