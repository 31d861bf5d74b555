/* writer.c - batches become rows.  What a session has is asked once per transaction, and what was counted for it
** is written at the transaction's end; so a batch can be written again from its start, after a conflict or a
** crash, and nothing is there twice. */
#include "capture/writer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/json_pull.h"
#include "base/time.h"
#include "engine/feature.h"
#include "registry_ids.h"
#include "stores/conversation/conversation.h"

#define TRIES 20 /* of a batch, after conflicts */

/* A session, as far as this transaction has to do with it. */
typedef struct taken taken;
struct taken {
  taken *next;
  const st_job *job; /* where it was met */
  st_text native;
  int64_t number;
  st_value id;      /* here; null: it has none yet */
  bool gone;        /* it was deleted, and stays so */
  bool begun;       /* it has a message */
  int64_t copied;   /* messages that repeat the parent's; -1: no more */
  st_text parent;   /* by its own id */
  st_value given, title;
  double last_at;   /* 0: unknown */
  st_told_session facts;
  bool told;        /* facts are to be written */
  st_value told_copied;
  int64_t messages, calls, requests;
  st_told_usage usage; /* the sum of differences */
  uint64_t last_key;   /* of the last message told */
  int64_t last_message;
};

typedef struct writing {
  st_writer *writer;
  st_call *call;
  st_arena *arena;
  taken *sessions, **end; /* in the order they were met */
  taken *last;            /* that was asked for */
  const st_job *job; /* the last one that was given a number */
  st_counted counted;
  double now;
} writing;

/* ---- Values --------------------------------------------------------------------------------- */

static st_value text_value(st_text text) {
  if (!text.bytes || text.length == 0) return (st_value){.type = ST_NULL};
  return (st_value){.type = ST_TEXT, .bytes = text.bytes, .length = text.length};
}

static st_value null_value(void) { return (st_value){.type = ST_NULL}; }

static void *need(writing *w, void *memory) {
  if (!memory) st_fail(w->call, STELE_NOMEM, NULL, "out of memory");
  return memory;
}

/* A copy of a row's text, which lives as long as the batch. */
static st_value keep(writing *w, st_value value) {
  if (value.type != ST_TEXT) return value;
  value.bytes = need(w, st_arena_copy(w->arena, value.bytes, value.length));
  return value.bytes ? value : null_value();
}

/* The columns of a method's first row; false: there is none. */
static bool one_row(writing *w, int method, const st_value *args, st_value *columns, size_t count) {
  st_rows rows;
  st_rows_start(w->call, &rows, method, args);
  bool found = st_rows_next(w->call, &rows);
  for (size_t i = 0; found && i < count; i++) {
    st_rows_value(w->call, &rows, i, &columns[i]);
    columns[i] = keep(w, columns[i]);
  }
  st_rows_end(w->call, &rows);
  return found && st_ok(w->call);
}

static int64_t one_number(writing *w, int method, const st_value *args) {
  st_value value = st_int(0);
  return one_row(w, method, args, &value, 1) && value.type == ST_INT ? value.integer : 0;
}

static uint64_t hash_text(uint64_t hash, st_text text) {
  return st_hash64(text.bytes ? hash : hash + 1, text.bytes ? text.bytes : "", text.length);
}

static int64_t key_of(st_text key) { return (int64_t)st_hash64(0, key.bytes ? key.bytes : "", key.length); }

/* ---- Sessions ------------------------------------------------------------------------------- */

static int64_t number_of_file(writing *w, const st_job *job) {
  st_job *known = (st_job *)job; /* its number is nobody else's business until it is read again */
  if (!known->id)
    known->id = one_number(w, STELE_M_CONVERSATION_ADD_TRANSCRIPT,
                           (const st_value[]){st_textz(job->reader->harness), st_textz(job->path), st_real(w->now)});
  return known->id;
}

static void count_removed(writing *w, taken *t) {
  bool added = false;
  if (!st_numbers_add(&w->writer->removed, (uint64_t)t->number, &added)) need(w, NULL);
  if (added) w->counted.removed++;
}

