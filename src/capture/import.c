/* import.c - see import.h: the files are found and looked up, a thread reads them, this one writes. */
#include "capture/import.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/json_pull.h"
#include "capture/capture.h"
#include "capture/readers.h"
#include "capture/redact_handle.h"
#include "capture/taking.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "registry_ids.h"
#include "search/form.h"

#define P(name) ST_P_CONVERSATION_IMPORT_TRANSCRIPTS_##name
_Static_assert((int)P(INTO_FOREIGN) == (int)ST_P_CONVERSATION_WATCH_TRANSCRIPTS_INTO_FOREIGN, "same parameters, same order");
#define R(name) ST_R_CONVERSATION_IMPORT_TRANSCRIPTS_##name
_Static_assert((int)R(PROBLEMS) == (int)ST_R_CONVERSATION_WATCH_TRANSCRIPTS_PROBLEMS, "same results, same order");

/* ---- What is asked for ---------------------------------------------------------------------- */

static const st_reader *find_reader(st_call *call, const char *harness) {
  char known[200] = "";
  if (!harness) return NULL;
  for (const st_reader *const *at = st_readers; *at; at++) {
    if (strcmp((*at)->harness, harness) == 0) return *at;
    size_t length = strlen(known);
    snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", (*at)->harness);
  }
  st_fail(call, STELE_INVALID, "harness", "harness %.100s is not known", harness);
  st_hint(call, "known are: %s", known);
  return NULL;
}

static const char *const *texts_of(st_call *call, const st_value *list) {
  uint32_t count = list->type == ST_LIST ? list->count : 0;
  const char **texts = st_call_alloc(call, (count + 1) * sizeof *texts);
  for (uint32_t i = 0; texts && i < count; i++) texts[i] = list->items[i].bytes;
  return texts;
}

static void add_place(st_import *im, const char *path, const st_reader *reader) {
  for (size_t i = 0; i < im->nplaces; i++)
    if (strcmp(im->places[i].path, path) == 0 && im->places[i].reader == reader) return;
  im->places[im->nplaces++] = (st_place){path, reader};
}

static const char *join(st_call *call, st_text directory, const char *below) {
  size_t room = directory.length + strlen(below) + 2;
  char *path = st_call_alloc(call, room);
  if (path) snprintf(path, room, "%.*s/%s", (int)directory.length, directory.bytes, below);
  return path;
}

/* $NAME/rest: under that variable, if it was handed over. */
static const char *moved_root(st_import *im, const char *root) {
  char name[64];
  const char *slash = strchr(root, '/');
  const char *environment = st_arg_text(im->call, P(ENVIRONMENT));
  st_text value = {0};
  size_t length = slash ? (size_t)(slash - root - 1) : strlen(root + 1);
  if (!environment || length >= sizeof name) return NULL;
  memcpy(name, root + 1, length);
  name[length] = '\0';
  st_text member = st_pull_get((st_text){environment, im->call->args[P(ENVIRONMENT)].length}, name);
  if (!st_pull_text(im->call->arena, member, &value)) st_fail(im->call, STELE_NOMEM, NULL, "out of memory");
  return value.length ? join(im->call, value, slash ? slash + 1 : "") : NULL;
}

static size_t count_roots(const st_reader *reader) {
  size_t count = 0;
  while (reader->roots[count]) count++;
  return count;
}

static void add_roots(st_import *im, const st_reader *reader, const char *home) {
  for (size_t i = 0; reader->roots[i] && st_ok(im->call); i++) {
    const char *root = reader->roots[i], *path = NULL;
    if (*root == '$') path = moved_root(im, root);
    else if (home) path = join(im->call, st_text_of(home), root);
    if (path) add_place(im, path, reader);
  }
}

