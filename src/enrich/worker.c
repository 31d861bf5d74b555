/* worker.c - capture.enrich: claim, gather, learn, write, until the queues are empty.
**
** A cycle of a queue is three short transactions: tickets are claimed, what they stand for is read, what was learned is written.
** Between the last two the enricher works, and nobody waits for it.  A worker that is killed leaves tickets that are locked; they are taken
** back after the lock timeout, and a node and the completion of its tickets are one transaction, so that each is learned from once. */
#include <string.h>

#include "base/time.h"
#include "chat/handle.h"
#include "engine/feature.h"
#include "engine/handle.h"
#include "enrich/enrich.h"
#include "enrich/gather.h"
#include "enrich/learned.h"
#include "enrich/model.h"
#include "enrich/showing.h"
#include "registry_ids.h"

#define ARENA_MAX ((size_t)1 << 30)
#define SHOWN_MAX ((size_t)64 << 20) /* bytes of a dry run */
enum { MILLIS = 1000, QUEUES = 4, BEATS = 4 }; /* it is said so often in the time that a lock lasts that it is held */

static const char *const NAMES[QUEUES] = {"agentic", "browser", "shell", "workflow"};

#define ARG(name) (&w->call->args[ST_P_CAPTURE_ENRICH_##name])

typedef struct worker {
  st_call *call;
  st_enricher enricher;
  st_model_asking model; /* what it works with, if it asks a model */
  st_arena arena; /* of one cycle */
  st_gathering gathering;
  st_holding by;
  bool dry_run;
  bool reaped; /* what others left locked was taken back in this call */
  bool stopped;       /* somebody said so */
  st_problem problem; /* why the rest is left for another time; empty: it is not */
  int64_t claimed, skipped, waiting;
  st_settled settled;
  st_str shown; /* of a dry run, a list */
} worker;

static st_value now_of(const worker *w) {
  return ARG(NOW)->type == ST_INT ? *ARG(NOW) : st_int(st_time_now() / 1000);
}

static int64_t now_of_worker(void *user) { return now_of(user).integer; }

/* For whoever waits: is it to end? */
static bool wants_stop(void *user) {
  worker *w = user;
  stele_db *db = w->call->db;
  w->stopped = w->stopped || atomic_load_explicit(&db->interrupted, memory_order_relaxed) ||
               (db->progress && db->progress(db->user, "enrich", w->claimed, w->waiting) != 0);
  return w->stopped;
}

/* ---- May it work? ---- */

static bool greet(st_call *call, void *user) {
  const worker *w = user;
  st_value args[ST_P_CAPTURE_HANDSHAKE_NOW + 1] = {*ARG(WORKER), st_int(call->store->store->version), now_of(w)};
  st_value row[ST_R_CAPTURE_HANDSHAKE_FIX + 1];
  st_error why;
  if (!st_attempt(call, STELE_M_CAPTURE_HANDSHAKE, args, row, &why)) {
    if (st_ok(call)) *call->error = why;
    return false;
  }
  if (!row[ST_R_CAPTURE_HANDSHAKE_AGREE].integer) {
    const st_value *cause = &row[ST_R_CAPTURE_HANDSHAKE_CAUSE], *fix = &row[ST_R_CAPTURE_HANDSHAKE_FIX];
    st_fail(call, STELE_DENIED, NULL, "nothing is claimed: %s", cause->type == ST_TEXT ? cause->bytes : "versions differ");
    if (fix->type == ST_TEXT) st_hint(call, "%s", fix->bytes);
  }
  return true;
}

static bool is_paused(worker *w) {
  st_value since;
  return st_feature_has(w->call, ST_F_CAPTURE_ENRICHMENT) && st_one(w->call, STELE_M_CAPTURE_READ_PAUSE, NULL, &since);
}

/* Which queues have something to do; nothing is written to find out. */
static bool look(worker *w, bool wanted[QUEUES]) {
  st_value until = st_int(now_of(w).integer - ARG(LOCK_TIMEOUT)->integer * MILLIS), pending, stale;
  const char *only = st_arg_text(w->call, ST_P_CAPTURE_ENRICH_QUEUE);
  bool any = false;
  st_rows rows;
  st_rows_start(w->call, &rows, STELE_M_CAPTURE_WAITING_TICKETS, &until);
  for (int i = 0; i < QUEUES && st_rows_next(w->call, &rows); i++) { /* in the order of their names */
    st_rows_value(w->call, &rows, ST_R_CAPTURE_WAITING_TICKETS_PENDING, &pending);
    st_rows_value(w->call, &rows, ST_R_CAPTURE_WAITING_TICKETS_STALE, &stale);
    wanted[i] = (pending.integer || stale.integer) && (!only || strcmp(only, NAMES[i]) == 0);
    if (wanted[i]) w->waiting += pending.integer;
    any = any || wanted[i];
  }
  st_rows_end(w->call, &rows);
  return any && st_ok(w->call);
}

