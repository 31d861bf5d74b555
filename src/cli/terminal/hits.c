/* hits.c - see hits.h. */
#include "hits.h"

#include <stdlib.h>
#include <string.h>

#include "../text.h"

static char *member(json row, const char *name) {
  json value = json_member(row, name);
  return json_kind(value) == '"' ? text_need(json_text(value)) : NULL;
}

hit hit_read(json row) {
  hit h = {
#define HIT_X(name) .name = member(row, #name),
      HIT_TEXTS(HIT_X)
#undef HIT_X
          .time = json_number(json_member(row, "time")),
  };
  return h;
}

static char *copy(const char *text) {
  return text ? text_format("%s", text) : NULL;
}

hit hit_copy(const hit *of) {
  hit h = {
#define HIT_X(name) .name = copy(of->name),
      HIT_TEXTS(HIT_X)
#undef HIT_X
          .time = of->time,
  };
  return h;
}

void hit_free(hit *h) {
#define HIT_X(name) free(h->name);
  HIT_TEXTS(HIT_X)
#undef HIT_X
  *h = (hit){.time = 0};
}

hits hits_read(const char *reply, bool turned) {
  json list = json_read(reply, strlen(reply)), row = {NULL, 0};
  hits h = {NULL, 0};
  size_t count = 0;
  while (json_next(list, &row)) count++;
  h.list = text_need(calloc(count + 1, sizeof *h.list));
  for (row = (json){NULL, 0}; json_next(list, &row); h.count++)
    h.list[turned ? count - 1 - h.count : h.count] = hit_read(row);
  return h;
}

void hits_free(hits *h) {
  for (size_t i = 0; i < h->count; i++) hit_free(&h->list[i]);
  free(h->list);
  *h = (hits){NULL, 0};
}

bool hit_is_message(const hit *h) {
  return h->session && h->store && h->kind && strcmp(h->store, "conversation") == 0 && strcmp(h->kind, "message") == 0;
}

bool hit_match(const char *at, const char **begin, const char **end) {
  const char *mark = strstr(at, ">>>");
  if (!mark) return false;
  *begin = mark + HIT_MARK;
  *end = strstr(*begin, "<<<");
  return *end != NULL;
}
