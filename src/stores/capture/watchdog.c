/* watchdog.c - whether capturing keeps what it promises: one table of promises, and one way to look at each. */
#include <string.h>

#include "base/json.h"
#include "registry_ids.h"
#include "stores/capture/capture.h"

enum {
  MINUTE = 60000,         /* in milliseconds */
  ENOUGH_CLEAN = 2,       /* looks in a row that find nothing wrong resolve an alarm */
  PAUSE = 900,            /* seconds: after such a pause, the watchdog has not seen what was due */
  DETAILS_MAX = 64 << 10, /* bytes of details_json */
};

/* ---- Promises ---- */

typedef enum consequence { ALARM, NOTE, COUNT } consequence;

typedef struct promise {
  const char *id;
  int look;           /* the method that finds what is wrong: look(source, limit, now), or look(limit, now) */
  const char *source; /* NULL: it looks at all */
  int64_t limit;
  consequence then;
  bool rests; /* it is not looked at while capturing is at rest on purpose */
} promise;

/* I-7 and I-9 are told by the checkup, which sees whether the watchdog itself is at work; I-10, that nothing here waits for what is
** learned, is how the store is made. */
static const promise promises[] = {
    {"I-1", STELE_M_CAPTURE_LOOK_SILENT, "shell", 420, ALARM, false},
    {"I-2", STELE_M_CAPTURE_LOOK_FAILING, "agentic-session-claude", 3, ALARM, true},
    {"I-3", STELE_M_CAPTURE_LOOK_CALLS, "claude-tool", 3600, NOTE, false},
    {"I-4", STELE_M_CAPTURE_LOOK_SILENT, "browser", 420, ALARM, true},
    {"I-5", STELE_M_CAPTURE_LOOK_DROPS, NULL, 300, COUNT, false},
    {"I-6", STELE_M_CAPTURE_LOOK_DROPPING, NULL, 1, ALARM, false},
    {"I-8", STELE_M_CAPTURE_LOOK_PROBES, NULL, 900, ALARM, true},
    {"I-11", STELE_M_CAPTURE_LOOK_FAILING, "agentic-session-opencode", 3, ALARM, true},
    {"I-12", STELE_M_CAPTURE_LOOK_FAILING, "brain-preflight", 12, ALARM, false},
    {"I-13", STELE_M_CAPTURE_LOOK_FAILING, "agentic-session-codex", 3, ALARM, true},
    {"I-14", STELE_M_CAPTURE_LOOK_VECTORS, "knowledge", 25, ALARM, false},
    {"I-15", STELE_M_CAPTURE_LOOK_FAILING, "agentic-session-cursor", 3, ALARM, true},
    {"I-16", STELE_M_CAPTURE_LOOK_DUPLICATES, "knowledge", 0, ALARM, false},
};

enum { PROMISES = sizeof promises / sizeof *promises };

static const promise *promise_of(const st_value *id) {
  for (size_t i = 0; i < PROMISES; i++)
    if (strcmp(promises[i].id, id->bytes) == 0) return &promises[i];
  return NULL;
}

/* ---- A look ---- */

/* What was read: something that is wrong, or an alarm. */
typedef struct seen {
  struct seen *next;
  const promise *of;
  st_value values[];
} seen;

/* Something that is wrong, as every look tells it. */
enum {
  SOURCE = ST_R_CAPTURE_LOOK_SILENT_SOURCE,
  SINCE = ST_R_CAPTURE_LOOK_SILENT_SINCE_MS,
  DETAILS = ST_R_CAPTURE_LOOK_SILENT_DETAILS,
  FINDING = DETAILS + 1
};

/* An alarm. */
enum {
  ALARM_ID = ST_R_CAPTURE_LIST_STANDING_ALARMS_ID,
  INVARIANT = ST_R_CAPTURE_LIST_STANDING_ALARMS_INVARIANT_ID,
  ALARM_SOURCE = ST_R_CAPTURE_LIST_STANDING_ALARMS_SOURCE,
  RAISED_AT = ST_R_CAPTURE_LIST_STANDING_ALARMS_RAISED_AT,
  CLEAN_TICKS = ST_R_CAPTURE_LIST_STANDING_ALARMS_CLEAN_TICKS,
  STANDING = CLEAN_TICKS + 1
};

typedef struct tick {
  st_call *call;
  st_value now;
  int64_t limited; /* what was raised later keeps others from being raised */
  bool paused;
  seen *wrong, *standing;
} tick;

/* Read rows to the end of a list; answers where it ends now. */
static seen **read_rows(st_call *call, seen **end, int method, const st_value *args, size_t columns) {
  st_rows rows;
  st_rows_start(call, &rows, method, args);
  while (st_rows_next(call, &rows) && (*end = st_call_alloc(call, sizeof **end + columns * sizeof *(*end)->values))) {
    **end = (seen){0};
    st_rows_keep(call, &rows, (*end)->values);
    end = &(*end)->next;
  }
  st_rows_end(call, &rows);
  return end;
}

static bool is_looked_at(const tick *t, const promise *of) { return !(t->paused && of->rests); }

static void look(tick *t) {
  seen **end = &t->wrong;
  for (size_t i = 0; i < PROMISES; i++) {
    const promise *of = &promises[i];
    const st_value args[] = {st_textz(of->source), st_int(of->limit), t->now};
    seen **first = end;
    if (is_looked_at(t, of)) end = read_rows(t->call, end, of->look, of->source ? args : args + 1, FINDING);
    for (seen *each = *first; each; each = each->next) each->of = of;
  }
}