/* What is known of a session that this transaction meets for the first time. */
static void look_up(writing *w, taken *t) {
  enum { COLUMNS = ST_R_CONVERSATION_FIND_ORIGIN_TITLE + 1 };
  st_value found[COLUMNS];
  st_value harness = st_textz(t->job->reader->harness);
  t->copied = -1;
  t->id = t->given = t->title = t->told_copied = null_value();
  if (!one_row(w, STELE_M_CONVERSATION_FIND_ORIGIN, (const st_value[]){harness, text_value(t->native)}, found, COLUMNS)) {
    t->number = one_number(w, STELE_M_CONVERSATION_ADD_ORIGIN,
                           (const st_value[]){harness, text_value(t->native), st_int(number_of_file(w, t->job))});
    return;
  }
  t->number = found[ST_R_CONVERSATION_FIND_ORIGIN_NUMBER].integer;
  t->id = found[ST_R_CONVERSATION_FIND_ORIGIN_SESSION_ID];
  t->given = found[ST_R_CONVERSATION_FIND_ORIGIN_GIVEN];
  t->title = found[ST_R_CONVERSATION_FIND_ORIGIN_TITLE];
  t->begun = found[ST_R_CONVERSATION_FIND_ORIGIN_BEGUN].integer != 0;
  t->copied = found[ST_R_CONVERSATION_FIND_ORIGIN_COPIED].integer;
  if (found[ST_R_CONVERSATION_FIND_ORIGIN_LAST_AT].type == ST_REAL)
    t->last_at = found[ST_R_CONVERSATION_FIND_ORIGIN_LAST_AT].real;
  const st_value *parent = &found[ST_R_CONVERSATION_FIND_ORIGIN_PARENT];
  if (parent->type == ST_TEXT) t->parent = (st_text){parent->bytes, parent->length};
  if (t->id.type != ST_TEXT || found[ST_R_CONVERSATION_FIND_ORIGIN_HERE].integer) return;
  if (w->writer->again) {
    st_run(w->call, STELE_M_CONVERSATION_FORGET_RECORDS, (const st_value[]){st_int(t->number)});
    t->id = t->given = null_value();
    t->begun = false;
    t->copied = -1;
  } else {
    t->gone = true;
    count_removed(w, t);
  }
}

static taken *find_session(writing *w, const st_item *item) {
  taken *t = w->last;
  if (t && t->native.bytes == item->session.bytes && t->job->reader == item->job->reader) return t;
  for (t = w->sessions; t; t = t->next)
    if (t->job->reader == item->job->reader && st_text_same(t->native, item->session)) break;
  if (!t) {
    t = need(w, st_arena_zero(w->arena, sizeof *t));
    if (!t) return NULL;
    t->job = item->job;
    t->native = item->session;
    *w->end = t;
    w->end = &t->next;
    look_up(w, t);
  }
  w->last = t;
  return st_ok(w->call) ? t : NULL;
}

static bool is_free(writing *w, st_value id) {
  return one_number(w, STELE_M_CONVERSATION_HAS_SESSION, (const st_value[]){id}) == 0;
}

/* The id it gets: its own, or if another session has that, with its harness before it. */
static st_value choose_id(writing *w, const taken *t) {
  st_value own = text_value(t->native);
  if (is_free(w, own) || !st_ok(w->call)) return own;
  size_t room = strlen(t->job->reader->harness) + t->native.length + 32;
  char *text = need(w, st_arena_alloc(w->arena, room));
  if (!text) return null_value();
  snprintf(text, room, "%s:%s", t->job->reader->harness, t->native.bytes);
  if (!is_free(w, st_textz(text))) snprintf(text, room, "%s:%s:%lld", t->job->reader->harness, t->native.bytes, (long long)t->number);
  return st_textz(text);
}

static void make_session(writing *w, taken *t, double started_at) {
  if (t->id.type == ST_TEXT) return;
  st_value harness = st_textz(t->job->reader->harness);
  t->id = choose_id(w, t);
  if (!(started_at > 0)) started_at = (double)t->job->modified / 1e9;
  st_run(w->call, STELE_M_CONVERSATION_TAKE_SESSION, (const st_value[]){t->id, harness, st_real(started_at)});
  st_run(w->call, STELE_M_CONVERSATION_NAME_ORIGIN, (const st_value[]){st_int(t->number), t->id});
  st_run(w->call, STELE_M_CONVERSATION_LINK_CHILDREN, (const st_value[]){t->id, harness, text_value(t->native)});
  if (t->parent.length)
    st_run(w->call, STELE_M_CONVERSATION_LINK_SESSION, (const st_value[]){t->id, harness, text_value(t->parent)});
  if (t->given.type == ST_TEXT && !t->facts.title.length) { /* told before it was here */
    t->facts.title = (st_text){t->given.bytes, t->given.length};
    t->given = null_value();
    t->told = true;
  }
  w->counted.sessions++;
}

