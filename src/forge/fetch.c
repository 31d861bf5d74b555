/* fetch.c - see fetch.h. */
#include "fetch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "words.h"

#define PER_PAGE 100
#define PAGES_MAX 10
#define LESSONS_MAX 10 /* of a run */

/* ---- Taking secrets out ---- */

static char *clean(void *user, const char *text, bool as_json) {
  forge *f = user;
  words w;
  char *reply = NULL, *result = NULL;
  words_begin(&w);
  words_format(&w, "{\"json\":%s", as_json ? "true" : "false");
  words_member(&w, "text", text);
  words_format(&w, "}");
  char *args = words_end(&w);
  if (args && stele_call(f->db, "stele.redact", args, &reply) == STELE_OK)
    result = json_text(json_member(json_read(reply, strlen(reply)), "text"));
  else
    forge_fail_call(f);
  stele_free(reply);
  free(args);
  return result;
}

cleaner forge_cleaner(forge *f) {
  return (cleaner){clean, f};
}

/* ---- Pages ---- */

typedef struct fetching {
  forge *forge;
  const char *repo;
  int64_t run;
  batch batch;
  int lessons;
} fetching;

/* Ask for page after page of a list, and give each element to `each`.  `list` names the member it is in; NULL: the reply
** is the list. */
static bool every(fetching *g, const char *path, const char *list, bool (*each)(fetching *g, json one, void *with), void *with) {
  bool good = true;
  int found = PER_PAGE;
  for (int page = 1; good && found == PER_PAGE && page <= PAGES_MAX; page++) {
    st_http_reply reply;
    char *asked = NULL;
    if (asprintf(&asked, "%s?per_page=%d&page=%d", path, PER_PAGE, page) < 0) return forge_fail(g->forge, "out of memory");
    good = forge_ask(g->forge, asked, true, &reply);
    free(asked);
    found = 0;
    if (good && reply.status == 200) {
      json whole = json_read(reply.body, reply.length), all = list ? json_member(whole, list) : whole, one = {NULL, 0};
      if (json_kind(all) != '[') good = forge_fail(g->forge, "%s: the reply is not what was asked for", path);
      for (; good && json_next(all, &one); found++) good = each(g, one, with);
    }
    st_http_reply_free(&reply);
  }
  return good;
}

/* ---- Annotations ---- */

typedef struct job_findings {
  const char *job; /* its name */
  words list;
  const char *separator;
} job_findings;

static bool add_finding(fetching *g, json annotation, void *with) {
  job_findings *of = with;
  cleaner c = forge_cleaner(g->forge);
  char *lesson = NULL, *element = told_annotation(&c, g->repo, of->job, annotation, &lesson);
  if (element) {
    words_format(&of->list, "%s%s", of->separator, element);
    of->separator = ",";
  }
  if (lesson && g->lessons++ < LESSONS_MAX)
    batch_add(&g->batch, "capture.record_lesson", lesson);
  else
    free(lesson);
  free(element);
  return true; /* one that says nothing is passed over */
}

static bool fetch_findings(fetching *g, int64_t job, const char *name) {
  job_findings of = {.job = name, .separator = ""};
  char *path = NULL;
  if (asprintf(&path, "/repos/%s/check-runs/%" PRId64 "/annotations", g->repo, job) < 0)
    return forge_fail(g->forge, "out of memory");
  words_begin(&of.list);
  words_format(&of.list, "{\"job_id\":%" PRId64 ",\"annotations\":[", job);
  bool good = every(g, path, NULL, add_finding, &of);
  words_format(&of.list, "]}");
  char *args = words_end(&of.list);
  if (good)
    batch_add(&g->batch, "capture.replace_annotations", args);
  else
    free(args);
  free(path);
  return good;
}

/* ---- Logs ---- */

static void without_nul(char *text, size_t length) {
  for (char *at = text; (at = memchr(at, '\0', length - (size_t)(at - text))) != NULL;) *at = ' ';
}

static bool fetch_log(fetching *g, int64_t job) {
  st_http_reply reply;
  char *path = NULL;
  if (asprintf(&path, "/repos/%s/actions/jobs/%" PRId64 "/logs", g->repo, job) < 0)
    return forge_fail(g->forge, "out of memory");
  bool good = forge_ask_log(g->forge, path, &reply);
  if (good && reply.status == 200 && reply.length && !reply.zip) { /* the forge forgets logs, and an archive is none */
    cleaner c = forge_cleaner(g->forge);
    without_nul(reply.body, reply.length);
    batch_add(&g->batch, "capture.put_log_excerpt", told_log(&c, job, reply.body, reply.cut));
  }
  st_http_reply_free(&reply);
  free(path);
  return good;
}

/* ---- Jobs ---- */

static bool fetch_job(fetching *g, json job, void *with) {
  (void)with;
  cleaner c = forge_cleaner(g->forge);
  int64_t id = told_id(job);
  char *args = told_job(&c, g->run, job), *name = json_text(json_member(job, "name"));
  bool good = args && name;
  if (good)
    batch_add(&g->batch, "capture.upsert_workflow_job", args);
  else
    free(args);
  good = good ? fetch_findings(g, id, name) : forge_fail(g->forge, "%s: a job without a number or a name", g->repo);
  if (good && told_failed(job)) good = fetch_log(g, id);
  free(name);
  return good;
}

static void add_enqueue(fetching *g) {
  words w;
  words_begin(&w);
  words_format(&w, "{\"id\":%" PRId64 "}", g->run);
  batch_add(&g->batch, "capture.enqueue_workflow_run", words_end(&w));
}

bool forge_fetch(forge *f, const char *repo, json run) {
  fetching g = {.forge = f, .repo = repo, .run = told_id(run)};
  char *path = NULL;
  if (asprintf(&path, "/repos/%s/actions/runs/%" PRId64 "/jobs", repo, g.run) < 0) return forge_fail(f, "out of memory");
  bool good = every(&g, path, "jobs", fetch_job, NULL);
  free(path);
  add_enqueue(&g);
  good = good && batch_write(&g.batch, f->db, f->problem, sizeof f->problem);
  batch_free(&g.batch);
  return good;
}
