/* taking_segments.c - the other half of taking.c: what readers tell is cut into segments and calls of tools, which go into the
** same batch, for the capture store. */
#include <string.h>

#include "base/hash.h"
#include "capture/taking.h"

#define STATE_MAX ((size_t)256 << 20)

bool st_taking_init_segments(st_taking *t) {
  st_str_init(&t->kept_segments, STATE_MAX);
  st_str_init(&t->touched_ids, STATE_MAX);
  return st_segmenter_init(&t->segmenter, t->redactor);
}

void st_taking_free_segments(st_taking *t) {
  st_numbers_free(&t->touched);
  st_str_free(&t->kept_segments);
  st_str_free(&t->touched_ids);
  st_segmenter_free(&t->segmenter);
}

void st_taking_forget_segments(st_taking *t) {
  st_numbers_free(&t->touched);
  st_str_clear(&t->kept_segments);
  st_str_clear(&t->touched_ids);
  t->segmenter.rules = NULL;
  t->ncalls = 0;
}

bool st_taking_cuts(const st_taking *t) { return t->segmenter.rules && !t->segmenter.rules->database; }

static bool add_segment(st_taking *t, const st_segment_row *row) {
  st_item *item = st_taking_item(t, ST_ITEM_SEGMENT);
  if (item) item->segment = row;
  return item != NULL;
}

/* Add an answer to its call, if that has not been sent yet. */
static bool answer(st_taking *t, const st_tool_row *answered) {
  for (unsigned i = 0; i < t->ncalls && i < ST_TAKING_CALLS; i++) {
    st_tool_row *call = t->calls[i];
    if (strcmp(call->envelope, answered->envelope) != 0) continue;
    call->ended = answered->ended;
    call->told_exit = answered->told_exit;
    call->exit_code = answered->exit_code;
    return true;
  }
  return false;
}

static bool add_calls(st_taking *t, st_tool_row *calls) {
  for (; calls; calls = calls->next) {
    if (!calls->name.length && answer(t, calls)) continue;
    st_item *item = st_taking_item(t, ST_ITEM_CALL);
    if (!item) return false;
    item->call = calls;
    if (calls->name.length) t->calls[t->ncalls++ % ST_TAKING_CALLS] = calls;
  }
  return true;
}

bool st_taking_touch(st_taking *t, st_text id) {
  bool added = false;
  if (!t->segmenter.rules || !t->segmenter.rules->database) return true;
  if (!st_numbers_add(&t->touched, st_hash64(1, id.bytes, id.length), &added)) return st_taking_nomem(t);
  if (!added) return true;
  st_str_addc(&t->touched_ids, t->touched_ids.length ? ',' : '[');
  st_json_add_string(&t->touched_ids, id.bytes, id.length);
  return t->touched_ids.failed ? st_taking_nomem(t) : true;
}

bool st_taking_cut(st_taking *t, st_text session, const st_told_message *kept, st_text calls) {
  st_segmented found = {0};
  st_told_message message = *kept;
  if (!st_taking_cuts(t)) return true;
  message.tool_calls = calls;
  if (!st_segmenter_message(&t->segmenter, &t->batch->arena, session, &message, &found)) return st_taking_nomem(t);
  return (!found.closed || add_segment(t, found.closed)) && add_calls(t, found.calls);
}

bool st_taking_segments(st_taking *t, bool on) {
  st_segmenter_begin(&t->segmenter, &t->source, t->segments ? t->job->reader->segments : NULL);
  if (st_taking_cuts(t) && on && t->job->segments) st_segmenter_recall(&t->segmenter, st_text_of(t->job->segments));
  return st_segmenter_failed(&t->segmenter) ? st_taking_nomem(t) : true;
}

bool st_taking_part(st_taking *t) {
  if (!st_taking_cuts(t)) return true;
  st_segmenter_keep(&t->segmenter, &t->kept_segments);
  return t->kept_segments.failed ? st_taking_nomem(t) : true;
}

bool st_taking_database(st_taking *t, sqlite3 *db) {
  if (!t->segmenter.rules || !t->touched_ids.length) return true;
  st_str_addc(&t->touched_ids, ']');
  if (t->touched_ids.failed) return st_taking_nomem(t);
  for (st_pull walk = st_pull_into((st_text){t->touched_ids.text, t->touched_ids.length}); st_pull_next(&walk);) {
    st_segment_row *row = NULL;
    st_tool_row *calls = NULL;
    st_text id = {0};
    if (!st_taking_send(t, false)) return false;
    if (!st_pull_text(&t->batch->arena, walk.value, &id) ||
        !t->segmenter.rules->database(&t->segmenter, db, &t->batch->arena, id, &row, &calls))
      return st_taking_nomem(t);
    if ((row && !add_segment(t, row)) || !add_calls(t, calls)) return false;
    st_arena_reset(t->source.arena);
  }
  return true;
}

bool st_taking_mark_segments(st_taking *t) {
  bool nomem = false;
  st_str state;
  if (!st_taking_cuts(t)) return true;
  const st_segment_row *open = st_segmenter_open(&t->segmenter, &t->batch->arena, &nomem);
  if (nomem || st_segmenter_failed(&t->segmenter)) return st_taking_nomem(t);
  if (open && !add_segment(t, open)) return false;
  t->mark.nsegments = t->segmenter.open.index + (open ? 1 : 0);
  t->mark.session = t->segmenter.session.length ? (st_text){t->segmenter.session.text, t->segmenter.session.length} : t->source.session;
  st_str_init(&state, STATE_MAX);
  if (t->kept_segments.length) st_str_add(&state, t->kept_segments.text, t->kept_segments.length);
  else st_segmenter_keep(&t->segmenter, &state);
  return st_segment_built(&t->batch->arena, &state, &t->mark.segments) ? true : st_taking_nomem(t);
}