static void merge(st_text *into, st_text text) {
  if (text.length) *into = text;
}

static void set_parent(writing *w, taken *t, st_text parent, st_link link) {
  if (!parent.length || t->parent.length || st_text_same(parent, t->native)) return;
  t->parent = t->facts.parent = parent;
  t->facts.link = link;
  t->told = true;
  if (t->id.type == ST_TEXT)
    st_run(w->call, STELE_M_CONVERSATION_LINK_SESSION,
           (const st_value[]){t->id, st_textz(t->job->reader->harness), text_value(parent)});
}

static void write_facts(writing *w, taken *t, const st_told_session *told) {
  merge(&t->facts.title, told->title);
  merge(&t->facts.cwd, told->cwd);
  merge(&t->facts.branch, told->branch);
  merge(&t->facts.model, told->model);
  merge(&t->facts.version, told->version);
  merge(&t->facts.agent, told->agent);
  merge(&t->facts.system_prompt, told->system_prompt);
  if (told->started_at > 0) t->facts.started_at = told->started_at;
  t->told = true;
  set_parent(w, t, told->parent, told->link);
  bool says = told->cwd.length || told->branch.length || told->model.length || told->version.length ||
              told->agent.length || told->system_prompt.length || told->started_at > 0;
  if (says) make_session(w, t, told->started_at);
}

/* ---- Titles --------------------------------------------------------------------------------- */

static bool has_title(writing *w, st_value title, st_value session) {
  st_value other;
  return one_row(w, STELE_M_CONVERSATION_FIND_TITLE, (const st_value[]){title, session}, &other, 1);
}

/* A title that no other session has; null if there is none. */
static st_value free_title(writing *w, st_text told, st_value session, st_text native) {
  st_value text = text_value(told);
  st_value title = st_conversation_fit_title(w->call, &text);
  if (title.type != ST_TEXT || !has_title(w, title, session)) return keep(w, title);
  char with[700];
  size_t length = title.length;
  if (length > 85) length = 85; /* bytes: surely not more characters */
  while (length && ((unsigned char)title.bytes[length] & 0xC0) == 0x80) length--;
  snprintf(with, sizeof with, "%.*s (%.*s)", (int)length, title.bytes, native.length < 8 ? (int)native.length : 8, native.bytes);
  title = st_textz(with);
  text = st_conversation_fit_title(w->call, &title);
  return text.type != ST_TEXT || has_title(w, text, session) ? null_value() : keep(w, text);
}

/* The title to write now: not where the user chose one. */
static st_value next_title(writing *w, taken *t) {
  if (!t->facts.title.length || t->id.type != ST_TEXT) return null_value();
  bool ours = t->title.type != ST_TEXT ||
              (t->given.type == ST_TEXT && t->given.length == t->title.length &&
               memcmp(t->given.bytes, t->title.bytes, t->title.length) == 0);
  return ours ? free_title(w, t->facts.title, t->id, t->native) : null_value();
}

/* ---- Copies of another session -------------------------------------------------------------- */

static const char *link_name(st_link link) {
  static const char *const names[] = {NULL, "subagent", "compaction", "resume", "fork"};
  return names[link];
}

/* The first message of a session: if another begins with it too, this one goes on from there. */
static void begin_messages(writing *w, taken *t, int64_t key, double timestamp) {
  st_value harness = st_textz(t->job->reader->harness), other;
  t->begun = true;
  st_run(w->call, STELE_M_CONVERSATION_BEGIN_ORIGIN, (const st_value[]){st_int(t->number), st_int(key)});
  t->told = true;
  if (!(t->facts.started_at > 0)) t->facts.started_at = timestamp;
  if (t->parent.length) {
    if (t->facts.link == ST_LINK_RESUME) t->copied = 0, t->told_copied = st_int(0);
    return;
  }
  if (!one_row(w, STELE_M_CONVERSATION_FIND_COPIED_ORIGIN,
               (const st_value[]){harness, st_int(key), text_value(t->native)}, &other, 1))
    return;
  set_parent(w, t, (st_text){other.bytes, other.length}, ST_LINK_RESUME);
  t->copied = 0;
  t->told_copied = st_int(0);
}

