/* watch_sha.c - stele watch-sha: follow a commit until its workflows have ended, and tell what failed, once. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../door/json.h"
#include "../forge/forge.h"
#include "asking.h"
#include "command.h"
#include "github.h"
#include "text.h"

#define LOG_LINES 20 /* of each log, for people */

typedef struct watched {
  cli *cli;
  forge *forge;
  const char *repo;
  char *sha; /* all of it */
  forge_state state;
  bool told; /* somebody was told before */
} watched;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A method of the capture store that is told the commit, and one thing more. */
static char *ask(const watched *w, const char *method, argument more, int *status) {
  argument arguments[] = {{"sha", text_quote(w->sha)}, {"repo", text_quote(w->repo)}, more, {NULL, NULL}};
  char *reply = command_ask(w->cli, method, arguments, status);
  free((char *)arguments[0].json);
  free((char *)arguments[1].json);
  return reply;
}

/* ---- What failed, for people ---- */

static bool is_good(json one) {
  json conclusion = json_member(one, "conclusion");
  return json_is(conclusion, "success") || json_is(conclusion, "skipped") || json_is(conclusion, "neutral");
}

/* A member as a line for a terminal, in new memory; "" if there is none. */
static char *line_of(json object, const char *name) {
  json value = json_member(object, name);
  char *text = json_kind(value) == 'n' ? NULL : json_text(value), *clean = text_clean(text ? text : "");
  free(text);
  return clean;
}

static void tell_annotation(output *out, json one) {
  char *path = line_of(one, "path"), *line = line_of(one, "start_line"), *tool = line_of(one, "tool");
  char *rule = line_of(one, "rule_id"), *message = line_of(one, "message");
  out_format(out, "    %s%s%s%s", path, *line ? ":" : "", line, *path ? ": " : "");
  if (*tool) out_format(out, "[%s%s%s] ", tool, *rule ? " " : "", rule);
  out_format(out, "%s\n", message);
  free(path);
  free(line);
  free(tool);
  free(rule);
  free(message);
}

static void tell_job(output *out, json job) {
  json one = {NULL, 0};
  char *name = line_of(job, "name"), *conclusion = line_of(job, "conclusion");
  if (!is_good(job)) out_format(out, "  %s%s%s  %s\n", out->red, conclusion, out->normal, name);
  while (!is_good(job) && json_next(json_member(job, "annotations"), &one)) tell_annotation(out, one);
  free(name);
  free(conclusion);
}

/* Where the last lines of a text begin. */
static const char *last_lines(const char *text, int lines) {
  const char *at = text + strlen(text);
  while (at > text && (at[-1] != '\n' || !at[0] || lines-- > 1)) at--;
  return at;
}

static void tell_logs(const watched *w, json logs) {
  json one = {NULL, 0};
  while (json_next(logs, &one)) {
    char *job = line_of(one, "job"), *excerpt = json_text(json_member(one, "excerpt"));
    out_format(&w->cli->out, "  the end of the log of %s:\n", job);
    out_lines(&w->cli->out, last_lines(excerpt, w->cli->options.local[OPTION_FULL] ? 1 << 30 : LOG_LINES));
    out_text(&w->cli->out, "\n");
    free(job);
    free(excerpt);
  }
}

/* The excerpts of a run, for stele_free(). */
static char *logs_of(const watched *w, json run, int *status) {
  char *id = json_text(json_member(run, "id"));
  argument arguments[] = {{"run_id", id}, {NULL, NULL}};
  char *reply = command_ask(w->cli, "capture.list_log_excerpts", arguments, status);
  free(id);
  return reply;
}

static void tell_run(const watched *w, json run, int *status) {
  output *out = &w->cli->out;
  json job = {NULL, 0};
  char *conclusion = line_of(run, "conclusion"), *url = line_of(run, "html_url");
  if (!is_good(run)) {
    out_format(out, "%s%s%s  %s\n", out->red, conclusion, out->normal, url);
    while (json_next(json_member(run, "jobs"), &job)) tell_job(out, job);
    char *logs = logs_of(w, run, status);
    if (logs) tell_logs(w, json_read(logs, strlen(logs)));
    stele_free(logs);
  }
  free(conclusion);
  free(url);
}

static void tell(const watched *w, json runs, int *status) {
  static const char *const words[] = {"still running", "all is well", "failed"};
  json run = {NULL, 0};
  out_format(&w->cli->out, "%s %.7s: %s%s\n", w->repo, w->sha, words[w->state], w->told ? ", as was told before" : "");
  while (w->state == FORGE_BAD && !w->told && json_next(runs, &run)) tell_run(w, run, status);
}

/* ---- The same for programs ---- */

