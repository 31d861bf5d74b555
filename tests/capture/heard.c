/* heard.c - a taker that writes down what it is told (heard.h). */
#include "capture/heard.h"

#include <limits.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/utf8.h"

static heard *of(st_taker *taker) {
  return (heard *)taker;
}

static bool go_on(heard *h) {
  return h->left-- > 0;
}

static void check_text(heard *h, st_text text) {
  if (text.length && !text.bytes) h->wrong = "a text without bytes";
  if (!text.length || !text.bytes) return;
  const char *at = text.bytes, *end = at + text.length;
  while (!h->wrong && at < end) {
    int size = st_utf8_char(at, end);
    if (size < 0) h->wrong = "not UTF-8";
    else at += size;
  }
}

static void check_json(heard *h, st_text text) {
  st_arena arena;
  st_json_error error;
  st_arena_init(&arena, (size_t)1 << 30);
  if (!st_json_parse(&arena, text.bytes ? text.bytes : "", text.length, 0, &error) && !error.nomem) h->wrong = "not JSON";
  st_arena_free(&arena);
}

static void add(heard *h, const char *name, st_text text) {
  check_text(h, text);
  if (!text.length) return;
  st_str_addf(&h->log, " %s=", name);
  st_str_add(&h->log, text.bytes, text.length);
}

static bool hear_session(st_taker *taker, const st_told_session *s) {
  static const char *const links[] = {NULL, "subagent", "compaction", "resume", "fork"};
  heard *h = of(taker);
  if (!s->id.length) h->wrong = "a session without an id";
  st_str_addz(&h->log, "session ");
  st_str_add(&h->log, s->id.bytes, s->id.length);
  add(h, "parent", s->parent);
  add(h, "link", st_text_of(links[s->link]));
  add(h, "title", s->title);
  add(h, "cwd", s->cwd);
  add(h, "branch", s->branch);
  add(h, "model", s->model);
  add(h, "version", s->version);
  add(h, "agent", s->agent);
  add(h, "prompt", s->system_prompt);
  st_str_addc(&h->log, '\n');
  return go_on(h);
}

static bool hear_message(st_taker *taker, st_text session, const st_told_message *m) {
  heard *h = of(taker);
  if (!m->key.length || !m->role.length) h->wrong = "a message without key or role";
  check_text(h, session);
  check_text(h, m->key);
  check_text(h, m->role);
  if (m->is_json) check_json(h, m->content);
  if (m->tool_calls.length) check_json(h, m->tool_calls);
  st_str_addz(&h->log, "message ");
  st_str_add(&h->log, session.bytes, session.length);
  st_str_addc(&h->log, ' ');
  st_str_add(&h->log, m->key.bytes, m->key.length);
  st_str_addc(&h->log, ' ');
  st_str_add(&h->log, m->role.bytes, m->role.length);
  add(h, m->is_json ? "json" : "text", m->content);
  add(h, "calls", m->tool_calls);
  add(h, "call", m->tool_call_id);
  add(h, "tool", m->tool_name);
  add(h, "thought", m->reasoning);
  add(h, "finish", m->finish_reason);
  st_str_addc(&h->log, '\n');
  return go_on(h);
}

static bool hear_usage(st_taker *taker, st_text session, const st_told_usage *u) {
  heard *h = of(taker);
  if (!u->key.length) h->wrong = "usage without a key";
  st_str_addz(&h->log, "usage ");
  st_str_add(&h->log, session.bytes, session.length);
  add(h, "key", u->key);
  st_str_addf(&h->log, " %lld %lld %lld %lld %lld", (long long)u->input, (long long)u->output, (long long)u->cache_read,
              (long long)u->cache_write, (long long)u->reasoning);
  add(h, "model", u->model);
  st_str_addc(&h->log, '\n');
  return go_on(h);
}

static bool hear_withdraw(st_taker *taker, st_text session, int64_t count) {
  heard *h = of(taker);
  if (count <= 0) h->wrong = "no turns withdrawn";
  st_str_addf(&h->log, "withdraw %.*s %lld\n", (int)session.length, session.bytes ? session.bytes : "", (long long)count);
  return go_on(h);
}

static bool hear_aside(st_taker *taker) {
  st_str_addz(&of(taker)->log, "aside\n");
  return go_on(of(taker));
}

static bool hear_bad(st_taker *taker, const char *why) {
  st_str_addf(&of(taker)->log, "bad %s\n", why);
  return go_on(of(taker));
}

static bool hear_title(st_taker *taker, st_text key, st_text title) {
  heard *h = of(taker);
  st_str_addz(&h->log, "title");
  add(h, "key", key);
  add(h, "title", title);
  st_str_addc(&h->log, '\n');
  return go_on(h);
}

void heard_open(heard *h) {
  *h = (heard){.taker = {.session = hear_session, .message = hear_message, .usage = hear_usage, .withdraw = hear_withdraw,
                         .aside = hear_aside, .bad = hear_bad, .title_of = hear_title},
               .left = INT_MAX};
  st_str_init(&h->log, (size_t)1 << 30);
  st_str_addz(&h->log, "");
}

void heard_close(heard *h) {
  st_str_free(&h->log);
}
