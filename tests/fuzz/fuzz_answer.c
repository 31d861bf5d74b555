/* fuzz_answer.c - any bytes as what a language model, or its endpoint, answers; and as a text that it is asked about.  The first byte
** chooses which.  What is taken for a node is JSON as it was asked for, and a text ends inside its marks. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "chat/prompt.h"
#include "chat/reply.h"
#include "enrich/answer.h"
#include "fuzz/target.h"

static void read_answer(st_arena *arena, st_text text) {
  const st_bundle bundle = {.queue = "shell"};
  st_learned learned = {0};
  st_problem problem = {{0}};
  st_json_error error;
  if (st_answer_read(arena, &bundle, text, &learned, &problem) != ST_LEARNED) {
    must(problem.text[0] != '\0', "refused without a reason");
    return;
  }
  const st_json *json = st_json_parse(arena, learned.content.bytes, learned.content.length, 0, &error);
  must(json && st_json_get(json, "summary")->length > 0 && st_json_get(json, "intent")->length > 0 && learned.embed_text.length > 0, "a node that says nothing");
}

static void read_reply(st_arena *arena, st_text text) {
  st_chat_answer answer;
  st_problem problem = {{0}}, unknown = {{0}};
  st_text model = {"", 0};
  if (st_chat_reply_read(arena, text, &answer, &problem)) must(answer.text.length > 0, "an answer without a text");
  if (st_chat_models_read(arena, text, &model, &unknown)) must(model.length > 0, "a model without a name");
}

static void quote(st_text text) {
  st_prompt prompt;
  int words = 0;
  must(st_prompt_begin(&prompt, 500), "no random bytes");
  if (st_prompt_quote(&prompt, "text", text, 400))
    for (size_t i = 0; i + ST_UUID_SIZE - 1 <= prompt.text.length; i++) words += strncasecmp(prompt.text.text + i, prompt.word, ST_UUID_SIZE - 1) == 0;
  must(words == 2, "a text that left its marks");
  st_prompt_free(&prompt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1 || size > 100000) return 0;
  char *copy = malloc(size); /* so that nobody reads beyond it unnoticed */
  st_arena arena;
  must(copy != NULL, "no memory");
  memcpy(copy, data + 1, size - 1);
  st_text text = {copy, size - 1};
  st_arena_init(&arena, (size_t)1 << 26);
  if (data[0] % 3 == 0) read_answer(&arena, text);
  else if (data[0] % 3 == 1) read_reply(&arena, text);
  else quote(text);
  st_arena_free(&arena);
  free(copy);
  return 0;
}