static void tell_json(const watched *w, json runs, int *status) {
  static const char *const words[] = {"running", "success", "failure"};
  output *out = &w->cli->out;
  json run = {NULL, 0};
  const char *separator = "";
  out_format(out, "{\"repo\":\"%s\",\"sha\":\"%s\",\"state\":\"%s\",\"told_before\":%s,\"runs\":[", w->repo, w->sha,
             words[w->state], w->told ? "true" : "false");
  for (; !w->told && json_next(runs, &run); separator = ",") {
    char *logs = logs_of(w, run, status);
    out_format(out, "%s%.*s,\"logs\":%s}", separator, (int)run.length - 1, run.text, logs ? logs : "[]");
    stele_free(logs);
  }
  out_text(out, "]}\n");
}

/* ---- Following it ---- */

/* False: it failed. */
static bool follow(watched *w) {
  const settings *s = &w->cli->settings;
  int64_t until = now_ms() + settings_get(s, "github.watchlist_ttl_secs")->number;
  int64_t pause = settings_get(s, "github.tight_poll_interval_secs")->number;
  forge_counts counts = {0};
  for (;;) {
    if (!forge_look(w->forge, w->repo, w->sha, &counts, &w->state)) return false;
    if (w->state != FORGE_RUNNING || now_ms() + pause >= until) return true;
    if (!asking_wait(w->cli, pause)) return false;
  }
}

/* Was there nothing left to tell?  From now on there is not. */
static bool mark_told(const watched *w, int *status) {
  char *reply = ask(w, "capture.mark_notified", (argument){NULL, NULL}, status);
  bool before = reply && json_int(json_member(json_read(reply, strlen(reply)), "updated"), 0) == 0;
  stele_free(reply);
  return before;
}

static int watch(watched *w) {
  cli *c = w->cli;
  int status = 0;
  char *ttl = text_format("%.3f", (double)settings_get(&c->settings, "github.watchlist_ttl_secs")->number / 1000);
  stele_free(ask(w, "capture.watch_sha", (argument){"ttl", ttl}, &status));
  free(ttl);
  if (status) return status;
  if (!follow(w)) return asking_failed(c, w->forge);
  w->told = w->state == FORGE_BAD && mark_told(w, &status);
  char *runs = ask(w, "capture.get_ci_status", (argument){"limit", "100"}, &status);
  if (!runs) return status;
  (c->options.json ? tell_json : tell)(w, json_read(runs, strlen(runs)), &status);
  stele_free(runs);
  return status ? status : w->state != FORGE_GOOD;
}

static int run_in(cli *c, const char *repo) {
  int status = 0;
  watched w = {.cli = c, .repo = repo, .forge = asking_open(c, &status)};
  if (!w.forge) return status;
  w.sha = forge_commit(w.forge, repo, command_argument(c, 1));
  status = w.sha ? watch(&w) : asking_failed(c, w.forge);
  free(w.sha);
  forge_close(w.forge);
  return status;
}

static int run(cli *c) {
  const char *sha = command_argument(c, 1), *said = c->options.local[OPTION_REPO];
  const char *list = said ? said : settings_text(&c->settings, "github.watched_repos");
  size_t length = strlen(sha);
  int status = 0;
  if (length < 7 || length > 40 || strspn(sha, "0123456789abcdef") != length)
    return out_bad(&c->out, "git rev-parse HEAD", "a commit is told by 7 to 40 of its digits, not %s", sha);
  char **repos = list ? asking_repos(c, list, &status) : NULL;
  if (!status && (!repos || !repos[0] || repos[1])) status = out_bad(&c->out, NULL, "watch-sha needs --repo OWNER/NAME");
  if (!status) status = run_in(c, repos[0]);
  github_free_repos(repos);
  return status;
}

const command watch_sha_command = {
    .name = "watch-sha",
    .group = GROUP_WORK,
    .usage = "SHA",
    .summary = "follow a pushed commit until GitHub's workflows have ended, and tell what failed",
    .examples = "stele watch-sha $(git rev-parse HEAD) --repo OWNER/NAME\n"
                "stele watch-sha 0123abc --repo OWNER/NAME --ttl 30m --json",
    .details = "It looks every 45 seconds (github.tight_poll_interval_secs), and the exit status is 0 if all is well, else 1: something\n"
               "failed, was stopped, or is still running when the time is over. What failed is told once, with the last lines of the\n"
               "logs: who asks again is only told that it did. The token is that of `stele gh-poll`.",
    .least = 1,
    .most = 1,
    .opens = true,
    .takes = (const command_option[]){{OPTION_REPO, "in this repository; not needed if github.watched_repos is one"},
                                      {OPTION_TTL, "for how long: 20m, 1h (20m)"},
                                      {OPTION_FULL, "all that was kept of the logs"},
                                      {0, NULL}},
    .run = run,
};