static void find_places(st_import *im) {
  const char *const *paths = texts_of(im->call, &im->call->args[P(PATHS)]);
  const char *home = st_arg_text(im->call, P(HOME));
  size_t count = 1;
  for (size_t i = 0; paths && paths[i]; i++) count++;
  for (const st_reader *const *at = st_readers; *at; at++) count += count_roots(*at);
  im->places = st_call_alloc(im->call, count * sizeof *im->places);
  if (!im->places || !paths) return;
  for (size_t i = 0; paths[i]; i++) {
    if (paths[i][0] != '/') st_fail(im->call, STELE_INVALID, "paths", "paths: %.200s is not absolute", paths[i]);
    add_place(im, paths[i], NULL);
  }
  if (paths[0]) return;
  const char *environment = st_arg_text(im->call, P(ENVIRONMENT));
  if (!home && !(environment && *environment == '{'))
    st_fail(im->call, STELE_NOTFOUND, "home", "without paths it needs home, below which the agents keep their transcripts");
  for (const st_reader *const *at = st_readers; *at; at++)
    if (st_import_wants(im, *at)) add_roots(im, *at, home);
}

bool st_import_wants(const st_import *im, const st_reader *reader) {
  for (size_t i = 0; im->except && im->except[i]; i++)
    if (strcmp(im->except[i], reader->harness) == 0) return false;
  return !im->only || im->only == reader;
}

void st_import_init(st_import *im, st_call *call) {
  *im = (st_import){.call = call};
  st_str_init(&im->problems, 1u << 20);
  im->dry_run = st_arg_int(call, P(DRY_RUN)) != 0;
  im->again = st_arg_int(call, P(AGAIN)) != 0;
  im->since = st_arg_real(call, P(SINCE));
  im->ignore = texts_of(call, &call->args[P(IGNORE)]);
  if (!call->store->target.in_home && !st_arg_int(call, P(INTO_FOREIGN))) {
    st_fail(call, STELE_DENIED, "into_foreign", "this store is not in the home: transcripts do not go into another program's file");
    st_hint(call, "into_foreign allows it");
    return;
  }
  im->only = find_reader(call, st_arg_text(call, P(HARNESS)));
  im->except = texts_of(call, &call->args[P(EXCEPT_HARNESSES)]);
  for (size_t i = 0; im->except && im->except[i]; i++) find_reader(call, im->except[i]);
  if (st_ok(call)) find_places(im);
  if (im->dry_run) return;
  st_feature_need(call, ST_F_CONVERSATION_TRANSCRIPTS);
  if (st_arg_int(call, P(CAPTURE))) st_capturing_begin(&im->capturing, call, st_arg_int(call, P(INTO_FOREIGN)) != 0);
  st_form_compatible(call); /* notes of changes begin now, not while somebody searches what has come in so far */
}

void st_import_free(st_import *im) {
  for (size_t i = 0; i < im->njobs; i++) st_job_free(im->jobs[i]);
  st_free(im->jobs);
  st_numbers_free(&im->dry);
  st_str_free(&im->problems);
  st_capturing_free(&im->capturing);
}

/* ---- Reading and writing -------------------------------------------------------------------- */

/* Tell the caller how far it is.  True: it is to stop. */
static bool is_stopped(st_import *im) {
  stele_db *db = im->call->db;
  int64_t done = im->done < im->total ? im->done : im->total; /* a file may have grown meanwhile */
  return db->progress && db->progress(db->user, "import", done, im->total) != 0;
}

static void collect(st_import *im, const st_batch *batch) {
  im->aside += batch->aside;
  im->bad += batch->bad;
  im->redacted += batch->redacted;
  im->ignored += batch->ignored;
  im->unfinished += batch->unfinished;
  im->bytes += batch->bytes;
  im->done += batch->bytes;
  for (const st_problem *p = batch->problems; p && im->nproblems < ST_PROBLEMS_MAX; p = p->next, im->nproblems++) {
    if (im->nproblems) st_str_addc(&im->problems, ',');
    st_json_add_string(&im->problems, p->text, strlen(p->text));
  }
}

/* Nothing is written: what would be, as far as reading tells. */
static void count_only(st_import *im, const st_batch *batch) {
  for (const st_item *item = batch->first; item; item = item->next) {
    bool added = false;
    if (item->kind != ST_ITEM_MESSAGE) continue;
    im->counted.messages++;
    uint64_t hash = st_hash64((uint64_t)(uintptr_t)item->job->reader, item->session.bytes, item->session.length);
    if (!st_numbers_add(&im->dry, hash, &added)) st_fail(im->call, STELE_NOMEM, NULL, "out of memory");
    if (!added) continue;
    st_rows rows;
    bool known = false;
    if (st_feature_has(im->call, ST_F_CONVERSATION_TRANSCRIPTS)) {
      st_rows_start(im->call, &rows, STELE_M_CONVERSATION_FIND_ORIGIN,
                    (const st_value[]){st_textz(item->job->reader->harness), st_textz(item->session.bytes)});
      known = st_rows_next(im->call, &rows);
      st_rows_end(im->call, &rows);
    }
    if (!known) im->counted.sessions++;
  }
}