/* ---- Claiming and reading ---- */

static void list_taken(worker *w) {
  st_gathering *g = &w->gathering;
  st_value id, source;
  st_rows rows;
  g->count = 0;
  st_rows_start(w->call, &rows, STELE_M_CAPTURE_LIST_TAKEN_TICKETS, (st_value[]){w->by.queue, w->by.token});
  while (g->count < ST_CLAIMED_MOST && st_rows_next(w->call, &rows)) {
    st_rows_value(w->call, &rows, ST_R_CAPTURE_LIST_TAKEN_TICKETS_ID, &id);
    st_rows_value(w->call, &rows, ST_R_CAPTURE_LIST_TAKEN_TICKETS_SOURCE_ID, &source);
    g->tickets[g->count++] = (st_ticket){.id = id.integer, .source = source.integer};
  }
  st_rows_end(w->call, &rows);
}

static int64_t room_left(const worker *w) {
  int64_t limit = ARG(LIMIT)->integer, batch = ARG(BATCH)->integer;
  return limit && limit - w->claimed < batch ? limit - w->claimed : batch;
}

/* A dry run claims too, and takes it back: what it shows is what would be done. */
static bool claim(st_call *call, void *user) {
  worker *w = user;
  st_value args[ST_P_CAPTURE_CLAIM_REAP + 1] = {{0}}, row[ST_R_CAPTURE_CLAIM_TOKEN + 1];
  st_error why;
  w->gathering.count = w->gathering.bundle_count = 0;
  args[ST_P_CAPTURE_CLAIM_QUEUE] = w->by.queue;
  args[ST_P_CAPTURE_CLAIM_WORKER] = *ARG(WORKER);
  args[ST_P_CAPTURE_CLAIM_LIMIT] = st_int(room_left(w));
  args[ST_P_CAPTURE_CLAIM_LOCK_TIMEOUT] = *ARG(LOCK_TIMEOUT);
  args[ST_P_CAPTURE_CLAIM_IDLE] = *ARG(IDLE);
  args[ST_P_CAPTURE_CLAIM_EXPECTS] = st_int(call->store->store->version);
  args[ST_P_CAPTURE_CLAIM_NOW] = w->by.now;
  args[ST_P_CAPTURE_CLAIM_REAP] = st_bool(!w->reaped); /* to see what is locked for too long all tickets are read */
  if (st_attempt(call, STELE_M_CAPTURE_CLAIM, args, row, &why)) {
    w->by.token = row[ST_R_CAPTURE_CLAIM_TOKEN];
    list_taken(w);
    if (w->dry_run) st_gather(&w->gathering);
  } else if (why.status != STELE_OK && st_ok(call)) {
    *call->error = why;
  }
  return !w->dry_run; /* also when there was none: locks that were too old were taken back */
}

static bool gather(st_call *call, void *user) {
  worker *w = user;
  (void)call;
  st_gather(&w->gathering);
  return true;
}

/* ---- Writing ---- */

typedef struct writing {
  worker *w;
  const st_bundle *bundle;     /* NULL: what is to be skipped */
  const st_learned *learned;
  st_learning how;
  const char *problem;         /* if nothing was learned: why */
  st_settled settled;
  int64_t skipped;
} writing;

static void skip_all(st_call *call, writing *to) {
  const st_gathering *g = &to->w->gathering;
  for (size_t i = 0; i < g->count && st_ok(call); i++) {
    if (!g->tickets[i].skip) continue;
    int64_t lost = to->settled.lost;
    st_learned_skip(call, &to->w->by, g->tickets[i].id, g->tickets[i].skip, &to->settled);
    to->skipped += to->settled.lost == lost;
  }
}

static void fail(st_call *call, writing *to) {
  st_holding by = to->w->by;
  if (to->how == ST_LEARN_HOPELESS) by.max_retries = st_int(1);
  st_learned_fail(call, &by, to->bundle, to->problem, &to->settled);
}