/* While it repeats the other's messages they are counted.  Its first own message tells what it is: it goes on where
** the other ended, or branched off before. */
static void follow_copies(writing *w, taken *t, int64_t key) {
  st_value harness = st_textz(t->job->reader->harness), parent = text_value(t->parent);
  if (one_number(w, STELE_M_CONVERSATION_HAS_RECORD, (const st_value[]){harness, parent, st_int(key)})) {
    t->copied++;
  } else {
    if (one_number(w, STELE_M_CONVERSATION_COUNT_RECORDS, (const st_value[]){harness, parent}) > t->copied)
      t->facts.link = ST_LINK_FORK;
    t->copied = -1;
  }
  t->told_copied = st_int(t->copied);
  t->told = true;
}

/* ---- Messages ------------------------------------------------------------------------------- */

static int64_t count_calls(st_text calls) {
  int64_t count = 0;
  st_pull walk = st_pull_into(calls);
  while (st_pull_next(&walk)) count++;
  return count;
}

static uint64_t hash_message(const st_told_message *m) {
  uint64_t hash = m->is_json ? 3 : 2;
  const st_text *const texts[] = {&m->role,         &m->content,   &m->tool_calls,   &m->tool_call_id,
                                  &m->tool_name,    &m->reasoning, &m->finish_reason};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) hash = hash_text(hash, *texts[i]);
  int64_t micros = (int64_t)(m->timestamp * 1e6);
  return st_hash64(hash, &micros, sizeof micros);
}

/* Content that is JSON is kept behind a mark. */
static st_value content_of(writing *w, const st_told_message *m) {
  if (!m->is_json || !m->content.bytes) {
    return m->content.bytes ? (st_value){.type = ST_TEXT, .bytes = m->content.bytes, .length = m->content.length}
                            : null_value();
  }
  size_t mark = sizeof ST_CONTENT_MARK - 1;
  char *text = need(w, st_arena_alloc(w->arena, mark + m->content.length + 1));
  if (!text) return null_value();
  memcpy(text, ST_CONTENT_MARK, mark);
  memcpy(text + mark, m->content.bytes, m->content.length);
  text[mark + m->content.length] = '\0';
  return (st_value){.type = ST_TEXT, .bytes = text, .length = mark + m->content.length};
}

static void fill(writing *w, const taken *t, const st_told_message *m, st_value first, st_value values[9]) {
  double at = m->timestamp > 0 ? m->timestamp : t->last_at > 0 ? t->last_at : (double)t->job->modified / 1e9;
  const st_value all[9] = {first,
                           text_value(m->role),
                           content_of(w, m),
                           text_value(m->tool_call_id),
                           text_value(m->tool_calls),
                           text_value(m->tool_name),
                           st_real(at),
                           text_value(m->finish_reason),
                           text_value(m->reasoning)};
  memcpy(values, all, sizeof all);
}

static void retake(writing *w, taken *t, const st_told_message *m, int64_t message, int64_t key, int64_t content) {
  st_value values[9], before = null_value();
  one_row(w, STELE_M_CONVERSATION_GET_TOOL_CALLS, (const st_value[]){st_int(message)}, &before, 1);
  fill(w, t, m, st_int(message), values);
  if (st_run(w->call, STELE_M_CONVERSATION_RETAKE_MESSAGE, values) == 0) return; /* it was deleted */
  st_run(w->call, STELE_M_CONVERSATION_ADD_RECORD,
         (const st_value[]){st_int(t->number), st_int(key), st_int(message), st_int(content)});
  t->calls += count_calls(m->tool_calls);
  if (before.type == ST_TEXT) t->calls -= count_calls((st_text){before.bytes, before.length});
  w->counted.updated++;
}

static void take(writing *w, taken *t, const st_told_message *m, int64_t key, int64_t content) {
  st_value values[9];
  fill(w, t, m, t->id, values);
  t->last_message = one_number(w, STELE_M_CONVERSATION_TAKE_MESSAGE, values);
  st_run(w->call, STELE_M_CONVERSATION_ADD_RECORD,
         (const st_value[]){st_int(t->number), st_int(key), st_int(t->last_message), st_int(content)});
  t->messages++;
  t->calls += count_calls(m->tool_calls);
  w->counted.messages++;
}

