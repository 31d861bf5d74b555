/* tour.c - stele tour: what Stele does, done before your eyes on a scratch store of its own. */
#include "tour.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "progress.h"
#include "scratch.h"
#include "text.h"

bool tour_goes_on(tour *t) {
  if (!t->status && (progress_stopped() || t->out->error)) t->status = 1;
  return !t->status;
}

void tour_command_line(tour *t, const char *method, const char *arguments) {
  bool quote = *arguments && *arguments != '-';
  out_format(t->out, "%s$ stele call %s%s%s%s%s%s\n", t->out->dim, method, *arguments ? " " : "", quote ? "'" : "",
             arguments, quote ? "'" : "", t->out->normal);
}

void tour_failed(tour *t) {
  t->status = out_failure(t->out, stele_error(t->db));
}

void tour_chapter(tour *t, const char *title, const char *text) {
  if (tour_goes_on(t)) out_format(t->out, "\n%s%s%s\n%s\n\n", t->out->bold, title, t->out->normal, text);
}

void tour_call(tour *t, const char *method, const char *arguments) {
  char *reply = NULL;
  if (!tour_goes_on(t)) return;
  tour_command_line(t, method, arguments);
  if (stele_call(t->db, method, arguments, &reply) == STELE_OK)
    out_format(t->out, "%s\n", reply);
  else
    tour_failed(t);
  stele_free(reply);
}

/* A call that replies with one number, such as the id of what it made. */
static int64_t number(tour *t, const char *method, const argument *arguments) {
  int64_t value = 0;
  if (!tour_goes_on(t)) return 0;
  char *json = request_json(arguments);
  tour_command_line(t, method, strcmp(json, "{}") == 0 ? "" : json);
  free(json);
  stele_stmt *stmt = request_prepare(t->db, method, arguments);
  if (stmt && stele_step(stmt) == STELE_ROW) {
    value = stele_column_int(stmt, 0);
    out_format(t->out, "{\"%s\":%" PRId64 "}\n", stele_method_find(method)->results[0].name, value);
  } else {
    tour_failed(t);
  }
  stele_finalize(stmt);
  return value;
}

/* A call that replies with many rows: some of their columns, as a table. */
static void table(tour *t, const char *method, const argument *arguments, const column *columns) {
  size_t count;
  if (!tour_goes_on(t)) return;
  char *json = request_json(arguments);
  tour_command_line(t, method, json);
  free(json);
  stele_stmt *stmt = request_prepare(t->db, method, arguments);
  if (!stmt || table_print(t->out, stele_method_find(method), &(row_source){.stmt = stmt, .left = -1}, columns, &count) != STELE_DONE) tour_failed(t);
  stele_finalize(stmt);
}

static void begin_session(tour *t) {
  char *start = text_format("%.0f", t->now - 3600);
  tour_chapter(t, "1. A session", "One run of a process. Its number goes with everything the process records.");
  t->session = number(t, "telemetry.create_session", (argument[]){{"now", start}, {NULL, NULL}});
  free(start);
}

static int64_t listener(tour *t, const char *handler, const char *topic, const char *line) {
  return number(t, "telemetry.register_listener",
                (argument[]){{"app_key", "\"kitchen.KitchenLights\""},
                             {"instance_index", "0"},
                             {"handler_method", handler},
                             {"topic", topic},
                             {"source_location", line},
                             {NULL, NULL}});
}

static void register_all(tour *t) {
  tour_chapter(t, "2. What will run",
               "Handlers of events and scheduled jobs. Registered again after a restart, they keep their numbers.");
  t->lights = listener(t, "\"on_light_change\"", "\"state_changed.light.kitchen\"", "\"apps/kitchen.py:42\"");
  t->doors = listener(t, "\"on_door_open\"", "\"state_changed.door.back\"", "\"apps/kitchen.py:57\"");
  t->job = number(t, "telemetry.register_job",
                  (argument[]){{"app_key", "\"kitchen.KitchenLights\""},
                               {"instance_index", "0"},
                               {"job_name", "\"check_sensors\""},
                               {"handler_method", "\"check_sensors\""},
                               {"trigger_type", "\"interval\""},
                               {"trigger_value", "\"120\""},
                               {"repeat", "true"},
                               {"source_location", "\"apps/kitchen.py:73\""},
                               {NULL, NULL}});
}

static void record_hour(tour *t) {
  tour_chapter(t, "3. An hour of runs", "Batches of a hundred and more records, each one transaction: all or nothing.");
  for (int n = 0; n < TOUR_BATCHES && tour_goes_on(t); n++) {
    char *batch = tour_batch(t, n), *reply = NULL, *first = tour_first_record(batch);
    char *file = text_format("- < batch-%d.json", n + 1);
    tour_command_line(t, "telemetry.persist_batch", file);
    if (n == 0)
      out_format(t->out, "%s# batch-1.json: {\"invocations\":[%s, ...], \"executions\":[...]}%s\n", t->out->dim, first,
                 t->out->normal);
    if (stele_call(t->db, "telemetry.persist_batch", batch, &reply) == STELE_OK)
      out_format(t->out, "%s\n", reply);
    else
      tour_failed(t);
    stele_free(reply);
    free(first);
    free(file);
    free(batch);
  }
}