static bool write_one(st_call *call, void *user) {
  writing *to = user;
  to->settled = (st_settled){0};
  to->skipped = 0;
  if (!to->bundle) skip_all(call, to);
  else if (to->how == ST_LEARNED) st_learned_write(call, &to->w->by, &to->w->enricher, to->bundle, to->learned, &to->settled);
  else if (to->how == ST_LEARN_LATER) st_learned_release(call, &to->w->by, to->bundle, to->problem, &to->settled);
  else fail(call, to);
  return true;
}

static void keep(worker *w, writing *to) {
  if (!st_call_transaction(w->call, true, write_one, to)) return;
  w->skipped += to->skipped;
  w->settled.learned += to->settled.learned;
  w->settled.failed += to->settled.failed;
  w->settled.lost += to->settled.lost;
  w->settled.lessons += to->settled.lessons;
}

/* ---- Showing, in a dry run ---- */

static void show_skipped(worker *w) {
  const st_gathering *g = &w->gathering;
  for (size_t i = 0; i < g->count; i++) {
    if (!g->tickets[i].skip) continue;
    st_show_skipped(&w->shown, g->queue, g->tickets[i].id, g->tickets[i].skip);
    w->skipped++;
  }
}

static void show(worker *w, const writing *to) {
  if (to->how == ST_LEARNED) st_show_learned(&w->shown, &w->enricher, to->bundle, to->learned);
  else st_show_problem(&w->shown, to->bundle, to->problem);
  w->settled.learned += to->how == ST_LEARNED;
}

/* ---- A cycle ---- */

static bool is_stopped(worker *w) {
  if (!wants_stop(w)) return false;
  st_fail(w->call, STELE_CANCELLED, NULL, "stopped; what was learned so far is kept");
  st_hint(w->call, "the same call goes on from there");
  return true;
}

static void learn_one(worker *w, const st_bundle *bundle) {
  st_problem problem = {0};
  st_learned learned = {0};
  writing to = {.w = w, .bundle = bundle, .learned = &learned, .problem = problem.text};
  to.how = w->enricher.learn(w->enricher.user, w->call->arena, bundle, &learned, &problem);
  if (to.how == ST_LEARN_NOMEM) st_fail(w->call, STELE_NOMEM, NULL, "out of memory");
  if (to.how == ST_LEARN_BROKEN || to.how == ST_LEARN_LATER) st_problem_say(&w->problem, "%s", problem.text);
  if (!st_ok(w->call)) return;
  if (w->dry_run) show(w, &to);
  else keep(w, &to);
}

/* Once the others would fare no better, they wait again. */
static void learn_all(worker *w) {
  for (size_t i = 0; i < w->gathering.bundle_count && st_ok(w->call); i++) {
    const st_bundle *bundle = &w->gathering.bundles[i];
    if (w->dry_run && w->enricher.show) st_show_prompt(&w->shown, bundle, &w->enricher);
    else if (w->problem.text[0]) keep(w, &(writing){.w = w, .bundle = bundle, .how = ST_LEARN_LATER, .problem = w->problem.text});
    else learn_one(w, bundle);
  }
}

static void work_on(worker *w) {
  st_call *call = w->call;
  w->by.now = now_of(w);
  st_call_transaction(call, true, claim, w);
  if (!w->gathering.count || !st_ok(call)) return;
  w->claimed += (int64_t)w->gathering.count;
  if (!w->dry_run) st_call_transaction(call, false, gather, w);
  if (w->dry_run) show_skipped(w);
  else if (st_ok(call)) keep(w, &(writing){.w = w});
  learn_all(w);
}

/* True: it has more to do, as far as one can tell.  One in which all fails is left for another time. */
static bool cycle(worker *w, const char *queue, bool first) {
  st_arena *outer = w->call->arena;
  int64_t done = w->settled.learned + w->skipped;
  w->by.queue = st_textz(queue);
  w->reaped = !first;
  w->gathering.queue = queue;
  w->gathering.count = 0;
  w->call->arena = &w->arena; /* what a cycle needs is freed with it */
  work_on(w);
  w->call->arena = outer;
  st_arena_reset(&w->arena);
  return w->gathering.count && !w->problem.text[0] && w->settled.learned + w->skipped > done && !w->dry_run;
}

static void work(worker *w, bool wanted[QUEUES]) {
  for (bool any = true, first = true; any && st_ok(w->call); first = false) {
    any = false;
    for (int i = 0; i < QUEUES && st_ok(w->call); i++) {
      if (!wanted[i] || w->problem.text[0] || room_left(w) <= 0 || is_stopped(w)) continue;
      wanted[i] = cycle(w, NAMES[i], first);
      any = any || wanted[i];
    }
  }
}

