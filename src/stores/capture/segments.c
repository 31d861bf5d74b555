/* segments.c - segments of agents' sessions are written again as they grow, and learned from again when they have. */
#include <string.h>

#include "registry_ids.h"
#include "stores/capture/capture.h"
#include "stores/capture/keep.h"
#include "stores/capture/segments.h"

#define HASHED_MAX (256u << 20)

/* The parameters of write_segment are those of upsert_segment without the last; look_segment has the first three. */
enum { SHARED = ST_P_CAPTURE_UPSERT_SEGMENT_ASSISTANT_TEXTS, HASH = ST_P_CAPTURE_UPSERT_SEGMENT_CONTENT_HASH };
_Static_assert(SHARED == ST_P_CAPTURE_WRITE_SEGMENT_NOW + 1, "both methods begin with the columns of the table");

/* ---- Content ---- */

static void add_text(st_str *out, const st_value *value) {
  if (value->type == ST_TEXT) st_str_add(out, value->bytes, value->length);
}

/* What others hash, too: calls|prompts|texts in lines. */
static st_value hash_content(st_call *call, const st_value *args) {
  const st_value *texts = &args[ST_P_CAPTURE_UPSERT_SEGMENT_ASSISTANT_TEXTS];
  st_str content;
  st_str_init(&content, HASHED_MAX);
  add_text(&content, &args[ST_P_CAPTURE_UPSERT_SEGMENT_TOOL_CALLS_JSON]);
  st_str_addc(&content, '|');
  add_text(&content, &args[ST_P_CAPTURE_UPSERT_SEGMENT_USER_PROMPTS_JSON]);
  st_str_addc(&content, '|');
  for (uint32_t i = 0; i < texts->count; i++) {
    if (i > 0) st_str_addc(&content, '\n');
    add_text(&content, &texts->items[i]);
  }
  st_value hash = content.failed ? st_textz(NULL) : st_capture_hash(call, content.text, content.length);
  if (content.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  st_str_free(&content);
  return hash;
}

static bool same_text(const st_value *a, const st_value *b) {
  return a->type == ST_TEXT && b->type == ST_TEXT && a->length == b->length &&
         memcmp(a->bytes, b->bytes, a->length) == 0;
}

/* ---- The queue ---- */

static int64_t enqueue(st_call *call, st_value id, st_value harness, bool changed, st_value limit, st_value now) {
  st_value args[] = {
      [ST_P_CAPTURE_ENQUEUE_SEGMENTS_ID] = id,
      [ST_P_CAPTURE_ENQUEUE_SEGMENTS_HARNESS] = harness,
      [ST_P_CAPTURE_ENQUEUE_SEGMENTS_CHANGED] = changed ? st_bool(true) : (st_value){.type = ST_ABSENT},
      [ST_P_CAPTURE_ENQUEUE_SEGMENTS_LIMIT] = limit,
      [ST_P_CAPTURE_ENQUEUE_SEGMENTS_NOW] = now,
  };
  return st_run(call, STELE_M_CAPTURE_ENQUEUE_SEGMENTS, args);
}

void st_capture_sweep_unqueued(st_call *call) {
  int64_t enqueued =
      enqueue(call, (st_value){.type = ST_ABSENT}, call->args[ST_P_CAPTURE_SWEEP_UNQUEUED_HARNESS], false,
              call->args[ST_P_CAPTURE_SWEEP_UNQUEUED_LIMIT], call->args[ST_P_CAPTURE_SWEEP_UNQUEUED_NOW]);
  st_value *reply = st_reply(call);
  if (reply) reply[ST_R_CAPTURE_SWEEP_UNQUEUED_ENQUEUED] = st_int(enqueued);
}

/* ---- Writing ---- */

static void note(st_call *call, const st_value *args, bool changed) {
  const char *harness = args[ST_P_CAPTURE_UPSERT_SEGMENT_HARNESS].bytes;
  st_str source;
  st_str_init(&source, 64);
  st_str_addf(&source, "agentic-session-%s", strcmp(harness, "claude-code") == 0 ? "claude" : harness);
  st_value newest = args[ST_P_CAPTURE_UPSERT_SEGMENT_END_TIME], now = args[ST_P_CAPTURE_UPSERT_SEGMENT_NOW];
  if (args[ST_P_CAPTURE_UPSERT_SEGMENT_PROBE_TAG].type == ST_TEXT)
    st_capture_probed(call, st_take(call, &source), newest, now);
  else
    st_capture_well(call, st_take(call, &source), newest, changed, now);
}

void st_capture_put_segment(st_call *call, const st_value *given, st_put_segment *out) {
  st_value args[SHARED], known;
  memcpy(args, given, sizeof args);
  out->id = st_textz(NULL);
  if (args[HASH].type != ST_TEXT) args[HASH] = hash_content(call, given);
  bool there = st_one(call, STELE_M_CAPTURE_LOOK_SEGMENT, args, &known);
  out->created = !there;
  out->changed = !there || !same_text(&known, &args[HASH]);
  st_one(call, STELE_M_CAPTURE_WRITE_SEGMENT, args, &out->id);
  note(call, args, out->changed);
  out->enqueued = enqueue(call, out->id, (st_value){.type = ST_ABSENT}, out->changed, st_int(1),
                          args[ST_P_CAPTURE_UPSERT_SEGMENT_NOW]) > 0;
}

void st_capture_upsert_segment(st_call *call) {
  st_put_segment put;
  st_capture_put_segment(call, call->args, &put);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_UPSERT_SEGMENT_ID] = put.id;
  reply[ST_R_CAPTURE_UPSERT_SEGMENT_CREATED] = st_bool(put.created);
  reply[ST_R_CAPTURE_UPSERT_SEGMENT_CHANGED] = st_bool(put.changed);
  reply[ST_R_CAPTURE_UPSERT_SEGMENT_ENQUEUED] = st_bool(put.enqueued);
}
