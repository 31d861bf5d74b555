/* chat.c - see chat.h. */
#include "chat/chat.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "chat/prompt.h"
#include "chat/reply.h"

#define TIMEOUT_MS 300000
#define RETRIES 3
#define ANSWER_TOKENS 4096
#define TOKEN_BYTES 32             /* of an answer, at most: some escape every character */
#define AROUND_BYTES ((size_t)64 << 10)
#define MODELS_BYTES ((size_t)4 << 20)
#define BODY_MAX ((size_t)64 << 20)

struct st_chat {
  st_endpoint *endpoint;
  char *model;
  int answer_tokens;
  bool newer_word; /* it calls max_tokens max_completion_tokens */
  bool warm;       /* it does not let its temperature be chosen */
};

/* ---- Opening ---- */

static bool prepare(st_chat *c, const st_chat_config *config, st_problem *problem) {
  const st_endpoint_config endpoint = {.setting = "chat.endpoint",
                                       .address = config->endpoint,
                                       .path = "/chat/completions",
                                       .key = config->key,
                                       .timeout_ms = config->timeout_ms > 0 ? config->timeout_ms : TIMEOUT_MS,
                                       .connect_ms = config->connect_ms,
                                       .attempts = 1 + (config->retries > 0 ? config->retries : config->retries < 0 ? 0 : RETRIES),
                                       .silent = true};
  c->answer_tokens = config->answer_tokens > 0 ? config->answer_tokens : ANSWER_TOKENS;
  c->model = st_strdup(config->model ? config->model : "");
  if (!c->model) return st_problem_nomem(problem);
  c->endpoint = st_endpoint_open(&endpoint, problem);
  return c->endpoint != NULL;
}

st_chat *st_chat_open(const st_chat_config *config, st_problem *problem) {
  st_chat *c = st_alloc_zero(sizeof *c);
  if (!c) st_problem_nomem(problem);
  if (c && prepare(c, config, problem)) return c;
  st_chat_close(c);
  return NULL;
}

void st_chat_close(st_chat *c) {
  if (!c) return;
  st_endpoint_close(c->endpoint);
  st_free(c->model);
  st_free(c);
}

void st_chat_for(st_chat *c, const st_endpoint_waiting *waiting) { st_endpoint_for(c->endpoint, waiting); }
const char *st_chat_model(const st_chat *c) { return c->model; }

size_t st_chat_answer_tokens(const st_chat *c) { return (size_t)c->answer_tokens; }

/* ---- Is it there? ---- */

static st_endpoint_end take_model(st_chat *c, st_arena *arena, st_text reply, st_problem *problem) {
  st_text model = st_text_of(c->model);
  if (!st_chat_models_read(arena, reply, &model, problem)) return st_problem_is_nomem(problem->text) ? ST_ENDPOINT_NOMEM : ST_ENDPOINT_AWAY;
  if (c->model[0]) return ST_ENDPOINT_ANSWERED;
  char *name = st_alloc(model.length + 1);
  if (!name) st_problem_nomem(problem);
  if (!name) return ST_ENDPOINT_NOMEM;
  memcpy(name, model.bytes, model.length);
  name[model.length] = '\0';
  st_free(c->model);
  c->model = name;
  return ST_ENDPOINT_ANSWERED;
}

st_endpoint_end st_chat_check(st_chat *c, st_problem *problem) {
  st_http_reply reply;
  st_problem what = {0};
  st_endpoint_end end = st_endpoint_ask(c->endpoint, "/models", (st_text){0}, MODELS_BYTES, &reply, &what);
  bool unlisted = (reply.status == 404 || reply.status == 405 || reply.status == 501) && c->model[0];
  if (end == ST_ENDPOINT_ANSWERED) {
    st_arena arena;
    st_arena_init(&arena, MODELS_BYTES);
    end = take_model(c, &arena, (st_text){reply.body, reply.length}, problem);
    st_arena_free(&arena);
  } else if (unlisted) {
    end = ST_ENDPOINT_ANSWERED;
  } else {
    st_problem_say(problem, "%s", what.text);
  }
  st_http_reply_free(&reply);
  return end;
}