/* A title may be waiting for this message. */
static void wake_title(writing *w, const taken *t, int64_t key) {
  st_run(w->call, STELE_M_CONVERSATION_WAKE_FAR_TITLE,
         (const st_value[]){st_textz(t->job->reader->harness), st_int(key)});
  w->writer->due = true;
}

static void write_message(writing *w, taken *t, const st_told_message *m) {
  int64_t key = key_of(m->key), content = (int64_t)hash_message(m);
  st_value known[2];
  make_session(w, t, t->facts.started_at > 0 ? t->facts.started_at : m->timestamp);
  if (!t->begun) begin_messages(w, t, key, m->timestamp);
  t->last_key = (uint64_t)key;
  if (one_row(w, STELE_M_CONVERSATION_FIND_RECORD, (const st_value[]){st_int(t->number), st_int(key)}, known, 2)) {
    t->last_message = known[0].integer;
    if (known[1].integer != content) retake(w, t, m, known[0].integer, key, content);
  } else {
    if (t->copied >= 0) follow_copies(w, t, key);
    take(w, t, m, key, content);
    if (st_numbers_has(&w->writer->awaited, (uint64_t)key)) wake_title(w, t, key);
  }
  if (m->timestamp > t->last_at) t->last_at = m->timestamp;
}

/* Withdrawn once: a file that is read anew says it again. */
static void write_withdraw(writing *w, taken *t, int64_t count) {
  int64_t key = (int64_t)st_hash64(t->last_key, &count, sizeof count);
  st_value known[2];
  if (t->id.type != ST_TEXT || t->last_message == 0) return;
  if (one_row(w, STELE_M_CONVERSATION_FIND_RECORD, (const st_value[]){st_int(t->number), st_int(key)}, known, 2)) return;
  st_feature_need(w->call, ST_F_CONVERSATION_REWIND);
  st_run(w->call, STELE_M_CONVERSATION_WITHDRAW_TURNS,
         (const st_value[]){t->id, st_int(t->last_message), st_int(count)});
  st_run(w->call, STELE_M_CONVERSATION_ADD_RECORD,
         (const st_value[]){st_int(t->number), st_int(key), st_int(0), st_int(0)});
}

/* ---- Usage ---------------------------------------------------------------------------------- */

static void write_usage(writing *w, taken *t, const st_told_usage *u) {
  st_value key = st_int(key_of(u->key)), before[6];
  make_session(w, t, t->facts.started_at);
  const int64_t now[5] = {u->input, u->output, u->cache_read, u->cache_write, u->reasoning};
  int64_t *const sums[5] = {&t->usage.input, &t->usage.output, &t->usage.cache_read, &t->usage.cache_write,
                            &t->usage.reasoning};
  bool known = one_row(w, STELE_M_CONVERSATION_FIND_USAGE, (const st_value[]){st_int(t->number), key}, before, 6);
  bool same = known && before[5].real == u->cost;
  for (int i = 0; i < 5; i++) {
    *sums[i] += now[i] - (known ? before[i].integer : 0);
    same = same && before[i].integer == now[i];
  }
  t->usage.cost += u->cost - (known ? before[5].real : 0);
  merge(&t->facts.model, u->model);
  t->told = true;
  if (!known) t->requests++;
  if (same) return;
  st_run(w->call, STELE_M_CONVERSATION_PUT_USAGE,
         (const st_value[]){st_int(t->number), key, st_int(now[0]), st_int(now[1]), st_int(now[2]), st_int(now[3]),
                            st_int(now[4]), st_real(u->cost)});
}

/* ---- The end of a transaction --------------------------------------------------------------- */

static void write_session(writing *w, taken *t) {
  st_value title = next_title(w, t);
  st_value given = t->id.type == ST_TEXT ? title : text_value(t->facts.title); /* kept until it is here */
  if (t->told)
    st_run(w->call, STELE_M_CONVERSATION_TELL_ORIGIN,
           (const st_value[]){st_int(t->number), text_value(t->facts.cwd), text_value(t->facts.branch),
                              text_value(t->facts.version), text_value(t->facts.agent),
                              st_textz(link_name(t->facts.link)), text_value(t->facts.parent), given,
                              t->told_copied});
  if (t->id.type != ST_TEXT) return;
  const st_told_usage *u = &t->usage;
  st_run(w->call, STELE_M_CONVERSATION_TELL_SESSION,
         (const st_value[]){t->id, text_value(t->facts.model), text_value(t->facts.system_prompt), title,
                            t->facts.started_at > 0 ? st_real(t->facts.started_at) : null_value(),
                            t->last_at > 0 ? st_real(t->last_at) : null_value(), st_int(t->messages), st_int(t->calls),
                            st_int(t->requests), st_int(u->input), st_int(u->output), st_int(u->cache_read),
                            st_int(u->cache_write), st_int(u->reasoning),
                            u->cost != 0 ? st_real(u->cost) : null_value()});
}