static void handle_batch(st_import *im, st_writer *writer, st_batch *batch) {
  if (batch->nomem) st_fail(im->call, STELE_NOMEM, NULL, "out of memory");
  if (im->dry_run) count_only(im, batch);
  else st_writer_write(writer, batch);
  st_capturing_write(&im->capturing, batch);
  if (!st_ok(im->call)) return;
  collect(im, batch);
  if (!batch->end && is_stopped(im)) {
    st_fail(im->call, STELE_CANCELLED, NULL, "stopped; what was read so far is kept");
    st_hint(im->call, "the same call goes on from there");
  }
}

/* Hand out the jobs and write what comes, until the end. */
static void exchange(st_import *im, st_channel *channel, st_writer *writer) {
  size_t given = 0;
  bool ended = false;
  while (!ended && st_ok(im->call)) {
    st_batch *batch;
    if (given == im->njobs) st_channel_close(channel);
    if (st_channel_wait(channel, given < im->njobs, &batch) == ST_GIVE_JOB) {
      st_channel_give_job(channel, im->jobs[given]);
      im->jobs[given++] = NULL;
      continue;
    }
    ended = batch->end;
    handle_batch(im, writer, batch);
    st_channel_written(channel, batch);
  }
}

/* Signals are for the thread that called. */
static bool start(pthread_t *thread, st_taking *taking) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(thread, NULL, st_taking_run, taking) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

/* The thread reads while this one writes. */
static void read_and_write(st_import *im, st_writer *writer, st_channel *channel, st_taking *taking) {
  pthread_t thread;
  taking->ignore.list = im->ignore;
  taking->again = im->again;
  taking->segments = im->capturing.on;
  if (!start(&thread, taking)) {
    st_fail(im->call, STELE_NOMEM, NULL, "there is no memory for a thread");
    return;
  }
  exchange(im, channel, writer);
  st_channel_stop(channel);
  pthread_join(thread, NULL);
}

static void run_jobs(st_import *im, st_writer *writer) {
  const st_redaction *redaction = st_redaction_of(im->call);
  st_channel *channel = st_alloc_zero(sizeof *channel);
  st_taking *taking = st_alloc_zero(sizeof *taking);
  bool ready = channel && taking && st_channel_init(channel);
  if (ready && redaction && st_taking_init(taking, channel, redaction->redactor))
    read_and_write(im, writer, channel, taking);
  else
    st_fail(im->call, STELE_NOMEM, NULL, "out of memory");
  if (taking) st_taking_free(taking);
  if (ready) st_channel_free(channel);
  st_free(taking);
  st_free(channel);
}

/* Also without jobs: what an earlier import was stopped before is done now. */
static void take_in(st_import *im) {
  st_writer writer = {.call = im->call, .again = im->again};
  if (!im->dry_run) st_writer_begin(&writer);
  if (st_ok(im->call) && im->njobs > 0) run_jobs(im, &writer);
  if (!im->dry_run) st_writer_end(&writer);
  im->counted.sessions += writer.counted.sessions;
  im->counted.messages += writer.counted.messages;
  im->counted.updated += writer.counted.updated;
  im->counted.removed += writer.counted.removed;
  st_writer_free(&writer);
}

static void finish_pass(st_import *im, st_walk *walk) {
  if (walk->nomem) st_fail(im->call, STELE_NOMEM, NULL, "out of memory");
  im->ignored += walk->ignored;
  st_walk_free(walk);
  if (im->njobs > 0) qsort(im->jobs, im->njobs, sizeof *im->jobs, st_import_order);
  if (st_ok(im->call)) take_in(im);
  for (size_t i = 0; i < im->njobs; i++) st_job_free(im->jobs[i]);
  im->njobs = 0;
  im->done = im->total = 0;
}

