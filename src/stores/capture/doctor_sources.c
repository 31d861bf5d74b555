/* doctor_sources.c - capture.doctor_sources: does what happens come in? */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/time.h"
#include "engine/handle.h"
#include "engine/server_seen.h"
#include "registry_ids.h"
#include "stores/capture/capture.h"
#include "stores/capture/findings.h"

/* The watchdog looks once a minute. */
#define WATCHDOG_WARN_MS 120000
#define WATCHDOG_FAIL_MS 180000

#define FALLBACK_OLD_MS 86400000

static st_value now_of(const st_call *call) { return call->args[ST_P_CAPTURE_DOCTOR_SOURCES_NOW]; }

/* ---- Ways in ---- */

static void find_source(st_findings *found, const st_value *row) {
  const char *source = row[ST_R_CAPTURE_JUDGE_SOURCES_SOURCE].bytes;
  const st_value *silent = &row[ST_R_CAPTURE_JUDGE_SOURCES_SILENT], *error = &row[ST_R_CAPTURE_JUDGE_SOURCES_ERROR];
  long long failures = row[ST_R_CAPTURE_JUDGE_SOURCES_FAILURES].integer;
  st_health health = st_health_of(&row[ST_R_CAPTURE_JUDGE_SOURCES_STATE]);
  if (failures > 0)
    st_findings_add(found, health, "%s failed %lld time%s in a row: %.200s", source, failures, failures == 1 ? "" : "s",
            error->type == ST_TEXT ? error->bytes : "it is not said why");
  else if (silent->type == ST_INT)
    st_findings_add(found, health, "%s brings nothing since %s", source, st_age(silent->integer).text);
}

static void tell_sources(st_call *call) {
  st_findings found = {.worst = ST_HEALTH_OK};
  st_value row[ST_R_CAPTURE_JUDGE_SOURCES_STATE + 1], args[] = {now_of(call)};
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CAPTURE_JUDGE_SOURCES, args);
  while (st_rows_next(call, &rows)) {
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) st_rows_value(call, &rows, i, &row[i]);
    if (st_ok(call)) find_source(&found, row);
  }
  st_rows_end(call, &rows);
  if (found.worst == ST_HEALTH_OK) {
    st_doctor_line(call, ST_HEALTH_OK, "sources", found.well ? "%d way%s in, and nothing wrong with them" : "nothing came in yet", found.well,
                   found.well == 1 ? "" : "s");
    return;
  }
  st_doctor_line(call, found.worst, "sources", "%s", found.text);
  st_doctor_cause(call, "what captures fails, or its probes are run and leave no row: silence alone would be nothing");
  st_doctor_fix(call, "`stele call capture.list_source_health` tells when it last went well; start again what captures, and look at its log");
}

static void tell_freshness(st_call *call) {
  st_findings found = {.worst = ST_HEALTH_OK};
  st_value kind, age, state, args[] = {now_of(call)};
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CAPTURE_JUDGE_FRESHNESS, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, ST_R_CAPTURE_JUDGE_FRESHNESS_KIND, &kind);
    st_rows_value(call, &rows, ST_R_CAPTURE_JUDGE_FRESHNESS_AGE, &age);
    st_rows_value(call, &rows, ST_R_CAPTURE_JUDGE_FRESHNESS_STATE, &state);
    if (st_ok(call)) st_findings_add(&found, st_health_of(&state), "no %s since %s", kind.bytes, st_age(age.integer).text);
  }
  st_rows_end(call, &rows);
  if (found.worst == ST_HEALTH_OK) {
    st_doctor_line(call, ST_HEALTH_OK, "freshness", found.well ? "the newest rows are new enough" : "there are no rows yet");
    return;
  }
  st_doctor_line(call, found.worst, "freshness", "%s", found.text);
  st_doctor_cause(call, found.worst == ST_HEALTH_FAIL ? "somebody is there to capture, and nothing comes in"
                                                      : "nobody worked with it, or it is not captured any more");
  st_doctor_fix(call, "use it once and see whether `stele call capture.get_events` (or get_browser_events, get_segments) shows it");
}