static void write_mark(writing *w, const st_item *item) {
  const st_reached *m = &item->mark;
  int64_t id = number_of_file(w, item->job);
  st_run(w->call, STELE_M_CONVERSATION_MARK_TRANSCRIPT,
         (const st_value[]){st_int(id), st_int(m->device), st_int(m->inode), st_int(m->done ? m->size : -1),
                            st_int(m->modified), st_int(m->consumed), st_int(m->records), st_int((int64_t)m->checked),
                            text_value(m->state), st_int(m->bad), st_int(m->aside),
                            st_int(m->anew), text_value(m->problem), st_int(m->unfinished), st_real(w->now)});
}

static void write_far_title(writing *w, const st_item *item) {
  int64_t key = key_of(item->key);
  st_run(w->call, STELE_M_CONVERSATION_PUT_FAR_TITLE,
         (const st_value[]){st_textz(item->job->reader->harness), st_int(key), text_value(item->title)});
  if (!st_numbers_add(&w->writer->awaited, (uint64_t)key, NULL)) need(w, NULL);
  w->writer->due = true;
}

static void write_item(writing *w, const st_item *item) {
  if (item->kind == ST_ITEM_MARK) {
    write_mark(w, item);
    return;
  }
  if (item->kind == ST_ITEM_TITLE) {
    if (item->title.length) write_far_title(w, item);
    return;
  }
  taken *t = find_session(w, item);
  if (!t || t->gone) return;
  switch (item->kind) {
    case ST_ITEM_SESSION: write_facts(w, t, &item->told); break;
    case ST_ITEM_MESSAGE: write_message(w, t, &item->message); break;
    case ST_ITEM_USAGE: write_usage(w, t, &item->usage); break;
    default: write_withdraw(w, t, item->count);
  }
}

static void write_removals(writing *w, const st_batch *batch) {
  if (batch->removals) st_feature_need(w->call, ST_F_CONVERSATION_REDACTIONS);
  for (const st_removal *r = batch->removals; r && st_ok(w->call); r = r->next)
    st_run(w->call, STELE_M_CONVERSATION_COUNT_REDACTION, (const st_value[]){st_textz(r->rule), st_int(r->count)});
}

static void write_once(st_writer *writer, st_batch *batch, st_counted *counted) {
  writing w = {.writer = writer, .call = writer->call, .arena = &batch->arena, .now = (double)st_time_now() / 1e6};
  w.end = &w.sessions;
  st_call_begin(w.call, true);
  if (!st_ok(w.call)) return;
  for (const st_item *item = batch->first; item && st_ok(w.call); item = item->next) write_item(&w, item);
  for (taken *t = w.sessions; t && st_ok(w.call); t = t->next)
    if (!t->gone) write_session(&w, t);
  write_removals(&w, batch);
  st_call_end(w.call);
  *counted = w.counted;
}

/* Conflicts are for PostgreSQL: the batch is still there, and is written again.  The numbers that files were given
** in what was undone are not theirs. */
static void forget_numbers(st_batch *batch, const st_numbers *known) {
  for (st_item *item = batch->first; item; item = item->next)
    if (!st_numbers_has(known, (uint64_t)item->job->id)) item->job->id = 0;
}

static bool remember_numbers(st_batch *batch, st_numbers *known) {
  for (st_item *item = batch->first; item; item = item->next)
    if (item->job->id && !st_numbers_add(known, (uint64_t)item->job->id, NULL)) return false;
  return true;
}

