/* taking.c - what readers tell goes into the batch: copied, redacted, repeated facts dropped. */
#include "capture/taking.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

#define PROBLEMS_MAX 100 /* bad places told of one batch; the others are only counted */

/* ---- Texts ---------------------------------------------------------------------------------- */

bool st_taking_nomem(st_taking *t) {
  t->nomem = true;
  return false;
}

static bool copy(st_taking *t, st_text text, st_text *out) {
  *out = (st_text){0};
  if (!text.bytes) return true;
  return st_keep_text(&t->batch->arena, text, out) ? true : st_taking_nomem(t);
}

/* The seam: every text that came from a transcript and is stored passes here, and loses its secrets. */
static bool keep(st_taking *t, st_text text, bool json, st_text *out) {
  st_redacted clean;
  *out = (st_text){0};
  if (!text.bytes) return true;
  bool done = json ? st_redact_json(t->scratch, &t->batch->arena, text.bytes, text.length, &clean)
                   : st_redact_text(t->scratch, &t->batch->arena, text.bytes, text.length, &clean);
  if (!done) return st_taking_nomem(t);
  bool copied = clean.text != text.bytes && !memchr(clean.text, '\0', clean.length);
  if (!copied) return copy(t, (st_text){clean.text, clean.length}, out);
  *out = (st_text){clean.text, clean.length};
  return true;
}

/* What was removed since the batch before goes with the rows that it was removed from. */
static void count_redactions(st_taking *t) {
  for (size_t i = 0; i < st_redactor_count(t->redactor); i++) {
    int64_t count = st_redact_count(t->scratch, i);
    if (count == 0) continue;
    st_removal *removal = st_arena_zero(&t->batch->arena, sizeof *removal);
    if (!removal) {
      t->nomem = true;
      return;
    }
    *removal = (st_removal){t->batch->removals, st_redactor_rule(t->redactor, i).name, count};
    t->batch->removals = removal;
    t->batch->redacted += count;
  }
  st_redact_forget(t->scratch);
}

/* ---- Items ---------------------------------------------------------------------------------- */

st_item *st_taking_item(st_taking *t, st_item_kind kind) {
  if (!t->batch) return NULL;
  st_item *item = st_arena_zero(&t->batch->arena, sizeof *item);
  if (!item) {
    t->nomem = true;
    return NULL;
  }
  item->kind = kind;
  item->job = t->job;
  if (t->batch->last) t->batch->last->next = item;
  else t->batch->first = item;
  t->batch->last = item;
  return item;
}

/* The session's id; most items are of the same one as the item before. */
static bool add_session(st_taking *t, st_item *item, st_text id) {
  if (!t->session.bytes || !st_text_same(t->session, id))
    if (!copy(t, id, &t->session)) return false;
  item->session = t->session;
  return true;
}

static uint64_t hash_id(st_text id) { return st_hash64(1, id.bytes, id.length); }

/* Where the facts of a session are remembered; a new place for one that is not among the last. */
static unsigned place_of(st_taking *t, st_text id) {
  uint64_t hash = hash_id(id);
  for (unsigned i = 0; i < ST_TAKING_SESSIONS; i++)
    if (t->told[i].id == hash) return i;
  unsigned place = t->next_told++ % ST_TAKING_SESSIONS;
  t->told[place].id = hash;
  t->told[place].facts = 0;
  return place;
}

static bool is_dropped(const st_taking *t, st_text id) { return t->dropped.count && st_numbers_has(&t->dropped, hash_id(id)); }

/* From now on nothing of the session is taken. */
static bool drop(st_taking *t, st_text id) {
  t->batch->ignored++;
  return st_numbers_add(&t->dropped, hash_id(id), NULL) ? true : st_taking_nomem(t);
}

static uint64_t hash_text(uint64_t hash, st_text text) { return st_hash64(hash, text.bytes ? text.bytes : "", text.length); }