static void show_figures(tour *t) {
  static const column summary[] = {
      {"handler_method", "HANDLER", 0},
      {"topic", "TOPIC", 0},
      {"total_invocations", "CALLS", 0},
      {"failed", "FAILED", 0},
      {"avg_duration_ms", "AVG MS", 0},
      {"max_duration_ms", "MAX MS", 0},
      {"last_invoked_at", "LAST CALL", COLUMN_WHOLE},
      {NULL, NULL, 0},
  };
  static const column errors[] = {
      {"execution_start_dtme", "WHEN", COLUMN_WHOLE},
      {"kind", "KIND", 0},
      {"handler_method", "WHAT", 0},
      {"error_type", "ERROR", 0},
      {"error_message", "MESSAGE", 0},
      {NULL, NULL, 0},
  };
  static const column slow[] = {
      {"execution_start_dtme", "WHEN", COLUMN_WHOLE},
      {"handler_method", "HANDLER", 0},
      {"duration_ms", "MS", 0},
      {"status", "STATUS", 0},
      {NULL, NULL, 0},
  };
  char *since = text_format("%.0f", t->now - 3600), *until = text_format("%.0f", t->now);
  tour_chapter(t, "4. How is it going?",
               "Each call replies with JSON; the tour shows some of it as a table, in local time.");
  table(t, "telemetry.get_listener_summary",
        (argument[]){{"app_key", "\"kitchen.KitchenLights\""}, {"instance_index", "0"}, {NULL, NULL}}, summary);
  tour_chapter(t, "5. What went wrong?", "The newest errors of handlers and jobs together.");
  table(t, "telemetry.get_recent_errors", (argument[]){{"since", since}, {"limit", "6"}, {NULL, NULL}}, errors);
  tour_chapter(t, "6. What was slow?", "The calls of handlers that took longer than a quarter of a second.");
  table(t, "telemetry.get_slow_handlers", (argument[]){{"threshold_ms", "250"}, {"limit", "5"}, {NULL, NULL}}, slow);
  tour_chapter(t, "7. When?", "The runs of the hour, in twelve parts; what failed is at the end of a bar.");
  tour_plot(t, since, until);
  free(since);
  free(until);
}

/* A wrong call, to see what that looks like.  It must fail. */
static void show_refusal(tour *t) {
  static const char *const method = "telemetry.record_invocation";
  char *arguments = text_format("{\"listener_id\":%" PRId64 ",\"session_id\":%" PRId64 ",\"status\":\"fine\"}",
                                t->lights, t->session);
  tour_chapter(t, "8. A wrong call", "It is refused, with the field and what would be right, and nothing is written.");
  if (tour_goes_on(t)) {
    tour_command_line(t, method, arguments);
    if (stele_call(t->db, method, arguments, NULL) == STELE_INVALID)
      out_format(t->out, "%sstele: %s%s\n", t->out->red, stele_error(t->db)->message, t->out->normal);
    else
      tour_failed(t);
  }
  free(arguments);
}

static void end_session(tour *t) {
  char *arguments = text_format("{\"session_id\":%" PRId64 ",\"now\":%.0f}", t->session, t->now);
  tour_chapter(t, "9. The end of the session", "A clean stop. An error recorded before would not be overwritten.");
  tour_call(t, "telemetry.finalize_session", arguments);
  free(arguments);
  tour_call(t, "telemetry.get_session_totals", "{\"limit\":1}");
}

static void next_steps(tour *t) {
  static const char *const steps[] = {
      "stele import                         take in the sessions of your coding agents",
      "stele search timeout                 find what was said in them",
      "stele serve                          all of it over HTTP; `stele mcp` gives it to an agent",
      "stele methods                        what can be called",
      "stele help telemetry.persist_batch   one method: its arguments and its reply",
      "stele call telemetry.create_session  begin, in your own home",
      "stele status                         where that is, and how it is",
      "stele schema telemetry               the tables, as SQL",
  };
  if (!tour_goes_on(t)) return;
  out_format(t->out, "\n%sWhat next%s\n", t->out->bold, t->out->normal);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) out_format(t->out, "  %s\n", steps[i]);
}

static bool open_stage(tour *t) {
  t->home = scratch_make(t->out, "tour");
  if (!t->home) {
    t->status = 1;
    return false;
  }
  stele_options wanted = {.size = sizeof wanted, .home = t->home, .log = out_log, .user = t->out};
  if (stele_open(&wanted, &t->db) != STELE_OK) tour_failed(t);
  return true;
}

static int run(cli *c) {
  tour t = {.out = &c->out, .now = (double)time(NULL)};
  progress_begin();
  if (open_stage(&t)) {
    tour_chapter(&t, "Stele, a tour",
                 "Every line that begins with $ is a command you can type. All of it happens in a\n"
                 "scratch home, which is removed at the end.");
    if (tour_goes_on(&t)) out_format(t.out, "%s$ export STELE_HOME=%s%s\n", t.out->dim, t.home, t.out->normal);
    begin_session(&t);
    register_all(&t);
    record_hour(&t);
    show_figures(&t);
    show_refusal(&t);
    end_session(&t);
    tour_conversation(&t);
    next_steps(&t);
    stele_close(t.db);
  }
  scratch_remove(t.home);
  return t.status;
}

const command tour_command = {
    .name = "tour",
    .usage = "",
    .summary = "see it at work, on a scratch store that is removed at the end",
    .examples = "stele tour",
    .details = "Your own stores are not touched.",
    .run = run,
};
