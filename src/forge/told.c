/* told.c - see told.h. */
#include "told.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "words.h"

int64_t told_id(json object) {
  long long id = json_int(json_member(object, "id"), 0);
  return id > 0 ? id : 0;
}

bool told_completed(json run_or_job) {
  return json_is(json_member(run_or_job, "status"), "completed");
}

static bool ended(json one, const char *const *conclusions) {
  for (; *conclusions; conclusions++)
    if (json_is(json_member(one, "conclusion"), *conclusions)) return true;
  return false;
}

static const char *const FAILURES[] = {"failure", "timed_out", "startup_failure", "action_required", NULL};
static const char *const STOPS[] = {"cancelled", "stale", NULL};

bool told_failed(json run_or_job) {
  return ended(run_or_job, FAILURES) || ended(run_or_job, STOPS);
}

const char *told_end(json run) {
  return ended(run, FAILURES) ? "failure" : ended(run, STOPS) ? "cancelled" : "success";
}

/* ---- Members of arguments ---- */

/* ,"name":value if it is a text of any kind the method will check; else nothing, which is null or missing there. */
static void put(words *w, const char *name, json value) {
  if (json_kind(value) != '"') return;
  words_format(w, ",\"%s\":%.*s", name, (int)value.length, value.text);
}

/* The same for what people wrote. */
static void put_clean(words *w, const cleaner *c, const char *name, json value) {
  char *text = json_kind(value) == '"' ? json_text(value) : NULL, *clean = text ? c->clean(c->user, text, false) : NULL;
  if (text && !clean) w->failed = true;
  if (clean) words_member(w, name, clean);
  free(clean);
  free(text);
}

static void put_raw(words *w, const cleaner *c, json value) {
  char *text = strndup(value.text, value.length), *clean = text ? c->clean(c->user, text, true) : NULL;
  if (!clean) w->failed = true;
  if (clean) words_member(w, "raw_json", clean);
  free(clean);
  free(text);
}

char *told_run(const cleaner *c, const char *repo, json run) {
  words w;
  if (!told_id(run)) return NULL;
  words_begin(&w);
  words_format(&w, "{\"id\":%" PRId64, told_id(run));
  words_member(&w, "repo", repo);
  put(&w, "head_sha", json_member(run, "head_sha"));
  put_clean(&w, c, "head_branch", json_member(run, "head_branch"));
  put(&w, "event", json_member(run, "event"));
  put(&w, "status", json_member(run, "status"));
  put(&w, "conclusion", json_member(run, "conclusion"));
  put(&w, "started_at", json_member(run, "run_started_at"));
  if (told_completed(run)) put(&w, "completed_at", json_member(run, "updated_at"));
  put(&w, "html_url", json_member(run, "html_url"));
  put_clean(&w, c, "actor", json_member(json_member(run, "actor"), "login"));
  put_raw(&w, c, run);
  words_format(&w, "}");
  return words_end(&w);
}

char *told_job(const cleaner *c, int64_t run, json job) {
  words w;
  if (!told_id(job)) return NULL;
  words_begin(&w);
  words_format(&w, "{\"id\":%" PRId64 ",\"run_id\":%" PRId64, told_id(job), run);
  put_clean(&w, c, "name", json_member(job, "name"));
  put(&w, "status", json_member(job, "status"));
  put(&w, "conclusion", json_member(job, "conclusion"));
  put(&w, "started_at", json_member(job, "started_at"));
  put(&w, "completed_at", json_member(job, "completed_at"));
  put_clean(&w, c, "runner_name", json_member(job, "runner_name"));
  put_raw(&w, c, job);
  words_format(&w, "}");
  return words_end(&w);
}

char *told_log(const cleaner *c, int64_t job, const char *log, bool cut) {
  words w;
  const char *line = cut ? strchr(log, '\n') : NULL; /* half a line tells nothing */
  char *clean = c->clean(c->user, line && line[1] ? line + 1 : log, false);
  if (!clean) return NULL;
  words_begin(&w);
  words_format(&w, "{\"job_id\":%" PRId64 ",\"truncated\":%s", job, cut ? "true" : "false");
  words_member(&w, "excerpt", clean);
  words_format(&w, "}");
  free(clean);
  return words_end(&w);
}

/* ---- Annotations ---- */

static char *lesson_of(const cleaner *c, const char *repo, const finding *found, json path) {
  words w;
  words_begin(&w);
  words_format(&w, "{\"tool\":\"%s\"", found->tool ? found->tool : "");
  words_member(&w, "repo", repo);
  words_member(&w, "rule_id", found->rule);
  put_clean(&w, c, "path", path);
  words_format(&w, "}");
  return words_end(&w);
}

char *told_annotation(const cleaner *c, const char *repo, const char *job, json annotation, char **lesson) {
  words w;
  json level = json_member(annotation, "annotation_level"), path = json_member(annotation, "path");
  char *message = json_text(json_member(annotation, "message"));
  *lesson = NULL;
  if (!message || json_kind(level) != '"') {
    free(message);
    return NULL;
  }
  finding found = finding_of(job, message);
  words_begin(&w);
  words_format(&w, "{\"level\":%.*s", (int)level.length, level.text);
  if (found.tool) words_member(&w, "tool", found.tool);
  if (found.rule[0]) words_member(&w, "rule_id", found.rule);
  put_clean(&w, c, "path", path);
  if (json_int(json_member(annotation, "start_line"), -1) >= 0)
    words_format(&w, ",\"start_line\":%lld", json_int(json_member(annotation, "start_line"), 0));
  put_clean(&w, c, "message", json_member(annotation, "message"));
  words_format(&w, "}");
  if (json_is(level, "failure")) *lesson = lesson_of(c, repo, &found, path);
  free(message);
  return words_end(&w);
}
