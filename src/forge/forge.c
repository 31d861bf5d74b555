/* forge.c - see forge.h: which runs there are, and which of them are new. */
#include "forge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "fetch.h"
#include "told.h"
#include "words.h"

#define NEWEST 20
#define OF_COMMIT 100

bool forge_is_repo(const char *repo) {
  static const char part[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  size_t owner = strspn(repo, part), name = repo[owner] == '/' ? strspn(repo + owner + 1, part) : 0;
  bool dots = strncmp(repo, ".", 1) == 0 || strstr(repo, "/."); /* no way up in an address */
  return owner && name && !dots && !repo[owner + 1 + name];
}

const char *forge_api_problem(const char *api) {
  return st_http_is_safe(api) ? NULL : "it must be https://..., or http:// on this machine";
}

static bool is_stopped(void *user) {
  const forge *f = user;
  return !f->options.wait(f->options.user, 0);
}

forge *forge_open(const forge_options *options, stele_db *db) {
  forge *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->options = *options;
  f->options.token = NULL; /* http keeps it */
  f->options.api = f->api = strdup(options->api);
  f->db = db;
  f->http = f->api ? st_http_open(options->token, is_stopped, f) : NULL;
  if (f->http) return f;
  forge_close(f);
  return NULL;
}

void forge_close(forge *f) {
  if (!f) return;
  for (known_page *page = f->pages, *next; page; page = next) {
    next = page->next;
    free(page);
  }
  st_http_close(f->http);
  free(f->api);
  free(f);
}

const char *forge_problem(const forge *f) {
  return f->problem;
}

/* ---- The store ---- */

/* A call whose arguments are made of words; its reply for stele_free(), or NULL: it failed. */
static char *call(forge *f, const char *method, words *w) {
  char *args = words_end(w), *reply = NULL;
  if (!args)
    forge_fail(f, "out of memory");
  else if (stele_call(f->db, method, args, &reply) != STELE_OK)
    forge_fail_call(f);
  free(args);
  return reply;
}

static bool call_with(forge *f, const char *method, const char *name, const char *text, const char *rest) {
  words w;
  words_begin(&w);
  words_format(&w, "{\"source\":\"workflow\"%s", rest);
  if (name) words_member(&w, name, text);
  words_format(&w, "}");
  char *reply = call(f, method, &w);
  stele_free(reply);
  return reply != NULL;
}

/* The source is well although it brought nothing new. */
static bool note_success(forge *f, bool nothing_ever) {
  return call_with(f, "capture.record_source_success", NULL, NULL, nothing_ever ? "" : ",\"last_event_ts\":0");
}

/* The first failure is the one that is told. */
static void note_failure(forge *f, const char *repo) {
  char *problem = NULL, told[sizeof f->problem];
  if (f->stopped) return;
  memcpy(told, f->problem, sizeof told);
  if (asprintf(&problem, "%s: %s", repo, told) < 0) return;
  call_with(f, "capture.record_source_error", "error", problem, "");
  memcpy(f->problem, told, sizeof told);
  free(problem);
}

/* ---- Runs ---- */

static bool take_run(forge *f, const char *repo, json run, forge_counts *counts) {
  cleaner c = forge_cleaner(f);
  char *args = told_run(&c, repo, run), *reply = NULL;
  if (!args) return forge_fail(f, "%s: a run without a number", repo);
  stele_status status = stele_call(f->db, "capture.upsert_workflow_run", args, &reply);
  free(args);
  if (status != STELE_OK) return forge_fail_call(f);
  json known = json_read(reply, strlen(reply));
  bool fresh = json_kind(json_member(known, "created")) == 't', settled = json_kind(json_member(known, "settled")) == 't';
  stele_free(reply);
  counts->runs++;
  counts->fresh += fresh;
  if (settled || !told_completed(run)) return true;
  counts->fetched++;
  return forge_fetch(f, repo, run);
}

/* What the runs of a commit say together. */
typedef struct together {
  int64_t runs, running;
  const char *end; /* the worst of their ends */
} together;

static void add_end(together *all, json run) {
  const char *end = told_end(run);
  all->runs++;
  all->running += !told_completed(run);
  if (!all->end || strcmp(end, "failure") == 0 || strcmp(all->end, "success") == 0) all->end = end;
}

static bool take_runs(forge *f, const char *repo, const char *path, forge_counts *counts, together *all) {
  st_http_reply reply;
  bool good = forge_ask_page(f, path, &reply);
  if (good && reply.status == 304) {
    good = note_success(f, false);
  } else if (good) {
    json runs = json_member(json_read(reply.body, reply.length), "workflow_runs"), run = {NULL, 0};
    if (json_kind(runs) != '[') good = forge_fail(f, "the reply is not a list of runs");
    while (good && json_next(runs, &run)) {
      good = take_run(f, repo, run, counts);
      add_end(all, run);
    }
    if (good && !all->runs) good = note_success(f, true);
  }
  st_http_reply_free(&reply);
  if (good) return true;
  forge_forget_page(f, path);
  note_failure(f, repo);
  return false;
}

bool forge_poll(forge *f, const char *repo, forge_counts *counts) {
  together all = {0};
  char *path = NULL;
  if (asprintf(&path, "/repos/%s/actions/runs?per_page=%d", repo, NEWEST) < 0) return forge_fail(f, "out of memory");
  bool good = take_runs(f, repo, path, counts, &all);
  free(path);
  return good;
}

/* ---- Commits that are watched ---- */

static bool finish(forge *f, const char *repo, const char *sha, const char *end) {
  words w;
  words_begin(&w);
  words_format(&w, "{\"terminal_status\":\"%s\"", end);
  words_member(&w, "repo", repo);
  words_member(&w, "sha", sha);
  words_format(&w, "}");
  char *reply = call(f, "capture.finish_watch", &w);
  stele_free(reply);
  return reply != NULL;
}

bool forge_look(forge *f, const char *repo, const char *sha, forge_counts *counts, forge_state *state) {
  together all = {0};
  char *path = NULL;
  *state = FORGE_RUNNING;
  if (asprintf(&path, "/repos/%s/actions/runs?head_sha=%s&per_page=%d", repo, sha, OF_COMMIT) < 0)
    return forge_fail(f, "out of memory");
  bool good = take_runs(f, repo, path, counts, &all);
  free(path);
  if (!good || !all.runs || all.running) return good;
  *state = strcmp(all.end, "success") == 0 ? FORGE_GOOD : FORGE_BAD;
  return finish(f, repo, sha, all.end);
}

static bool is_commit(const char *sha) {
  return strlen(sha) == 40 && strspn(sha, "0123456789abcdef") == 40;
}

static bool look_at(forge *f, json watched, forge_counts *counts) {
  char *repo = json_text(json_member(watched, "repo")), *sha = json_text(json_member(watched, "sha"));
  forge_state state;
  bool good = repo && sha;
  if (good && forge_is_repo(repo) && is_commit(sha)) good = forge_look(f, repo, sha, counts, &state);
  free(repo);
  free(sha);
  return good;
}

static bool look_at_all(forge *f, forge_counts *counts) {
  char *reply = NULL;
  bool good = true;
  if (stele_call(f->db, "capture.list_watched", NULL, &reply) != STELE_OK) return forge_fail_call(f);
  json list = json_read(reply, strlen(reply)), one = {NULL, 0};
  while (!f->stopped && json_next(list, &one)) good = look_at(f, one, counts) && good;
  stele_free(reply);
  return good;
}

bool forge_tend(forge *f, char *const *repos, bool all, forge_counts *counts) {
  bool good = look_at_all(f, counts);
  for (; all && *repos && !f->stopped; repos++) good = forge_poll(f, *repos, counts) && good;
  if (all && stele_call(f->db, "capture.cleanup_watchlist", NULL, NULL) != STELE_OK) good = forge_fail_call(f);
  return good;
}

char *forge_commit(forge *f, const char *repo, const char *sha) {
  st_http_reply reply;
  char *path = NULL, *whole = NULL;
  if (is_commit(sha)) return strdup(sha);
  if (asprintf(&path, "/repos/%s/commits/%s", repo, sha) < 0) return NULL;
  if (forge_ask(f, path, false, &reply)) {
    whole = json_text(json_member(json_read(reply.body, reply.length), "sha"));
    if (!whole || !is_commit(whole)) {
      forge_fail(f, "%s has no commit %s", repo, sha);
      free(whole);
      whole = NULL;
    }
  }
  st_http_reply_free(&reply);
  free(path);
  return whole;
}