static uint64_t hash_facts(const st_told_session *s) {
  uint64_t hash = hash_text((uint64_t)s->link + 2, s->id);
  const st_text *const facts[] = {&s->parent, &s->title, &s->cwd, &s->branch, &s->model, &s->version, &s->agent,
                                  &s->system_prompt};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) hash = hash_text(hash, *facts[i]);
  return st_hash64(hash, &s->started_at, sizeof s->started_at);
}

/* ---- What readers tell ---------------------------------------------------------------------- */

static bool take_session(st_taker *taker, const st_told_session *told) {
  st_taking *t = (st_taking *)taker;
  unsigned place = place_of(t, told->id);
  uint64_t facts = hash_facts(told);
  if (t->told[place].facts == facts) return true;
  t->told[place].facts = facts;
  if (is_dropped(t, told->id)) return true;
  if (told->cwd.length && st_ignore_project(&t->ignore, told->cwd)) return drop(t, told->id);
  st_item *item = st_taking_item(t, ST_ITEM_SESSION);
  if (!item || !add_session(t, item, told->id)) return false;
  st_told_session *to = &item->told;
  *to = *told;
  to->id = item->session;
  bool kept = copy(t, told->parent, &to->parent) && keep(t, told->title, false, &to->title) &&
              keep(t, told->cwd, false, &to->cwd) && keep(t, told->branch, false, &to->branch) &&
              copy(t, told->model, &to->model) && copy(t, told->version, &to->version) &&
              keep(t, told->agent, false, &to->agent) && keep(t, told->system_prompt, false, &to->system_prompt);
  if (kept && st_taking_cuts(t)) st_segmenter_session(&t->segmenter, to);
  return kept && st_taking_touch(t, told->id);
}

static bool take_message(st_taker *taker, st_text session, const st_told_message *told) {
  st_taking *t = (st_taking *)taker;
  if (is_dropped(t, session)) return true;
  if (t->flows && !st_taking_send(t, false)) return false;
  st_item *item = st_taking_item(t, ST_ITEM_MESSAGE);
  if (!item || !add_session(t, item, session)) return false;
  st_told_message *to = &item->message;
  *to = *told;
  t->batch->records++;
  return copy(t, told->key, &to->key) && copy(t, told->role, &to->role) &&
         keep(t, told->content, told->is_json, &to->content) && keep(t, told->tool_calls, true, &to->tool_calls) &&
         copy(t, told->tool_call_id, &to->tool_call_id) && copy(t, told->tool_name, &to->tool_name) &&
         keep(t, told->reasoning, false, &to->reasoning) && copy(t, told->finish_reason, &to->finish_reason) &&
         st_taking_cut(t, session, to, told->tool_calls) && st_taking_touch(t, session);
}

static bool take_usage(st_taker *taker, st_text session, const st_told_usage *told) {
  st_taking *t = (st_taking *)taker;
  if (is_dropped(t, session)) return true;
  st_item *item = st_taking_item(t, ST_ITEM_USAGE);
  if (!item || !add_session(t, item, session)) return false;
  item->usage = *told;
  if (st_taking_cuts(t)) st_segmenter_usage(&t->segmenter, told);
  return copy(t, told->key, &item->usage.key) && copy(t, told->model, &item->usage.model);
}

static bool take_withdraw(st_taker *taker, st_text session, int64_t count) {
  st_taking *t = (st_taking *)taker;
  if (is_dropped(t, session)) return true;
  st_item *item = st_taking_item(t, ST_ITEM_WITHDRAW);
  if (!item || !add_session(t, item, session)) return false;
  item->count = count;
  return true;
}

static bool take_title_of(st_taker *taker, st_text key, st_text title) {
  st_taking *t = (st_taking *)taker;
  st_item *item = st_taking_item(t, ST_ITEM_TITLE);
  return item && copy(t, key, &item->key) && keep(t, title, false, &item->title);
}

static bool take_aside(st_taker *taker) {
  st_taking *t = (st_taking *)taker;
  if (!t->batch) return false;
  t->batch->aside++;
  t->mark.aside++;
  return true;
}

static bool take_aside_at(st_taker *taker, double timestamp) {
  st_taking *t = (st_taking *)taker;
  if (st_taking_cuts(t)) st_segmenter_record(&t->segmenter, timestamp);
  return true;
}

