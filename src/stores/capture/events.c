/* events.c - commands of shells, and tool calls of agents. */
#include <string.h>

#include "registry_ids.h"
#include "stores/capture/capture.h"
#include "stores/capture/environment.h"
#include "stores/capture/insert.h"
#include "stores/capture/keep.h"
#include "stores/capture/session.h"

/* The parameters of insert_event begin with those of write_event, up to the first that only one of them has. */
enum { SHARED = ST_P_CAPTURE_WRITE_EVENT_SESSION_ID };
_Static_assert(SHARED == (int)ST_P_CAPTURE_INSERT_EVENT_TERMINAL, "both methods begin with the columns of the table");

static st_value session_of(st_call *call, const st_value *event) {
  st_value args[] = {
      [ST_P_CAPTURE_OPEN_SESSION_TERMINAL] = event[ST_P_CAPTURE_INSERT_EVENT_TERMINAL],
      [ST_P_CAPTURE_OPEN_SESSION_SHELL] = event[ST_P_CAPTURE_INSERT_EVENT_SHELL],
      [ST_P_CAPTURE_OPEN_SESSION_HOSTNAME] = event[ST_P_CAPTURE_INSERT_EVENT_HOSTNAME],
      [ST_P_CAPTURE_OPEN_SESSION_USERNAME] = event[ST_P_CAPTURE_INSERT_EVENT_USERNAME],
      [ST_P_CAPTURE_OPEN_SESSION_START_TIME] = event[ST_P_CAPTURE_INSERT_EVENT_TIMESTAMP],
      [ST_P_CAPTURE_OPEN_SESSION_NOW] = event[ST_P_CAPTURE_INSERT_EVENT_NOW],
  };
  return st_capture_session(call, args);
}

/* shell, claude-tool, codex-tool, ...  It is the name of the source, too. */
static st_value kind_of(st_call *call, const st_value *event) {
  const char *harness = event[ST_P_CAPTURE_INSERT_EVENT_HARNESS].bytes;
  st_str kind;
  if (event[ST_P_CAPTURE_INSERT_EVENT_TOOL_NAME].type != ST_TEXT) return st_textz("shell");
  st_str_init(&kind, 64);
  st_str_addf(&kind, "%s-tool", strcmp(harness, "claude-code") == 0 ? "claude" : harness);
  return st_take(call, &kind);
}

bool st_capture_keep_event(st_call *call, const st_value *event, int64_t *id) {
  const st_value now = event[ST_P_CAPTURE_INSERT_EVENT_NOW];
  st_value args[ST_P_CAPTURE_WRITE_EVENT_SOURCE_KIND + 1];
  st_kept kept = {.write = STELE_M_CAPTURE_WRITE_EVENT,
                  .find = STELE_M_CAPTURE_FIND_EVENT,
                  .enqueue = STELE_M_CAPTURE_ENQUEUE_EVENT,
                  .args = args,
                  .envelope = event[ST_P_CAPTURE_INSERT_EVENT_ENVELOPE_ID],
                  .probe = event[ST_P_CAPTURE_INSERT_EVENT_PROBE_TAG],
                  .source = kind_of(call, event),
                  .timestamp = event[ST_P_CAPTURE_INSERT_EVENT_TIMESTAMP],
                  .now = now};
  if (st_capture_find(call, kept.find, &kept.envelope, id)) return false; /* nor does it make a session */
  memcpy(args, event, SHARED * sizeof *args);
  args[ST_P_CAPTURE_WRITE_EVENT_SESSION_ID] = session_of(call, event);
  args[ST_P_CAPTURE_WRITE_EVENT_ENV_SNAPSHOT_ID] =
      st_capture_environment(call, &event[ST_P_CAPTURE_INSERT_EVENT_ENV], now);
  args[ST_P_CAPTURE_WRITE_EVENT_SOURCE_KIND] = kept.source;
  return st_capture_keep(call, &kept, id);
}

void st_capture_insert_event(st_call *call) {
  int64_t id = 0;
  bool inserted = st_capture_keep_event(call, call->args, &id);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_INSERT_EVENT_ID] = st_int(id);
  reply[ST_R_CAPTURE_INSERT_EVENT_DUPLICATE] = st_bool(!inserted);
}

void st_capture_insert_events(st_call *call) {
  const st_value *events = &call->args[ST_P_CAPTURE_INSERT_EVENTS_EVENTS];
  int64_t inserted = 0, id;
  for (uint32_t i = 0; i < events->count && st_ok(call); i++)
    inserted += st_capture_keep_event(call, events->items + (size_t)i * events->width, &id);
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_INSERT_EVENTS_INSERTED] = st_int(inserted);
  reply[ST_R_CAPTURE_INSERT_EVENTS_DUPLICATES] = st_int(events->count - inserted);
}