static bool tell_directory(void *user, const char *path) {
  st_import *im = user;
  return !im->directory || im->directory(im->user, path);
}

static st_walk begin_pass(st_import *im, const st_ignore *ignore) {
  st_capturing_pass(&im->capturing);
  return (st_walk){.ignore = ignore, .file = st_import_file, .directory = tell_directory, .user = im};
}

void st_import_pass(st_import *im) {
  st_ignore ignore = {.list = im->ignore};
  st_walk walk = begin_pass(im, &ignore);
  for (size_t i = 0; i < im->nplaces && st_ok(im->call); i++) {
    im->reader = im->places[i].reader;
    if (!im->reader && access(im->places[i].path, F_OK) != 0)
      st_fail(im->call, STELE_NOTFOUND, "paths", "%.300s does not exist", im->places[i].path);
    else
      st_walk_path(&walk, im->places[i].path, 0);
  }
  finish_pass(im, &walk);
}

/* The place that a path is at or below; NULL: none. */
static const st_place *place_of(const st_import *im, const char *path) {
  for (size_t i = 0; i < im->nplaces; i++) {
    size_t length = strlen(im->places[i].path);
    while (length > 1 && im->places[i].path[length - 1] == '/') length--;
    if (strncmp(im->places[i].path, path, length) == 0 && (path[length] == '/' || !path[length])) return &im->places[i];
  }
  return NULL;
}

/* Is there an ignore file in a directory from the root down to the path? */
static bool marked_between(const char *path, size_t root) {
  char directory[PATH_MAX];
  size_t length = strlen(path);
  if (length >= sizeof directory) return true;
  memcpy(directory, path, length + 1);
  for (size_t at = root; at < length; at++) {
    if (path[at] != '/') continue;
    directory[at] = '\0';
    if (st_ignore_marked(directory)) return true;
    directory[at] = '/';
  }
  return false;
}

void st_import_some(st_import *im, char *const *paths, size_t count) {
  int64_t files = im->files, unchanged = im->unchanged, ignored = im->ignored; /* they have been counted */
  st_ignore ignore = {.list = im->ignore};
  st_walk walk = begin_pass(im, &ignore);
  for (size_t i = 0; i < count && st_ok(im->call); i++) {
    const st_place *place = place_of(im, paths[i]);
    if (!place || marked_between(paths[i], strlen(place->path))) continue;
    im->reader = place->reader;
    st_walk_path(&walk, paths[i], strlen(place->path));
  }
  finish_pass(im, &walk);
  im->files = files;
  im->unchanged = unchanged;
  im->ignored = ignored;
}

void st_import_reply(st_import *im) {
  st_str problems;
  st_str_init(&problems, 1u << 21);
  st_str_addc(&problems, '[');
  st_str_add(&problems, im->problems.text ? im->problems.text : "", im->problems.length);
  st_str_addc(&problems, ']');
  st_value *row = st_reply(im->call);
  char *json = row && !problems.failed ? st_call_copy(im->call, problems.text, problems.length) : NULL;
  st_str_free(&problems);
  if (!json) {
    st_fail(im->call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  row[R(FILES)] = st_int(im->files);
  row[R(UNCHANGED)] = st_int(im->unchanged);
  row[R(IGNORED)] = st_int(im->ignored);
  row[R(UNFINISHED)] = st_int(im->unfinished);
  row[R(SESSIONS)] = st_int(im->counted.sessions);
  row[R(MESSAGES)] = st_int(im->counted.messages);
  row[R(UPDATED)] = st_int(im->counted.updated);
  row[R(ASIDE)] = st_int(im->aside);
  row[R(REDACTED)] = st_int(im->redacted);
  row[R(BAD)] = st_int(im->bad);
  row[R(REMOVED)] = st_int(im->counted.removed);
  row[R(BYTES)] = st_int(im->bytes);
  row[R(PROBLEMS)] = st_textz(json);
}

void st_conversation_import_transcripts(st_call *call) {
  st_import import;
  st_import_init(&import, call);
  if (st_ok(call)) st_import_pass(&import);
  if (st_ok(call)) st_import_reply(&import);
  st_import_free(&import);
}