/* ---- The watchdog ---- */

static int64_t later(const st_value *a, const st_value *b) {
  int64_t first = a->type == ST_INT ? a->integer : 0, second = b->type == ST_INT ? b->integer : 0;
  return first > second ? first : second;
}

static void tell_watchdog(st_call *call) {
  st_value args[] = {st_textz("watchdog")}, row[ST_R_CAPTURE_LIST_SOURCE_HEALTH_UPDATED_AT + 1];
  bool known = st_one(call, STELE_M_CAPTURE_LIST_SOURCE_HEALTH, args, row);
  int64_t seen = !known ? 0 : later(&row[ST_R_CAPTURE_LIST_SOURCE_HEALTH_LAST_SUCCESS_TS], &row[ST_R_CAPTURE_LIST_SOURCE_HEALTH_LAST_HEARTBEAT_TS]);
  int64_t age = now_of(call).integer - seen;
  if (!st_ok(call)) return;
  if (!seen || age < WATCHDOG_WARN_MS) {
    st_doctor_line(call, ST_HEALTH_OK, "watchdog", seen ? "the watchdog looked %s ago" : "the watchdog was never started%s", seen ? st_age(age).text : "");
    return;
  }
  st_doctor_line(call, age < WATCHDOG_FAIL_MS ? ST_HEALTH_WARN : ST_HEALTH_FAIL, "watchdog", "the watchdog last looked %s ago", st_age(age).text);
  st_doctor_cause(call, "it looks once a minute; while it does not, no alarm is raised");
  st_doctor_fix(call, "`stele call capture.run_watchdog` looks once; see why what runs it does not");
}

/* ---- What could not be handed over ---- */

typedef struct leftovers {
  int files;
  int64_t oldest; /* milliseconds since 1970 */
} leftovers;

static void find_leftovers(const char *directory, leftovers *found) {
  static const char suffix[] = ".jsonl";
  DIR *list = opendir(directory);
  for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
    struct stat about;
    size_t length = strlen(entry->d_name);
    if (length < sizeof suffix || strcmp(entry->d_name + length + 1 - sizeof suffix, suffix) != 0) continue;
    if (fstatat(dirfd(list), entry->d_name, &about, 0) != 0) continue;
    int64_t written = (int64_t)about.st_mtime * 1000;
    if (!found->files++ || written < found->oldest) found->oldest = written;
  }
  if (list) closedir(list);
}

static void tell_fallback(st_call *call) {
  const char *home = call->db->home;
  char directory[4096];
  leftovers found = {.files = 0};
  st_server_seen server;
  if (!home || snprintf(directory, sizeof directory, "%s/fallback", home) >= (int)sizeof directory) return;
  find_leftovers(directory, &found);
  int64_t age = now_of(call).integer - found.oldest;
  if (!found.files || age <= FALLBACK_OLD_MS) {
    st_doctor_line(call, ST_HEALTH_OK, "fallback", found.files ? "%d file%s of what the server has not taken yet" : "nothing waits to be handed to the server",
                   found.files, found.files == 1 ? "" : "s");
    return;
  }
  bool served = st_server_look(home, &server);
  st_doctor_line(call, served ? ST_HEALTH_FAIL : ST_HEALTH_WARN, "fallback", "%d file%s in %s, the oldest from %s ago", found.files,
                 found.files == 1 ? "" : "s", directory, st_age(age).text);
  st_doctor_cause(call, served ? "the server takes them in when it starts, and could not" : "they wait for the server, which does not run");
  st_doctor_fix(call, served ? "start the server again, and look for them in its log" : "stele serve");
}

void st_capture_doctor_sources(st_call *call) {
  tell_sources(call);
  tell_freshness(call);
  tell_watchdog(call);
  tell_fallback(call);
}
