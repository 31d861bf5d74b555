/* segments.c - segments of agents' sessions are written again as they grow, and learned from again when they have. */
#include <string.h>

#include "registry_ids.h"
#include "stores/capture/capture.h"
#include "stores/capture/keep.h"

#define HASHED_MAX (256u << 20)

/* The parameters of write_segment are those of upsert_segment without the last; look_segment has the first three. */
enum { SHARED = ST_P_CAPTURE_UPSERT_SEGMENT_ASSISTANT_TEXTS, HASH = ST_P_CAPTURE_UPSERT_SEGMENT_CONTENT_HASH };
_Static_assert(SHARED == ST_P_CAPTURE_WRITE_SEGMENT_NOW + 1, "both methods begin with the columns of the table");

/* ---- Content ---- */

static void add_text(st_str *out, const st_value *value) {
  if (value->type == ST_TEXT) st_str_add(out, value->bytes, value->length);
}

/* What others hash, too: calls|prompts|texts in lines. */
static st_value hash_content(st_call *call) {
  const st_value *texts = &call->args[ST_P_CAPTURE_UPSERT_SEGMENT_ASSISTANT_TEXTS];
  st_str content;
  st_str_init(&content, HASHED_MAX);
  add_text(&content, &call->args[ST_P_CAPTURE_UPSERT_SEGMENT_TOOL_CALLS_JSON]);
  st_str_addc(&content, '|');
  add_text(&content, &call->args[ST_P_CAPTURE_UPSERT_SEGMENT_USER_PROMPTS_JSON]);
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

static void note(st_call *call, bool changed) {
  const char *harness = st_arg_text(call, ST_P_CAPTURE_UPSERT_SEGMENT_HARNESS);
  st_value newest = call->args[ST_P_CAPTURE_UPSERT_SEGMENT_END_TIME], now = call->args[ST_P_CAPTURE_UPSERT_SEGMENT_NOW];
  st_str source;
  st_str_init(&source, 64);
  st_str_addf(&source, "agentic-session-%s", strcmp(harness, "claude-code") == 0 ? "claude" : harness);
  if (st_has(call, ST_P_CAPTURE_UPSERT_SEGMENT_PROBE_TAG))
    st_capture_probed(call, st_take(call, &source), newest, now);
  else
    st_capture_well(call, st_take(call, &source), newest, changed, now);
}

void st_capture_upsert_segment(st_call *call) {
  st_value args[SHARED], known, id = st_textz(NULL);
  memcpy(args, call->args, sizeof args);
  if (!st_has(call, HASH)) args[HASH] = hash_content(call);
  bool there = st_one(call, STELE_M_CAPTURE_LOOK_SEGMENT, args, &known);
  bool changed = !there || !same_text(&known, &args[HASH]);
  st_one(call, STELE_M_CAPTURE_WRITE_SEGMENT, args, &id);
  note(call, changed);
  int64_t enqueued =
      enqueue(call, id, (st_value){.type = ST_ABSENT}, changed, st_int(1), args[ST_P_CAPTURE_UPSERT_SEGMENT_NOW]);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_UPSERT_SEGMENT_ID] = id;
  reply[ST_R_CAPTURE_UPSERT_SEGMENT_CREATED] = st_bool(!there);
  reply[ST_R_CAPTURE_UPSERT_SEGMENT_CHANGED] = st_bool(changed);
  reply[ST_R_CAPTURE_UPSERT_SEGMENT_ENQUEUED] = st_bool(enqueued > 0);
}
