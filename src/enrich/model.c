/* model.c - see model.h: a question, an answer that is checked, and one more chance to put it right. */
#include "enrich/model.h"

#include <string.h>
#include <time.h>

#include "base/json.h"
#include "enrich/answer.h"
#include "enrich/question.h"

enum { VERSION = 10 }; /* of questions and answers as they are here; others made up to 3, rules 100 */

static int64_t monotonic_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- While it is asked ---- */

/* Also keeps the tickets: a model may think for longer than a lock lasts. */
static bool is_stopped(void *user) {
  st_model_asking *m = user;
  if (m->stopped(m->worker)) return true;
  if (monotonic_ms() - m->beat_at < m->beat_ms) return false;
  m->beat_at = monotonic_ms();
  m->by->now = st_int(m->now(m->worker));
  if (st_holding_extend(m->call, m->by)) return false;
  m->grant = ST_GRANT_LOST;
  return true;
}

static bool may_send(void *user) {
  st_model_asking *m = user;
  m->beat_at = monotonic_ms();
  m->by->now = st_int(m->now(m->worker));
  m->most.at = m->by->now.integer;
  m->grant = st_budget_take(m->call, &m->budget, m->by, m->bundle, &m->most);
  m->counted = m->grant == ST_GRANTED;
  return m->counted;
}

static void settle(st_model_asking *m, const st_taken *taken, st_spent how) {
  if (m->counted) st_budget_settle(m->call, &m->budget, m->by, m->bundle, &m->most, taken, how);
  m->counted = false;
}

/* One that was answered is put right when the answer was read.  Who could not be reached, or was too busy, has not been asked. */
static void was_sent(void *user, const st_http_reply *reply) {
  st_model_asking *m = user;
  bool asked = !reply->unreached && reply->status != 429 && reply->status != 503;
  if (reply->status != 200) settle(m, &(st_taken){.prompt_tokens = asked ? m->most.prompt_tokens : 0}, asked ? ST_SPENT_BADLY : ST_UNSPENT);
}

/* ---- What came of it ---- */

static st_learning after_stop(const st_model_asking *m, st_problem *problem) {
  switch (m->grant) {
    case ST_GRANT_HOUR: st_problem_say(problem, "the budget of this hour is used up: enrich.calls_per_hour, enrich.tokens_per_hour"); return ST_LEARN_LATER;
    case ST_GRANT_TICKET:
      st_problem_say(problem, "the model was asked %lld times: enrich.calls", (long long)m->budget.calls_per_ticket);
      return ST_LEARN_HOPELESS;
    case ST_GRANT_LOST: st_problem_say(problem, "somebody else has it"); return ST_LEARN_FAILED; /* which settles nothing that is not held */
    default: st_problem_say(problem, "it was stopped"); return ST_LEARN_LATER;
  }
}

static st_learning learning_of(const st_model_asking *m, st_endpoint_end end, const st_problem *what, st_problem *problem) {
  if (end == ST_ENDPOINT_STOPPED) return after_stop(m, problem);
  st_problem_say(problem, "%s", what->text);
  switch (end) {
    case ST_ENDPOINT_ANSWERED: return ST_LEARNED;
    case ST_ENDPOINT_REFUSED: return ST_LEARN_FAILED;
    case ST_ENDPOINT_BROKEN: return ST_LEARN_BROKEN;
    case ST_ENDPOINT_NOMEM: return ST_LEARN_NOMEM;
    default: return ST_LEARN_LATER;
  }
}

/* ---- Asking ---- */

