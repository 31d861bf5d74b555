/* convert.c - see convert.h. */
#include "search/convert.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/time.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "registry_ids.h"
#include "search/find_compatible.h"
#include "search/form.h"
#include "search/index.h"
#include "search/remove.h"

#define BATCH_FIRST 32 /* messages; then as many as the time allows */
#define BATCH_MAX 5000

static const char *const NOTE = "stele_reindex"; /* in state_meta: the last message that was put in */

static bool read_note(st_call *call, int64_t *last) {
  st_value key = st_textz(NOTE), value = {.type = ST_NULL};
  st_rows rows;
  *last = 0;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_GET_META, &key);
  bool there = st_rows_next(call, &rows);
  if (there) st_rows_value(call, &rows, ST_R_CONVERSATION_GET_META_VALUE, &value);
  if (value.type == ST_TEXT) st_parse_int(value.bytes, value.length, last);
  st_rows_end(call, &rows);
  return there;
}

static void write_note(st_call *call, int64_t last) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)last);
  st_value args[] = {st_textz(NOTE), st_textz(text)};
  st_run(call, STELE_M_CONVERSATION_SET_META, args);
}

static void forget_note(st_call *call) {
  st_value key = st_textz(NOTE);
  st_run(call, STELE_M_CONVERSATION_FORGET_META, &key);
}

/* ---- into the store ---- */

/* Tables and triggers, empty: from now on what is written goes into them by itself. */
static void begin(st_call *call, bool anew) {
  st_inline_state state;
  int64_t last;
  st_call_begin(call, true);
  if (!st_ok(call)) return;
  st_features_refresh(call);
  st_inline_look(call, &state);
  bool make = anew || state.broken;
  if (make || !read_note(call, &last)) {
    st_form_note_changes(call); /* so that the store is not yet taken for a compatible one */
    if (make) st_remove_begin(call);
    st_feature_need(call, ST_F_CONVERSATION_COMPATIBLE);
    write_note(call, 0);
  }
  st_call_end(call);
}

/* All messages are in: the store is a compatible one from the commit on. */
static void complete(st_call *call) {
  st_feature_undo(call, ST_F_CONVERSATION_CHANGES);
  forget_note(call);
}

/* One batch, in one transaction.  False: there was none left, or somebody else has done the rest. */
static bool fill(st_call *call, int limit, int64_t *count) {
  st_value last = {.type = ST_NULL}, number = st_int(0);
  st_rows rows;
  int64_t after;
  st_call_begin(call, true);
  if (!st_ok(call)) return false;
  st_features_refresh(call);
  bool going = read_note(call, &after);
  if (going) {
    st_value next[] = {st_int(after), st_int(limit)};
    st_rows_start(call, &rows, STELE_M_CONVERSATION_INLINE_NEXT, next);
    if (st_rows_next(call, &rows)) {
      st_rows_value(call, &rows, ST_R_CONVERSATION_INLINE_NEXT_LAST, &last);
      st_rows_value(call, &rows, ST_R_CONVERSATION_INLINE_NEXT_COUNT, &number);
    }
    st_rows_end(call, &rows);
  }
  bool more = last.type == ST_INT;
  if (more) {
    st_value batch[] = {st_int(after), last};
    st_run(call, STELE_M_CONVERSATION_INLINE_FILL, batch);
    write_note(call, last.integer);
  } else if (going) {
    complete(call);
  }
  st_call_end(call);
  *count = number.integer;
  return more && st_ok(call);
}

void st_convert_to_compatible(st_call *call, bool anew, int64_t *indexed) {
  st_inline_state state = {0};
  int limit = BATCH_FIRST;
  int64_t count = 0;
  bool more = true;
  *indexed = 0;
  if (!anew && st_feature_has(call, ST_F_CONVERSATION_COMPATIBLE) && !st_feature_has(call, ST_F_CONVERSATION_CHANGES)) {
    st_inline_look(call, &state);
    if (!state.broken && !state.lacking) return; /* it is one */
  }
  st_remove_finish(call);
  begin(call, anew);
  st_remove_finish(call);
  while (more && st_ok(call)) {
    int64_t start = st_monotonic_ms();
    more = fill(call, limit, &count);
    limit = st_step_rows(limit, st_monotonic_ms() - start, BATCH_MAX);
    *indexed += count;
    if (more && call->db->progress && call->db->progress(call->db->user, "reindex", *indexed, 0) != 0)
      st_fail(call, STELE_CANCELLED, NULL, "it was stopped; another call goes on from there");
  }
  if (!st_ok(call)) return;
  st_features_refresh(call);
  st_index_drop(call);
}

bool st_convert_is_pending(st_call *call) {
  int64_t last;
  return st_feature_has(call, ST_F_CONVERSATION_COMPATIBLE) && read_note(call, &last);
}

/* ---- out of it ---- */

void st_convert_to_stele(st_call *call, int64_t *indexed) {
  *indexed = 0;
  st_call_begin(call, true);
  if (!st_ok(call)) return;
  st_features_refresh(call);
  st_remove_begin(call);
  forget_note(call);
  st_form_note_changes(call);
  st_call_end(call);
  if (!st_ok(call)) return;
  st_features_refresh(call);
  st_remove_finish(call);
  st_index_complete(call, indexed);
}
