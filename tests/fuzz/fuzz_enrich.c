/* fuzz_enrich.c - any bytes as what happened: whatever it was, a node comes of it, the same each time, which is JSON with a summary of few
** bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "enrich/enricher.h"
#include "fuzz/target.h"

enum { PARTS = 6, SUMMARY_MAX = 400 };

/* A copy of the bytes up to the next NUL, so that nobody reads beyond them unnoticed. */
static st_text take(const char **at, const char *end) {
  const char *stop = memchr(*at, '\0', (size_t)(end - *at));
  size_t length = (size_t)((stop ? stop : end) - *at);
  char *copy = malloc(length ? length : 1);
  must(copy != NULL, "no memory");
  memcpy(copy, *at, length);
  *at += stop ? length + 1 : length;
  return (st_text){copy, length};
}

static st_item item_of(st_item_kind kind, const st_text *parts, unsigned number) {
  return (st_item){.kind = kind,
                   .text = parts[0],
                   .output = parts[1],
                   .errors = parts[2],
                   .name = parts[3],
                   .place = parts[4],
                   .rule = parts[5],
                   .verdict = st_text_of(number & 1 ? "failure" : "success"),
                   .numbered = number & 2,
                   .number = number};
}

static void check(st_arena *arena, const st_learned *learned) {
  st_json_error error;
  const st_json *json = st_json_parse(arena, learned->content.bytes, learned->content.length, 0, &error);
  const st_json *summary = json ? st_json_get(json, "summary") : NULL;
  must(summary && summary->type == ST_JSON_STRING && summary->length > 0 && summary->length <= SUMMARY_MAX, "the summary");
  must(st_json_get(json, "intent")->length > 0, "the intent");
  must(st_utf8_valid(learned->embed_text.bytes, learned->embed_text.length), "cut inside a character");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const queues[] = {"shell", "agentic", "browser", "workflow"};
  st_arena arena;
  st_text parts[PARTS];
  st_item items[ST_ITEM_KINDS];
  st_learned once = {0}, twice = {0};
  st_problem problem = {{0}};
  if (size < 2 || size > 20000) return 0;
  const char *at = (const char *)data + 2, *end = (const char *)data + size;
  st_arena_init(&arena, (size_t)1 << 26);
  for (int i = 0; i < PARTS; i++) parts[i] = take(&at, end);
  for (int i = 0; i < ST_ITEM_KINDS; i++) items[i] = item_of((st_item_kind)i, parts, data[1]);
  int64_t ticket = 1;
  st_bundle bundle = {.queue = queues[data[0] % 4], .tickets = &ticket, .ticket_count = 1, .cwd = parts[4], .repo = parts[5], .branch = parts[3], .items = items, .count = ST_ITEM_KINDS};
  must(st_extractive.learn(NULL, &arena, &bundle, &once, &problem) == ST_LEARNED, "nothing was learned");
  must(st_extractive.learn(NULL, &arena, &bundle, &twice, &problem) == ST_LEARNED, "nothing was learned again");
  check(&arena, &once);
  must(st_text_same(once.content, twice.content) && st_text_same(once.embed_text, twice.embed_text), "not the same again");
  for (int i = 0; i < PARTS; i++) free((char *)parts[i].bytes);
  st_arena_free(&arena);
  return 0;
}
