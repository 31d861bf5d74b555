/* probes.c - capture.run_probe: a row that tests whether what comes in is kept. */
#include <string.h>

#include "base/time.h"
#include "engine/error.h"
#include "registry_ids.h"
#include "stores/capture/capture.h"

#define COMMAND "__stele_probe__" /* what ran, and the terminal it ran in */
#define TOOL "Bash"
#define DOMAIN "probe.stele.invalid"

/* A way in, and the method that it comes in by. */
typedef struct way {
  const char *source;
  int method;
  const char *harness; /* of a segment or a call of a tool */
} way;

static const way ways[] = {
    {"shell", STELE_M_CAPTURE_INSERT_EVENT, NULL},
    {"claude-tool", STELE_M_CAPTURE_INSERT_EVENT, "claude-code"},
    {"browser", STELE_M_CAPTURE_INSERT_BROWSER_EVENT, NULL},
    {"agentic-session-claude", STELE_M_CAPTURE_UPSERT_SEGMENT, "claude-code"},
    {"agentic-session-opencode", STELE_M_CAPTURE_UPSERT_SEGMENT, "opencode"},
    {"agentic-session-codex", STELE_M_CAPTURE_UPSERT_SEGMENT, "codex"},
    {"agentic-session-cursor", STELE_M_CAPTURE_UPSERT_SEGMENT, "cursor"},
};

static const way *way_of(const char *source) {
  const way *found = ways; /* the parameter's choices are these */
  while (strcmp(found->source, source) != 0) found++;
  return found;
}

enum { MOST_PARAMS = ST_P_CAPTURE_UPSERT_SEGMENT_ASSISTANT_TEXTS + 1, MOST_RESULTS = ST_R_CAPTURE_UPSERT_SEGMENT_ENQUEUED + 1 };
_Static_assert((int)MOST_PARAMS > (int)ST_P_CAPTURE_INSERT_EVENT_ENV && (int)MOST_PARAMS > (int)ST_P_CAPTURE_INSERT_BROWSER_EVENT_NOW,
               "a segment has the most parameters");
_Static_assert((int)ST_R_CAPTURE_INSERT_EVENT_ID == 0 && (int)ST_R_CAPTURE_INSERT_BROWSER_EVENT_ID == 0 &&
                   (int)ST_R_CAPTURE_UPSERT_SEGMENT_ID == 0,
               "every way in tells the row's number first");

static void fill_event(st_value *args, const way *by, st_value tag, st_value now) {
  args[ST_P_CAPTURE_INSERT_EVENT_TIMESTAMP] = args[ST_P_CAPTURE_INSERT_EVENT_NOW] = now;
  args[ST_P_CAPTURE_INSERT_EVENT_COMMAND] = args[ST_P_CAPTURE_INSERT_EVENT_TERMINAL] = st_textz(COMMAND);
  args[ST_P_CAPTURE_INSERT_EVENT_CWD] = st_textz("/");
  args[ST_P_CAPTURE_INSERT_EVENT_HOSTNAME] = args[ST_P_CAPTURE_INSERT_EVENT_SHELL] = st_textz("");
  args[ST_P_CAPTURE_INSERT_EVENT_ENVELOPE_ID] = args[ST_P_CAPTURE_INSERT_EVENT_PROBE_TAG] = tag;
  if (by->harness) args[ST_P_CAPTURE_INSERT_EVENT_TOOL_NAME] = st_textz(TOOL);
}

static void fill_page(st_value *args, st_value tag, st_value now) {
  args[ST_P_CAPTURE_INSERT_BROWSER_EVENT_TIMESTAMP] = args[ST_P_CAPTURE_INSERT_BROWSER_EVENT_NOW] = now;
  args[ST_P_CAPTURE_INSERT_BROWSER_EVENT_URL] = st_textz("https://" DOMAIN "/");
  args[ST_P_CAPTURE_INSERT_BROWSER_EVENT_DOMAIN] = st_textz(DOMAIN);
  args[ST_P_CAPTURE_INSERT_BROWSER_EVENT_ENVELOPE_ID] = args[ST_P_CAPTURE_INSERT_BROWSER_EVENT_PROBE_TAG] = tag;
}

static void fill_segment(st_value *args, const way *by, st_value tag, st_value now) {
  args[ST_P_CAPTURE_UPSERT_SEGMENT_SESSION_ID] = args[ST_P_CAPTURE_UPSERT_SEGMENT_PROBE_TAG] = tag;
  args[ST_P_CAPTURE_UPSERT_SEGMENT_HARNESS] = st_textz(by->harness);
  args[ST_P_CAPTURE_UPSERT_SEGMENT_PROJECT_DIR] = args[ST_P_CAPTURE_UPSERT_SEGMENT_CWD] = st_textz("/");
  args[ST_P_CAPTURE_UPSERT_SEGMENT_SUMMARY_TEXT] = st_textz(COMMAND);
  args[ST_P_CAPTURE_UPSERT_SEGMENT_START_TIME] = args[ST_P_CAPTURE_UPSERT_SEGMENT_END_TIME] = now;
  args[ST_P_CAPTURE_UPSERT_SEGMENT_NOW] = now;
}

/* Write it; false: it did not come through, *why tells why. */
static bool come_in(st_call *call, const way *by, st_value tag, st_value now, st_error *why) {
  st_value args[MOST_PARAMS] = {{0}}, row[MOST_RESULTS], there;
  if (by->method == STELE_M_CAPTURE_INSERT_EVENT) fill_event(args, by, tag, now);
  if (by->method == STELE_M_CAPTURE_INSERT_BROWSER_EVENT) fill_page(args, tag, now);
  if (by->method == STELE_M_CAPTURE_UPSERT_SEGMENT) fill_segment(args, by, tag, now);
  return st_attempt(call, by->method, args, row, why) && st_one(call, STELE_M_CAPTURE_FIND_PROBE, (st_value[]){row[0], tag}, &there);
}

void st_capture_run_probe(st_call *call) {
  const st_value *given = call->args;
  st_value tag = given[ST_P_CAPTURE_RUN_PROBE_PROBE_ID], now = given[ST_P_CAPTURE_RUN_PROBE_NOW], error = st_textz(NULL);
  st_error why;
  int64_t began = st_monotonic_ms();
  bool ok = come_in(call, way_of(st_arg_text(call, ST_P_CAPTURE_RUN_PROBE_SOURCE)), tag, now, &why);
  st_value lag = st_int(st_monotonic_ms() - began);
  if (!ok) error = why.status == STELE_OK ? st_textz("it was written, and is not there") : st_call_text(call, why.message, strlen(why.message));
  st_run(call, STELE_M_CAPTURE_RECORD_PROBE,
         (st_value[]){given[ST_P_CAPTURE_RUN_PROBE_SOURCE], st_bool(ok), lag, error, now});
  st_value *reply = st_reply(call);
  if (!reply) return;
  reply[ST_R_CAPTURE_RUN_PROBE_PROBE_ID] = tag;
  reply[ST_R_CAPTURE_RUN_PROBE_OK] = st_bool(ok);
  reply[ST_R_CAPTURE_RUN_PROBE_LAG_MS] = lag;
  reply[ST_R_CAPTURE_RUN_PROBE_ERROR] = error;
}
