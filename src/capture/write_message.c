/* write_message.c - messages and usage: new, told anew, copied from another session, withdrawn. */
#include <string.h>

#include "base/json_pull.h"
#include "capture/writing.h"
#include "engine/feature.h"
#include "registry_ids.h"

/* ---- Copies of another session -------------------------------------------------------------- */

/* The first message of a session: if another begins with it too, this one goes on from there. */
static void begin_messages(st_writing *w, st_taken *t, int64_t key, double timestamp) {
  st_value harness = st_textz(t->job->reader->harness), other;
  t->begun = true;
  st_run(w->call, STELE_M_CONVERSATION_BEGIN_ORIGIN, (const st_value[]){st_int(t->number), st_int(key)});
  t->told = true;
  if (!(t->facts.started_at > 0)) t->facts.started_at = timestamp;
  if (t->parent.length) {
    if (t->facts.link == ST_LINK_RESUME) t->copied = 0, t->told_copied = st_int(0);
    return;
  }
  if (!st_writing_row(w, STELE_M_CONVERSATION_FIND_COPIED_ORIGIN,
               (const st_value[]){harness, st_int(key), st_value_text(t->native)}, &other, 1))
    return;
  st_writing_parent(w, t, (st_text){other.bytes, other.length}, ST_LINK_RESUME);
  t->copied = 0;
  t->told_copied = st_int(0);
}

/* While it repeats the other's messages they are counted.  Its first own message tells what it is: it goes on where
** the other ended, or branched off before. */
static void follow_copies(st_writing *w, st_taken *t, int64_t key) {
  st_value harness = st_textz(t->job->reader->harness), parent = st_value_text(t->parent);
  if (st_writing_number(w, STELE_M_CONVERSATION_HAS_RECORD, (const st_value[]){harness, parent, st_int(key)})) {
    t->copied++;
  } else {
    if (st_writing_number(w, STELE_M_CONVERSATION_COUNT_RECORDS, (const st_value[]){harness, parent}) > t->copied)
      t->facts.link = ST_LINK_FORK;
    t->copied = -1;
  }
  t->told_copied = st_int(t->copied);
  t->told = true;
}

/* ---- Messages ------------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, st_text text) {
  return st_hash64(text.bytes ? hash : hash + 1, text.bytes ? text.bytes : "", text.length);
}

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
static st_value content_of(st_writing *w, const st_told_message *m) {
  if (!m->is_json || !m->content.bytes) {
    return m->content.bytes ? (st_value){.type = ST_TEXT, .bytes = m->content.bytes, .length = m->content.length}
                            : st_value_null();
  }
  size_t mark = sizeof ST_CONTENT_MARK - 1;
  char *text = st_writing_need(w, st_arena_alloc(w->arena, mark + m->content.length + 1));
  if (!text) return st_value_null();
  memcpy(text, ST_CONTENT_MARK, mark);
  memcpy(text + mark, m->content.bytes, m->content.length);
  text[mark + m->content.length] = '\0';
  return (st_value){.type = ST_TEXT, .bytes = text, .length = mark + m->content.length};
}

static void fill(st_writing *w, const st_taken *t, const st_told_message *m, st_value first, st_value values[9]) {
  double at = m->timestamp > 0 ? m->timestamp : t->last_at > 0 ? t->last_at : (double)t->job->modified / 1e9;
  const st_value all[9] = {first,
                           st_value_text(m->role),
                           content_of(w, m),
                           st_value_text(m->tool_call_id),
                           st_value_text(m->tool_calls),
                           st_value_text(m->tool_name),
                           st_real(at),
                           st_value_text(m->finish_reason),
                           st_value_text(m->reasoning)};
  memcpy(values, all, sizeof all);
}

static void retake(st_writing *w, st_taken *t, const st_told_message *m, int64_t message, int64_t key, int64_t content) {
  st_value values[9], before = st_value_null();
  st_writing_row(w, STELE_M_CONVERSATION_GET_TOOL_CALLS, (const st_value[]){st_int(message)}, &before, 1);
  fill(w, t, m, st_int(message), values);
  if (st_run(w->call, STELE_M_CONVERSATION_RETAKE_MESSAGE, values) == 0) return; /* it was deleted */
  st_run(w->call, STELE_M_CONVERSATION_ADD_RECORD,
         (const st_value[]){st_int(t->number), st_int(key), st_int(message), st_int(content)});
  t->calls += count_calls(m->tool_calls);
  if (before.type == ST_TEXT) t->calls -= count_calls((st_text){before.bytes, before.length});
  w->counted.updated++;
}