/* ---- Asking ---- */

static char *body_of(const st_chat *c, const st_chat_message *messages, size_t count, size_t *length) {
  st_str body;
  st_str_init(&body, BODY_MAX);
  st_str_addz(&body, "{\"model\":");
  st_json_add_string(&body, c->model, strlen(c->model));
  for (size_t i = 0; i < count; i++) {
    st_str_addf(&body, "%s{\"role\":\"%s\",\"content\":", i ? "," : ",\"messages\":[", messages[i].role);
    st_json_add_string(&body, messages[i].text.bytes, messages[i].text.length);
    st_str_addc(&body, '}');
  }
  st_str_addf(&body, "],\"%s\":%d", c->newer_word ? "max_completion_tokens" : "max_tokens", c->answer_tokens);
  st_str_addz(&body, c->warm ? ",\"stream\":false}" : ",\"temperature\":0,\"stream\":false}");
  *length = body.length;
  return st_str_take(&body);
}

/* Models differ in what they let be said beside a question.  One that names what it will not have is asked again without it. */
static bool learn_words(st_chat *c, const st_problem *refusal) {
  if (!c->newer_word && strstr(refusal->text, "max_completion_tokens")) return c->newer_word = true;
  if (!c->warm && strstr(refusal->text, "temperature")) return c->warm = true;
  return false;
}

static st_endpoint_end ask_once(st_chat *c, const st_chat_message *messages, size_t count, st_http_reply *reply, st_problem *problem) {
  size_t length, most = (size_t)c->answer_tokens * TOKEN_BYTES + AROUND_BYTES;
  char *body = body_of(c, messages, count, &length);
  *reply = (st_http_reply){0};
  if (!body) st_problem_nomem(problem);
  st_endpoint_end end = body ? st_endpoint_ask(c->endpoint, NULL, (st_text){body, length}, most, reply, problem) : ST_ENDPOINT_NOMEM;
  st_free(body);
  return end;
}

static void estimate(const st_chat_message *messages, size_t count, st_chat_answer *answer) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += messages[i].text.length;
  if (answer->prompt_tokens < 0) answer->prompt_tokens = (int64_t)st_prompt_tokens(bytes);
  if (answer->completion_tokens < 0) answer->completion_tokens = (int64_t)st_prompt_tokens(answer->text.length);
}

/* The text is copied: it may stand in the reply. */
static st_endpoint_end read_answer(st_arena *arena, const st_http_reply *reply, st_chat_answer *answer, st_problem *problem) {
  st_problem what = {0};
  bool good = st_chat_reply_read(arena, (st_text){reply->body, reply->length}, answer, &what);
  if (good) answer->text.bytes = st_arena_copy(arena, answer->text.bytes, answer->text.length);
  if (st_problem_is_nomem(what.text) || (good && !answer->text.bytes)) {
    st_problem_nomem(problem);
    return ST_ENDPOINT_NOMEM;
  }
  if (!good) st_problem_say(problem, "the endpoint cannot be used: %s", what.text);
  return good ? ST_ENDPOINT_ANSWERED : ST_ENDPOINT_BROKEN;
}

st_endpoint_end st_chat_ask(st_chat *c, st_arena *arena, const st_chat_message *messages, size_t count, st_chat_answer *answer,
                            st_problem *problem) {
  st_http_reply reply;
  st_endpoint_end end;
  st_problem what;
  *answer = (st_chat_answer){0};
  for (;;) {
    what = (st_problem){0};
    end = ask_once(c, messages, count, &reply, &what);
    if (end != ST_ENDPOINT_REFUSED || !learn_words(c, &what)) break;
    st_http_reply_free(&reply);
  }
  if (end == ST_ENDPOINT_ANSWERED) end = read_answer(arena, &reply, answer, &what);
  if (end == ST_ENDPOINT_ANSWERED) estimate(messages, count, answer);
  else st_problem_say(problem, "%s", what.text);
  st_http_reply_free(&reply);
  return end;
}