static void read_standing(tick *t) {
  read_rows(t->call, &t->standing, STELE_M_CAPTURE_LIST_STANDING_ALARMS, (st_value[]){st_int(t->limited)}, STANDING);
  for (seen *alarm = t->standing; alarm && st_ok(t->call); alarm = alarm->next)
    alarm->of = promise_of(&alarm->values[INVARIANT]);
}

/* Is this alarm about that? */
static bool is_about(const seen *alarm, const seen *wrong) {
  const st_value *source = &alarm->values[ALARM_SOURCE];
  return alarm->of == wrong->of && source->type == ST_TEXT && strcmp(source->bytes, wrong->values[SOURCE].bytes) == 0;
}

/* ---- What follows ---- */

static void tell(const tick *t, const promise *of, const char *outcome, const st_value *finding, st_value source, st_value alarm) {
  st_value *reply = st_reply(t->call);
  if (!reply) return;
  reply[ST_R_CAPTURE_RUN_WATCHDOG_INVARIANT_ID] = st_textz(of->id);
  reply[ST_R_CAPTURE_RUN_WATCHDOG_SOURCE] = source;
  reply[ST_R_CAPTURE_RUN_WATCHDOG_OUTCOME] = st_textz(outcome);
  reply[ST_R_CAPTURE_RUN_WATCHDOG_ALARM_ID] = alarm;
  if (!finding) return;
  reply[ST_R_CAPTURE_RUN_WATCHDOG_SINCE_MS] = finding[SINCE];
  reply[ST_R_CAPTURE_RUN_WATCHDOG_DETAILS] = finding[DETAILS];
}

/* {"source":"shell","since_ms":1000,"details":"..."}: what other programs that share a file read. */
static st_value details_json(st_call *call, const st_value *finding) {
  st_str json;
  st_str_init(&json, DETAILS_MAX);
  st_str_addz(&json, "{\"source\":");
  st_json_add_string(&json, finding[SOURCE].bytes, finding[SOURCE].length);
  st_str_addf(&json, ",\"since_ms\":%lld,\"details\":", (long long)finding[SINCE].integer);
  st_json_add_string(&json, finding[DETAILS].bytes, finding[DETAILS].length);
  st_str_addc(&json, '}');
  return st_take(call, &json);
}

/* For the log of whoever runs the watchdog. */
static void note(const tick *t, const seen *wrong) {
  st_note(t->call, "%s: %.100s: %s", wrong->of->id, wrong->values[SOURCE].bytes, wrong->values[DETAILS].bytes);
}

static void raise(tick *t, const seen *wrong) {
  const seen *alarm = t->standing;
  while (alarm && !(is_about(alarm, wrong) && alarm->values[RAISED_AT].integer > t->limited)) alarm = alarm->next;
  st_value args[ST_P_CAPTURE_RAISE_ALARM_NOW + 1] = {st_textz(wrong->of->id), {0}, t->now}, id = st_textz(NULL);
  if (alarm) {
    id = alarm->values[ALARM_ID];
  } else {
    args[ST_P_CAPTURE_RAISE_ALARM_DETAILS_JSON] = details_json(t->call, wrong->values);
    st_one(t->call, STELE_M_CAPTURE_RAISE_ALARM, args, &id);
    note(t, wrong);
  }
  tell(t, wrong->of, alarm ? "standing" : "raised", wrong->values, wrong->values[SOURCE], id);
}

static void follow_up(tick *t, const seen *wrong) {
  const st_value *source = &wrong->values[SOURCE];
  switch (wrong->of->then) {
    case ALARM: raise(t, wrong); break;
    case NOTE:
      note(t, wrong);
      tell(t, wrong->of, "noted", wrong->values, *source, st_textz(NULL));
      break;
    case COUNT: tell(t, wrong->of, "counted", wrong->values, *source, st_textz(NULL)); break;
  }
}

/* An alarm whose source nobody can read stays until somebody acknowledges it. */
static void settle(tick *t, const seen *alarm) {
  const seen *wrong = t->wrong;
  if (!alarm->of || !is_looked_at(t, alarm->of) || alarm->values[ALARM_SOURCE].type != ST_TEXT) return;
  while (wrong && !is_about(alarm, wrong)) wrong = wrong->next;
  int64_t known = alarm->values[CLEAN_TICKS].integer, clean = wrong ? 0 : known + 1;
  bool over = clean >= ENOUGH_CLEAN;
  if (clean == known) return;
  st_run(t->call, STELE_M_CAPTURE_TICK_ALARM,
         (st_value[]){alarm->values[ALARM_ID], st_int(clean), over ? t->now : st_textz(NULL)});
  if (over) tell(t, alarm->of, "resolved", NULL, alarm->values[ALARM_SOURCE], alarm->values[ALARM_ID]);
}

void st_capture_run_watchdog(st_call *call) {
  const st_value now = call->args[ST_P_CAPTURE_RUN_WATCHDOG_NOW];
  int64_t window = st_arg_int(call, ST_P_CAPTURE_RUN_WATCHDOG_ALARM_RATE_LIMIT_MINUTES) * MINUTE;
  tick t = {.call = call,
            .now = now,
            .limited = now.integer - window,
            .paused = st_arg_int(call, ST_P_CAPTURE_RUN_WATCHDOG_PAUSED) != 0};
  st_run(call, STELE_M_CAPTURE_WATCH, (st_value[]){st_int(PAUSE), now});
  look(&t);
  read_standing(&t);
  for (const seen *wrong = t.wrong; wrong && st_ok(call); wrong = wrong->next) follow_up(&t, wrong);
  for (const seen *alarm = t.standing; alarm && st_ok(call); alarm = alarm->next) settle(&t, alarm);
}