/* ---- Who learns ---- */

/* False: it cannot be asked now, and w->problem says why; or the call has failed. */
static bool is_there(worker *w) {
  st_endpoint_end end = st_chat_check(w->model.chat, &w->problem);
  if (end == ST_ENDPOINT_NOMEM) st_fail(w->call, STELE_NOMEM, NULL, "out of memory");
  w->enricher.model = st_chat_model(w->model.chat);
  w->model.budget.model = w->enricher.model;
  return end == ST_ENDPOINT_ANSWERED && !is_stopped(w);
}

static void use_model(worker *w) {
  const stele_chat *said = &w->call->db->chat;
  st_problem why = {0};
  st_chat *chat = st_handle_chat(w->call, &why);
  if (!chat) {
    st_fail(w->call, st_problem_is_nomem(why.text) ? STELE_NOMEM : STELE_UNSUPPORTED, NULL, "%s", why.text);
    return;
  }
  w->model = (st_model_asking){.call = w->call,
                               .chat = chat,
                               .budget = {.calls_per_hour = ARG(CALLS_PER_HOUR)->integer,
                                          .tokens_per_hour = ARG(TOKENS_PER_HOUR)->integer,
                                          .calls_per_ticket = ARG(CALLS)->integer,
                                          .prompt_price = said->prompt_price,
                                          .answer_price = said->answer_price},
                               .by = &w->by,
                               .prompt_tokens = st_handle_prompt_tokens(w->call),
                               .answer_tokens = st_chat_answer_tokens(chat),
                               .beat_ms = ARG(LOCK_TIMEOUT)->integer * MILLIS / BEATS,
                               .now = now_of_worker,
                               .stopped = wants_stop,
                               .worker = w};
  w->enricher = st_model_enricher(&w->model);
}

/* ---- The method ---- */

static void reply_with(worker *w, bool paused) {
  if (w->problem.text[0]) st_note(w->call, "the rest waits: %s", w->problem.text);
  st_value bundles = {.type = ST_NULL};
  if (w->dry_run) {
    st_str_addz(&w->shown, w->shown.length ? "]" : "[]");
    bundles = st_take(w->call, &w->shown);
  }
  st_value *reply = st_reply(w->call);
  if (!reply) return;
  reply[ST_R_CAPTURE_ENRICH_CLAIMED] = st_int(w->claimed);
  reply[ST_R_CAPTURE_ENRICH_LEARNED] = st_int(w->settled.learned);
  reply[ST_R_CAPTURE_ENRICH_SKIPPED] = st_int(w->skipped);
  reply[ST_R_CAPTURE_ENRICH_FAILED] = st_int(w->settled.failed);
  reply[ST_R_CAPTURE_ENRICH_LOST] = st_int(w->settled.lost);
  reply[ST_R_CAPTURE_ENRICH_LESSONS] = st_int(w->settled.lessons);
  reply[ST_R_CAPTURE_ENRICH_PAUSED] = st_bool(paused);
  if (w->problem.text[0]) reply[ST_R_CAPTURE_ENRICH_PROBLEM] = st_call_text(w->call, w->problem.text, strlen(w->problem.text));
  reply[ST_R_CAPTURE_ENRICH_BUNDLES] = bundles;
}

void st_capture_enrich(st_call *call) {
  worker *w = st_call_alloc(call, sizeof *w);
  bool wanted[QUEUES] = {false};
  if (!w) return;
  *w = (worker){.call = call, .enricher = st_extractive, .dry_run = call->args[ST_P_CAPTURE_ENRICH_DRY_RUN].integer != 0};
  w->gathering.call = call;
  w->by.home = *ARG(HOME);
  w->by.project_roots = *ARG(PROJECT_ROOTS);
  w->by.max_retries = *ARG(MAX_RETRIES);
  st_arena_init(&w->arena, ARENA_MAX);
  st_str_init(&w->shown, SHOWN_MAX);
  if (strcmp(st_arg_text(call, ST_P_CAPTURE_ENRICH_USING), "model") == 0) use_model(w);
  bool paused = is_paused(w), asks = w->enricher.show && !w->dry_run;
  if (!paused && look(w, wanted) && (!asks || is_there(w))) {
    if (asks) st_feature_need(call, ST_F_CAPTURE_MODEL_USE);
    st_call_transaction(call, true, greet, w);
    work(w, wanted);
    if (w->stopped) is_stopped(w);
  }
  reply_with(w, paused);
  st_str_free(&w->shown);
  st_arena_free(&w->arena);
}
