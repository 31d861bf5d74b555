/* converse.c - asks a language model what stands on its standard input, and prints what came of it as JSON.
**
**     converse check|ask ENDPOINT MODEL KEY TIMEOUT_MS RETRIES ANSWER_TOKENS STOP_AFTER MAY_SEND
**
** STOP_AFTER: milliseconds after which it is stopped, MAY_SEND: requests that may be sent; -1: never, and all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "chat/chat.h"

typedef struct watch {
  int64_t stop_at;
  int may_send, sent;
} watch;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool stopped(void *user) {
  const watch *w = user;
  return w->stop_at && now_ms() >= w->stop_at;
}

static bool may_send(void *user) {
  const watch *w = user;
  return w->may_send < 0 || w->sent < w->may_send;
}

static void was_sent(void *user, const st_http_reply *reply) {
  (void)reply;
  ((watch *)user)->sent++;
}

static void print(st_endpoint_end end, const st_chat *chat, const st_chat_answer *answer, const st_problem *problem, int sent) {
  static const char *const ENDS[] = {"answered", "refused", "broken", "away", "stopped", "nomem"};
  st_str out;
  st_str_init(&out, (size_t)64 << 20);
  st_str_addf(&out, "{\"end\":\"%s\",\"sent\":%d,\"model\":", ENDS[end], sent);
  st_json_add_string(&out, st_chat_model(chat), strlen(st_chat_model(chat)));
  st_str_addz(&out, ",\"problem\":");
  st_json_add_string(&out, problem->text, strlen(problem->text));
  st_str_addz(&out, ",\"text\":");
  st_json_add_string(&out, answer->text.bytes, answer->text.length);
  st_str_addf(&out, ",\"cut\":%s,\"prompt_tokens\":%lld,\"completion_tokens\":%lld}", answer->cut ? "true" : "false",
              (long long)answer->prompt_tokens, (long long)answer->completion_tokens);
  puts(out.text);
  st_str_free(&out);
}

int main(int argc, char **argv) {
  static char text[1 << 20];
  if (argc != 10) return 2;
  const st_chat_config config = {.endpoint = argv[2],
                                 .model = argv[3],
                                 .key = *argv[4] ? argv[4] : NULL,
                                 .timeout_ms = atoi(argv[5]),
                                 .retries = atoi(argv[6]),
                                 .answer_tokens = atoi(argv[7])};
  watch watching = {.stop_at = atoi(argv[8]) < 0 ? 0 : now_ms() + atoi(argv[8]), .may_send = atoi(argv[9])};
  st_problem problem = {{0}};
  st_chat_answer answer = {.text = {"", 0}};
  st_arena arena;
  st_chat *chat = st_chat_open(&config, &problem);
  if (!chat) return puts(problem.text) < 0 ? 2 : 1;
  st_arena_init(&arena, (size_t)64 << 20);
  st_chat_for(chat, &(st_endpoint_waiting){stopped, may_send, was_sent, &watching});
  const st_chat_message messages[] = {{"system", st_text_of("Answer.")}, {"user", {text, fread(text, 1, sizeof text, stdin)}}};
  st_endpoint_end end = strcmp(argv[1], "check") == 0 ? st_chat_check(chat, &problem) : st_chat_ask(chat, &arena, messages, 2, &answer, &problem);
  print(end, chat, &answer, &problem, watching.sent);
  st_arena_free(&arena);
  st_chat_close(chat);
  return 0;
}
