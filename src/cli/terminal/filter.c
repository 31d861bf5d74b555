/* filter.c - see filter.h. */
#include "filter.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../text.h"

#define CHOICES_MAX 200

const char *const filter_labels[FILTER_COUNT] = {
#define FILTER_X(name, label) label,
    FILTERS(FILTER_X)
#undef FILTER_X
};

void filter_offer(filters *f, filter_name name, const char *choice) {
  filter *of = &f->list[name];
  if (!choice || !*choice || !text_valid(choice) || of->count == CHOICES_MAX) return;
  for (size_t i = 0; i < of->count; i++)
    if (strcmp(of->choices[i], choice) == 0) return;
  of->choices = text_need(realloc(of->choices, (of->count + 1) * sizeof *of->choices));
  of->choices[of->count++] = text_format("%s", choice);
}

void filters_begin(filters *f) {
  static const char *const times[] = {"1d", "7d", "30d", "365d"}, *const roles[] = {"user", "assistant", "tool"};
  char *here = getcwd(NULL, 0);
  *f = (filters){{{NULL, 0, 0}}};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) filter_offer(f, FILTER_SINCE, times[i]);
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) filter_offer(f, FILTER_ROLE, roles[i]);
  filter_offer(f, FILTER_PROJECT, here);
  free(here);
}

void filters_free(filters *f) {
  for (size_t i = 0; i < FILTER_COUNT; i++) {
    for (size_t k = 0; k < f->list[i].count; k++) free(f->list[i].choices[k]);
    free(f->list[i].choices);
  }
}

void filters_offer_sources(filters *f, const char *reply) {
  hits sources = hits_read(reply, false);
  for (size_t i = 0; i < sources.count; i++) {
    if (sources.list[i].mark) continue; /* found only where its session is named */
    filter_offer(f, FILTER_STORE, sources.list[i].store);
    filter_offer(f, FILTER_KIND, sources.list[i].kind);
  }
  hits_free(&sources);
}

void filters_offer_hits(filters *f, const hits *found) {
  for (size_t i = 0; i < found->count; i++) {
    filter_offer(f, FILTER_ROLE, found->list[i].role);
    filter_offer(f, FILTER_PROJECT, found->list[i].project);
  }
}

void filter_turn(filters *f, filter_name name) {
  filter *of = &f->list[name];
  of->chosen = of->chosen < of->count ? of->chosen + 1 : 0;
}

void filters_clear(filters *f) {
  for (size_t i = 0; i < FILTER_COUNT; i++) f->list[i].chosen = 0;
}

bool filters_any(const filters *f) {
  for (size_t i = 0; i < FILTER_COUNT; i++)
    if (f->list[i].chosen) return true;
  return false;
}

const char *filter_value(const filters *f, filter_name name) {
  const filter *of = &f->list[name];
  return of->chosen ? of->choices[of->chosen - 1] : NULL;
}