void st_writer_write(st_writer *writer, st_batch *batch) {
  st_call *call = writer->call;
  st_counted counted = {0};
  st_numbers known = {0};
  if (!batch->first && !batch->removals) return;
  if (!remember_numbers(batch, &known)) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  for (unsigned tries = 0; st_ok(call); tries++) {
    write_once(writer, batch, &counted);
    if (st_ok(call) || !call->again || tries == TRIES) break;
    memset(call->error, 0, sizeof *call->error);
    call->again = false;
    forget_numbers(batch, &known);
    usleep(1000u << (tries < 7 ? tries : 7));
  }
  st_numbers_free(&known);
  if (!st_ok(call)) return;
  call->again = false;
  writer->counted.sessions += counted.sessions;
  writer->counted.messages += counted.messages;
  writer->counted.updated += counted.updated;
  writer->counted.removed += counted.removed;
}

/* ---- Titles that name a message of another session ------------------------------------------ */

void st_writer_begin(st_writer *writer) {
  st_rows rows;
  st_value key, due;
  st_rows_start(writer->call, &rows, STELE_M_CONVERSATION_LIST_FAR_TITLES, NULL);
  while (st_rows_next(writer->call, &rows)) {
    st_rows_value(writer->call, &rows, ST_R_CONVERSATION_LIST_FAR_TITLES_KEY, &key);
    st_rows_value(writer->call, &rows, ST_R_CONVERSATION_LIST_FAR_TITLES_DUE, &due);
    if (due.integer) writer->due = true; /* an import was stopped before its end */
    if (!st_numbers_add(&writer->awaited, (uint64_t)key.integer, NULL))
      st_fail(writer->call, STELE_NOMEM, NULL, "out of memory");
  }
  st_rows_end(writer->call, &rows);
}

static st_value awaited_list(st_writer *writer) {
  st_value list = {.type = ST_LIST, .width = 1};
  st_value *items = st_call_alloc(writer->call, (writer->awaited.count + 1) * sizeof *items);
  uint32_t count = 0;
  for (size_t i = 0; items && i < writer->awaited.room; i++)
    if (writer->awaited.slots[i]) items[count++] = st_int((int64_t)writer->awaited.slots[i]);
  list.items = items;
  list.count = count;
  return list;
}

typedef struct found found;
struct found {
  found *next;
  st_value columns[ST_R_CONVERSATION_FIND_FAR_TITLES_NUMBER + 1];
};

static void give_titles(st_writer *writer) {
  st_value list = awaited_list(writer);
  writing w = {.writer = writer, .call = writer->call, .arena = writer->call->arena};
  found *first = NULL, **last = &first;
  st_rows rows;
  st_call_begin(w.call, true);
  if (!st_ok(w.call)) return;
  st_rows_start(w.call, &rows, STELE_M_CONVERSATION_FIND_FAR_TITLES, &list);
  while (st_rows_next(w.call, &rows)) {
    found *f = st_call_alloc(w.call, sizeof *f);
    if (!f) break;
    for (size_t i = 0; i < sizeof f->columns / sizeof *f->columns; i++) {
      st_rows_value(w.call, &rows, i, &f->columns[i]);
      f->columns[i] = keep(&w, f->columns[i]);
    }
    *last = f;
    last = &f->next;
  }
  st_rows_end(w.call, &rows);
  for (found *f = first; f && st_ok(w.call); f = f->next) {
    const st_value *c = f->columns;
    const st_value *session = &c[ST_R_CONVERSATION_FIND_FAR_TITLES_SESSION_ID];
    st_text told = {c[ST_R_CONVERSATION_FIND_FAR_TITLES_TITLE].bytes, c[ST_R_CONVERSATION_FIND_FAR_TITLES_TITLE].length};
    st_value title = free_title(&w, told, *session, (st_text){session->bytes, session->length});
    st_run(w.call, STELE_M_CONVERSATION_SETTLE_FAR_TITLE, c);
    if (title.type != ST_TEXT) continue;
    st_run(w.call, STELE_M_CONVERSATION_WRITE_TITLE, (const st_value[]){*session, title});
    st_run(w.call, STELE_M_CONVERSATION_TELL_ORIGIN,
           (const st_value[]){c[ST_R_CONVERSATION_FIND_FAR_TITLES_NUMBER], null_value(), null_value(), null_value(),
                              null_value(), null_value(), null_value(), title, null_value()});
  }
  st_run(w.call, STELE_M_CONVERSATION_REST_FAR_TITLES, NULL);
  st_call_end(w.call);
}

void st_writer_end(st_writer *writer) {
  if (st_ok(writer->call) && writer->due) give_titles(writer);
}

void st_writer_free(st_writer *writer) {
  st_numbers_free(&writer->removed);
  st_numbers_free(&writer->awaited);
}