static bool take_bad(st_taker *taker, const char *why) {
  st_taking *t = (st_taking *)taker;
  return st_taking_bad(t, t->source.record, why);
}

bool st_taking_init(st_taking *t, st_channel *channel, const st_redactor *redactor) {
  *t = (st_taking){.channel = channel, .redactor = redactor, .most = ST_BATCH_FIRST};
  t->scratch = st_redact_scratch_new(redactor);
  t->taker = (st_taker){.session = take_session,
                        .message = take_message,
                        .usage = take_usage,
                        .withdraw = take_withdraw,
                        .aside = take_aside,
                        .aside_at = take_aside_at,
                        .bad = take_bad,
                        .title_of = take_title_of};
  return st_taking_init_segments(t) && t->scratch != NULL;
}

void st_taking_free(st_taking *t) {
  st_numbers_free(&t->dropped);
  st_taking_free_segments(t);
  st_redact_scratch_free(t->scratch);
}

/* ---- Places, marks, batches ----------------------------------------------------------------- */

bool st_taking_bad(st_taking *t, int64_t line, const char *why) {
  if (!t->batch) return false;
  st_batch *batch = t->batch;
  snprintf(t->problem, sizeof t->problem, "line %lld: %s", (long long)line, why);
  if (line == 0) snprintf(t->problem, sizeof t->problem, "%s", why);
  t->mark.bad++;
  if (batch->bad++ >= PROBLEMS_MAX) return true;
  char place[32] = "";
  if (line) snprintf(place, sizeof place, "%lld:", (long long)line);
  size_t room = strlen(t->job->path) + strlen(place) + strlen(why) + 3;
  st_problem *problem = st_arena_zero(&batch->arena, sizeof *problem);
  char *text = st_arena_alloc(&batch->arena, room);
  if (!problem || !text) return st_taking_nomem(t);
  snprintf(text, room, "%s:%s %s", t->job->path, place, why);
  problem->text = text;
  if (batch->last_problem) batch->last_problem->next = problem;
  else batch->problems = problem;
  batch->last_problem = problem;
  return true;
}

void st_taking_begin(st_taking *t, st_job *job) {
  t->job = job;
  memset(t->told, 0, sizeof t->told);
  st_numbers_free(&t->dropped);
  st_taking_forget_segments(t);
  t->flows = false;
  t->mark = (st_reached){0};
  t->problem[0] = '\0';
}

bool st_taking_mark(st_taking *t, bool done) {
  if (!t->batch || !st_taking_mark_segments(t)) return false;
  st_item *item = st_taking_item(t, ST_ITEM_MARK);
  if (!item) return false;
  item->mark = t->mark;
  item->mark.done = done;
  t->mark.bad = t->mark.aside = 0; /* counted since the mark before */
  t->mark.anew = false;
  return copy(t, t->mark.state, &item->mark.state) && copy(t, t->mark.session, &item->mark.session) &&
         copy(t, t->problem[0] ? st_text_of(t->problem) : (st_text){0}, &item->mark.problem);
}

bool st_taking_is_full(const st_taking *t) {
  return t->batch && (t->batch->records >= t->most || t->batch->arena.used >= ST_BATCH_BYTES);
}

void st_taking_end(st_taking *t) {
  if (!t->batch) return;
  count_redactions(t);
  t->batch->end = true;
  t->batch->nomem = t->nomem;
  st_channel_send(t->channel, t->batch);
  t->batch = NULL;
}

bool st_taking_send(st_taking *t, bool now) {
  if (!t->batch) return false;
  if (!now && !st_taking_is_full(t)) return true;
  count_redactions(t);
  st_channel_send(t->channel, t->batch);
  t->batch = st_channel_empty_batch(t->channel);
  t->session = (st_text){0};
  t->ncalls = 0;
  t->most = t->most < ST_BATCH_RECORDS / 2 ? t->most * 2 : ST_BATCH_RECORDS;
  return t->batch != NULL;
}