static st_learning ask(st_model_asking *m, st_arena *arena, const st_chat_message *messages, size_t count, st_chat_answer *answer, st_problem *problem) {
  size_t bytes = 0;
  st_problem what = {0};
  for (size_t i = 0; i < count; i++) bytes += messages[i].text.length;
  m->most = (st_taken){.prompt_tokens = (int64_t)st_prompt_tokens(bytes), .answer_tokens = (int64_t)m->answer_tokens};
  st_endpoint_end end = st_chat_ask(m->chat, arena, messages, count, answer, &what);
  if (end == ST_ENDPOINT_ANSWERED) settle(m, &(st_taken){.prompt_tokens = answer->prompt_tokens, .answer_tokens = answer->completion_tokens}, ST_SPENT);
  else settle(m, &(st_taken){.prompt_tokens = m->most.prompt_tokens}, ST_SPENT_BADLY);
  return end == ST_ENDPOINT_ANSWERED ? ST_LEARNED : learning_of(m, end, &what, problem);
}

/* The model sees what it said, and what is wrong with it. */
static st_text correction(st_arena *arena, const st_problem *wrong) {
  st_str text;
  st_str_init(&text, 4 * ST_PROBLEM_MAX);
  st_str_addf(&text, "This cannot be used: %s. Answer again, with the whole JSON object as described, and nothing else.", wrong->text);
  char *copy = text.failed ? NULL : st_arena_copy(arena, text.text, text.length);
  st_text said = {copy, copy ? text.length : 0};
  st_str_free(&text);
  return said;
}

static st_learning ask_and_read(st_model_asking *m, st_arena *arena, st_text question, st_learned *out, st_problem *problem) {
  st_chat_message messages[4] = {{"system", st_question_task(m->bundle)}, {"user", question}};
  st_chat_answer answer;
  st_problem wrong = {0};
  st_learning how = ask(m, arena, messages, 2, &answer, problem);
  if (how == ST_LEARNED) how = st_answer_read(arena, m->bundle, answer.text, out, &wrong);
  if (how != ST_LEARN_FAILED || !wrong.text[0]) return how;
  messages[2] = (st_chat_message){"assistant", answer.text};
  messages[3] = (st_chat_message){"user", correction(arena, &wrong)};
  if (!messages[3].text.bytes) return ST_LEARN_NOMEM;
  wrong = (st_problem){0};
  how = ask(m, arena, messages, 4, &answer, problem);
  if (how == ST_LEARNED) how = st_answer_read(arena, m->bundle, answer.text, out, &wrong);
  if (wrong.text[0]) st_problem_say(problem, "the model's answer cannot be used: %s", wrong.text);
  return how;
}

static st_learning learn(void *user, st_arena *arena, const st_bundle *bundle, st_learned *out, st_problem *problem) {
  st_model_asking *m = user;
  st_prompt prompt;
  m->bundle = bundle;
  m->grant = ST_GRANTED;
  st_chat_for(m->chat, &(st_endpoint_waiting){is_stopped, may_send, was_sent, m});
  bool good = st_question_ask(bundle, m->prompt_tokens, &prompt);
  st_learning how = good ? ask_and_read(m, arena, (st_text){prompt.text.text, prompt.text.length}, out, problem) : ST_LEARN_NOMEM;
  st_chat_for(m->chat, NULL);
  st_prompt_free(&prompt);
  return how;
}

/* ---- Showing ---- */

static void add_message(st_str *out, const char *role, st_text text) {
  st_str_addf(out, "{\"role\":\"%s\",\"content\":", role);
  st_json_add_string(out, text.bytes, text.length);
  st_str_addc(out, '}');
}

static bool show(void *user, const st_bundle *bundle, st_str *out) {
  const st_model_asking *m = user;
  st_prompt prompt;
  bool good = st_question_ask(bundle, m->prompt_tokens, &prompt);
  if (good) {
    st_str_addc(out, '[');
    add_message(out, "system", st_question_task(bundle));
    st_str_addc(out, ',');
    add_message(out, "user", (st_text){prompt.text.text, prompt.text.length});
    st_str_addc(out, ']');
  }
  st_prompt_free(&prompt);
  return good;
}

st_enricher st_model_enricher(st_model_asking *asking) {
  return (st_enricher){.model = st_chat_model(asking->chat), .version = VERSION, .learn = learn, .show = show, .user = asking};
}
