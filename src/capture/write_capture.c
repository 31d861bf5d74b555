/* write_capture.c - see write_capture.h. */
#include "capture/write_capture.h"

#include <stdio.h>
#include <string.h>

#include "registry_ids.h"
#include "stores/capture/insert.h"
#include "stores/capture/segments.h"

static st_value text(st_text text) {
  return (st_value){.type = ST_TEXT, .bytes = text.bytes ? text.bytes : "", .length = text.length};
}
static st_value text_or_null(st_text t) { return t.length ? text(t) : (st_value){.type = ST_NULL}; }
static st_value millis(double seconds) { return st_int((int64_t)(seconds * 1000 + 0.5)); }

bool st_is_captured(const st_item *item) {
  return item->job->reader->segments &&
         (item->kind == ST_ITEM_SEGMENT || item->kind == ST_ITEM_CALL || item->kind == ST_ITEM_MARK);
}

/* ---- Segments ------------------------------------------------------------------------------- */

#define S(name) [ST_P_CAPTURE_UPSERT_SEGMENT_##name]

static void write_segment(st_call *call, const st_item *item, st_value now) {
  const st_segment_row *row = item->segment;
  st_value args[] = {
      S(SESSION_ID) = text(row->session),
      S(HARNESS) = st_textz(item->job->reader->harness),
      S(SEGMENT_INDEX) = st_int(row->index),
      S(MODEL) = text(row->model),
      S(AGENT) = text(row->agent),
      S(PROJECT_DIR) = text(row->project),
      S(CWD) = text(row->cwd),
      S(GIT_BRANCH) = text_or_null(row->branch),
      S(SLUG) = st_textz(""),
      S(TITLE) = text(row->title),
      S(PARENT_SESSION_ID) = text_or_null(row->parent),
      S(IS_SUBAGENT) = st_bool(row->subagent),
      S(SUMMARY_TEXT) = text(row->summary),
      S(TOOL_CALLS_JSON) = text(row->calls),
      S(USER_PROMPTS_JSON) = text(row->prompts),
      S(SOURCE_FILE) = text(row->source_file),
      S(SNAPSHOT_DIFFS_JSON) = text_or_null(row->diffs),
      S(COMMIT_MESSAGES_JSON) = st_textz("[]"),
      S(MESSAGE_COUNT) = st_int(row->messages),
      S(TOKEN_COUNT) = st_int(row->tokens),
      S(START_TIME) = millis(row->start),
      S(END_TIME) = millis(row->end),
      S(CONTENT_HASH) = st_textz(row->hash),
      S(PROBE_TAG) = {.type = ST_NULL},
      S(NOW) = now,
      S(ASSISTANT_TEXTS) = {.type = ST_LIST, .width = 1}, /* they are in the hash */
  };
  st_capture_put_segment(call, args, &(st_put_segment){0});
}

/* ---- Calls of tools ------------------------------------------------------------------------- */

#define E(name) [ST_P_CAPTURE_INSERT_EVENT_##name]

static st_value exit_code(const st_tool_row *row) {
  return row->told_exit ? st_int(row->exit_code) : (st_value){.type = ST_NULL};
}

/* The call is there already: it ends. */
static void write_answer(st_call *call, const st_tool_row *row) {
  st_value args[] = {
      [ST_P_CAPTURE_END_EVENT_ENVELOPE_ID] = st_textz(row->envelope),
      [ST_P_CAPTURE_END_EVENT_ENDED] = millis(row->ended),
      [ST_P_CAPTURE_END_EVENT_EXIT_CODE] = exit_code(row),
  };
  if (row->ended > 0) st_run(call, STELE_M_CAPTURE_END_EVENT, args);
}

static void write_call(st_call *call, const st_item *item, const char *hostname, st_value now) {
  const st_tool_row *row = item->call;
  const st_value null = {.type = ST_NULL}, began = millis(row->at), ended = millis(row->ended);
  int64_t id;
  st_value args[] = {
      E(TIMESTAMP) = began,
      E(COMMAND) = text(row->summary),
      E(STDOUT) = null,
      E(STDERR) = null,
      E(STDOUT_TRUNCATED) = st_bool(false),
      E(STDERR_TRUNCATED) = st_bool(false),
      E(EXIT_CODE) = exit_code(row),
      E(DURATION_MS) = st_int(ended.integer > began.integer ? ended.integer - began.integer : 0),
      E(CWD) = text(row->cwd),
      E(HOSTNAME) = st_textz(hostname),
      E(SHELL) = st_textz(item->job->reader->harness),
      E(GIT_REPO) = null,
      E(GIT_BRANCH) = text_or_null(row->branch),
      E(GIT_COMMIT) = null,
      E(GIT_DIRTY) = null,
      E(ENVELOPE_ID) = st_textz(row->envelope),
      E(TOOL_NAME) = text(row->name),
      E(REDACTION_COUNT) = st_int(0),
      E(PROBE_TAG) = null,
      E(NOW) = now,
      E(TERMINAL) = text(row->session),
      E(USERNAME) = st_textz(""),
      E(HARNESS) = st_textz(item->job->reader->harness),
      E(ENV) = st_textz("{}"),
  };
  if (!st_capture_keep_event(call, args, &id)) write_answer(call, row);
}

/* ---- Marks ---------------------------------------------------------------------------------- */

void st_write_source_error(st_call *call, const st_reader *reader, const char *why, st_value now) {
  char source[64];
  snprintf(source, sizeof source, "agentic-session-%s", strcmp(reader->harness, "claude-code") == 0 ? "claude" : reader->harness);
  st_run(call, STELE_M_CAPTURE_RECORD_SOURCE_ERROR, (const st_value[]){st_textz(source), st_textz(why), now});
}

static void trim(st_call *call, const st_item *item) {
  const st_reached *m = &item->mark;
  st_value args[] = {
      [ST_P_CAPTURE_TRIM_SEGMENTS_SESSION_ID] = text(m->session),
      [ST_P_CAPTURE_TRIM_SEGMENTS_HARNESS] = st_textz(item->job->reader->harness),
      [ST_P_CAPTURE_TRIM_SEGMENTS_SEGMENT_INDEX] = st_int(m->nsegments),
      [ST_P_CAPTURE_TRIM_SEGMENTS_SOURCE_FILE] = st_textz(item->job->path),
  };
  st_run(call, STELE_M_CAPTURE_TRIM_SEGMENTS, args);
}

static void write_mark(st_call *call, const st_item *item, st_value now) {
  const st_reached *m = &item->mark;
  char why[600];
  if (m->done && m->session.length) trim(call, item);
  st_run(call, STELE_M_CAPTURE_MARK_CAPTURED,
         (const st_value[]){st_textz(item->job->path), st_int(m->device), st_int(m->inode), st_int(m->done ? m->size : -1),
                            st_int(m->modified), st_int(m->consumed), st_int((int64_t)m->checked), text_or_null(m->segments), now});
  if (m->bad == 0) return;
  snprintf(why, sizeof why, "%.*s: %s", (int)m->problem.length, m->problem.bytes ? m->problem.bytes : "", item->job->path);
  st_write_source_error(call, item->job->reader, why, now);
}

void st_write_captured(st_call *call, const st_item *item, const char *hostname, st_value now) {
  if (item->kind == ST_ITEM_SEGMENT) write_segment(call, item, now);
  else if (item->kind == ST_ITEM_MARK) write_mark(call, item, now);
  else if (item->call->name.length) write_call(call, item, hostname, now);
  else write_answer(call, item->call);
}