static void take(st_writing *w, st_taken *t, const st_told_message *m, int64_t key, int64_t content) {
  st_value values[9];
  fill(w, t, m, t->id, values);
  t->last_message = st_writing_number(w, STELE_M_CONVERSATION_TAKE_MESSAGE, values);
  st_run(w->call, STELE_M_CONVERSATION_ADD_RECORD,
         (const st_value[]){st_int(t->number), st_int(key), st_int(t->last_message), st_int(content)});
  t->messages++;
  t->calls += count_calls(m->tool_calls);
  w->counted.messages++;
}

void st_write_message(st_writing *w, st_taken *t, const st_told_message *m) {
  int64_t key = st_writing_key(m->key), content = (int64_t)hash_message(m);
  st_value known[2];
  st_writing_make(w, t, t->facts.started_at > 0 ? t->facts.started_at : m->timestamp);
  if (!t->begun) begin_messages(w, t, key, m->timestamp);
  t->last_key = (uint64_t)key;
  if (st_writing_row(w, STELE_M_CONVERSATION_FIND_RECORD, (const st_value[]){st_int(t->number), st_int(key)}, known, 2)) {
    t->last_message = known[0].integer;
    if (known[1].integer != content) retake(w, t, m, known[0].integer, key, content);
  } else {
    if (t->copied >= 0) follow_copies(w, t, key);
    take(w, t, m, key, content);
    if (st_numbers_has(&w->writer->awaited, (uint64_t)key)) st_wake_far_title(w, t, key);
  }
  if (m->timestamp > t->last_at) t->last_at = m->timestamp;
}

/* Withdrawn once: a file that is read anew says it again. */
void st_write_withdraw(st_writing *w, st_taken *t, int64_t count) {
  int64_t key = (int64_t)st_hash64(t->last_key, &count, sizeof count);
  st_value known[2];
  if (t->id.type != ST_TEXT || t->last_message == 0) return;
  if (st_writing_row(w, STELE_M_CONVERSATION_FIND_RECORD, (const st_value[]){st_int(t->number), st_int(key)}, known, 2)) return;
  st_feature_need(w->call, ST_F_CONVERSATION_REWIND);
  st_run(w->call, STELE_M_CONVERSATION_WITHDRAW_TURNS,
         (const st_value[]){t->id, st_int(t->last_message), st_int(count)});
  st_run(w->call, STELE_M_CONVERSATION_ADD_RECORD,
         (const st_value[]){st_int(t->number), st_int(key), st_int(0), st_int(0)});
}

/* ---- Usage ---------------------------------------------------------------------------------- */

void st_write_usage(st_writing *w, st_taken *t, const st_told_usage *u) {
  st_value key = st_int(st_writing_key(u->key)), before[6];
  st_writing_make(w, t, t->facts.started_at);
  const int64_t now[5] = {u->input, u->output, u->cache_read, u->cache_write, u->reasoning};
  int64_t *const sums[5] = {&t->usage.input, &t->usage.output, &t->usage.cache_read, &t->usage.cache_write,
                            &t->usage.reasoning};
  bool known = st_writing_row(w, STELE_M_CONVERSATION_FIND_USAGE, (const st_value[]){st_int(t->number), key}, before, 6);
  bool same = known && before[5].real == u->cost;
  for (int i = 0; i < 5; i++) {
    *sums[i] += now[i] - (known ? before[i].integer : 0);
    same = same && before[i].integer == now[i];
  }
  t->usage.cost += u->cost - (known ? before[5].real : 0);
  st_text_merge(&t->facts.model, u->model);
  t->told = true;
  if (!known) t->requests++;
  if (same) return;
  st_run(w->call, STELE_M_CONVERSATION_PUT_USAGE,
         (const st_value[]){st_int(t->number), key, st_int(now[0]), st_int(now[1]), st_int(now[2]), st_int(now[3]),
                            st_int(now[4]), st_real(u->cost)});
  if (u->summed || t->last_message == 0) return;
  st_feature_need(w->call, ST_F_CONVERSATION_MESSAGE_USAGE);
  st_run(w->call, STELE_M_CONVERSATION_LINK_USAGE, (const st_value[]){st_int(t->number), key, st_int(t->last_message)});
}
