/* corpus_messages.c - the messages of the conversation store.  See corpus.h. */
#include <string.h>

#include "registry_ids.h"
#include "search/corpus.h"
#include "search/index_file.h"

#define MESSAGE 1 /* the only kind */

/* Substrings are looked for in what people and agents say, not in what tools print. */
static bool is_said(const st_slice *role) {
  return role->bytes && (strcmp(role->bytes, "user") == 0 || strcmp(role->bytes, "assistant") == 0);
}

static void add_message(st_call *call, st_parcel *b, st_rows *rows, bool change) {
  enum { RESULTS = ST_R_CONVERSATION_INDEX_BATCH_TOOL_CALLS + 1 };
  st_value v[RESULTS];
  st_entry *e = st_parcel_add(call, b);
  if (!e) return;
  for (size_t i = 0; i < RESULTS; i++) st_rows_value(call, rows, i, &v[i]);
  e->kind = MESSAGE;
  e->number = v[ST_R_CONVERSATION_INDEX_BATCH_ID].integer;
  e->change = change ? v[ST_R_CONVERSATION_INDEX_BATCH_CHANGE].integer : 0;
  e->session = st_parcel_copy(call, b, &v[ST_R_CONVERSATION_INDEX_BATCH_SESSION_ID]);
  e->gone = e->session.bytes == NULL;
  e->role = st_parcel_copy(call, b, &v[ST_R_CONVERSATION_INDEX_BATCH_ROLE]);
  e->inside = is_said(&e->role);
  e->time = v[ST_R_CONVERSATION_INDEX_BATCH_TIMESTAMP].type == ST_REAL ? v[ST_R_CONVERSATION_INDEX_BATCH_TIMESTAMP].real : 0;
  e->text = st_parcel_copy(call, b, &v[ST_R_CONVERSATION_INDEX_BATCH_CONTENT]);
  e->title = st_parcel_copy(call, b, &v[ST_R_CONVERSATION_INDEX_BATCH_TOOL_NAME]);
  e->extra = st_parcel_copy(call, b, &v[ST_R_CONVERSATION_INDEX_BATCH_TOOL_CALLS]);
  if (change)
    b->to.change_upto = e->change;
  else
    b->to.upto = e->number;
}

/* Both methods have the same parameters and results: after, limit. */
static void read_some(st_call *call, st_parcel *b, int method, int64_t after, bool change) {
  st_value args[] = {st_int(after), st_int(ST_PARCEL_ROWS)};
  st_rows rows;
  st_rows_start(call, &rows, method, args);
  while (b->bytes < ST_PARCEL_BYTES && st_rows_next(call, &rows)) add_message(call, b, &rows, change);
  st_rows_end(call, &rows);
}

/* One that was changed before it was ever indexed comes by itself. */
static void leave_out_later(st_parcel *b, int64_t upto) {
  st_entry **at = &b->first;
  b->last = NULL;
  while (*at) {
    if ((*at)->number > upto) {
      *at = (*at)->next;
      continue;
    }
    b->last = *at;
    at = &(*at)->next;
  }
}

static void read_messages(st_call *call, st_index *index, st_parcel *b) {
  read_some(call, b, STELE_M_CONVERSATION_INDEX_CHANGES, index->marks.change_upto, true);
  leave_out_later(b, index->marks.upto);
  if (b->to.change_upto == index->marks.change_upto)
    read_some(call, b, STELE_M_CONVERSATION_INDEX_BATCH, index->marks.upto, false);
}

static int64_t count_backlog(st_call *call, const st_marks *from, int64_t *changes) {
  st_value args[] = {st_int(from->upto), st_int(from->change_upto)};
  st_value rows_missing = st_int(0), changes_missing = st_int(0);
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_INDEX_BACKLOG, args);
  if (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_CONVERSATION_INDEX_BACKLOG_MESSAGES, &rows_missing);
    st_rows_value(call, &rows, ST_R_CONVERSATION_INDEX_BACKLOG_CHANGES, &changes_missing);
  }
  st_rows_end(call, &rows);
  *changes = changes_missing.integer;
  return rows_missing.integer;
}

/* Does it know messages or changes that the store has never had?  Then the store is another one than it was
** made from: an older copy was put back in its place.  Or does it lack changes that are not noted any more,
** because another index of the same store has them? */
static bool is_foreign(st_call *call, st_index *index) {
  const st_marks *marks = &index->marks;
  st_value after[] = {st_int(marks->upto), st_int(marks->change_upto)};
  st_value given = st_int(0), noted = st_int(0), next = {.type = ST_NULL}, time = {.type = ST_NULL};
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_INDEX_ORIGIN, after);
  if (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_CONVERSATION_INDEX_ORIGIN_GIVEN, &given);
    st_rows_value(call, &rows, ST_R_CONVERSATION_INDEX_ORIGIN_NOTED, &noted);
    st_rows_value(call, &rows, ST_R_CONVERSATION_INDEX_ORIGIN_NEXT, &next);
    st_rows_value(call, &rows, ST_R_CONVERSATION_INDEX_ORIGIN_TIME, &time);
  }
  st_rows_end(call, &rows);
  if (!st_ok(call)) return false;
  if (marks->upto > given.integer || marks->change_upto > noted.integer) return true;
  bool complete = marks->change_upto == noted.integer || (next.type == ST_INT && next.integer == marks->change_upto + 1);
  if (marks->upto > 0 && !complete) return true; /* an empty one lacks nothing */
  st_rowinfo row;
  bool there = st_rowinfos_get(&index->rows, marks->upto, &row);
  if (index->rows.error != SQLITE_OK) st_index_fail(call, index, index->rows.error);
  return there && time.type == ST_REAL && marks->change_upto == noted.integer && row.time != time.real;
}

st_corpus st_corpus_messages(void) {
  return (st_corpus){.read = read_messages,
                     .backlog = count_backlog,
                     .is_foreign = is_foreign,
                     .lasts = true,
                     .reads_tail = true,
                     .oldest_change = STELE_M_CONVERSATION_INDEX_OLDEST_CHANGE,
                     .trim = STELE_M_CONVERSATION_INDEX_TRIM};
}
