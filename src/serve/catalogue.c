/* catalogue.c - see catalogue.h. */
#include "catalogue.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t place_of(const sv_catalogue *c, const char *name) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (const char *at = name; *at; at++) hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
  size_t place = (size_t)(hash ^ hash >> 32) & (c->nplaces - 1);
  while (c->places[place] && strcmp(c->methods[c->places[place] - 1]->name, name) != 0)
    place = (place + 1) & (c->nplaces - 1);
  return place;
}

static void fill(sv_catalogue *c) {
  for (size_t i = 0; i < c->count; i++) {
    const stele_method *method = c->methods[i] = stele_method_at(i);
    if (method->http) c->resources[c->nresources++] = method;
    c->places[place_of(c, method->name)] = i + 1;
  }
}

sv_catalogue *sv_catalogue_open(void) {
  sv_catalogue *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  while (stele_method_at(c->count)) c->count++;
  for (c->nplaces = 64; c->nplaces < 2 * c->count;) c->nplaces *= 2;
  c->methods = calloc(c->count + 1, sizeof *c->methods);
  c->resources = calloc(c->count + 1, sizeof *c->resources);
  c->places = calloc(c->nplaces, sizeof *c->places);
  if (c->methods && c->resources && c->places) {
    fill(c);
    return c;
  }
  sv_catalogue_close(c);
  return NULL;
}

void sv_catalogue_close(sv_catalogue *c) {
  if (!c) return;
  free(c->methods);
  free(c->resources);
  free(c->places);
  free(c);
}

size_t sv_catalogue_find(const sv_catalogue *c, const char *name) {
  size_t found = c->places[place_of(c, name)];
  return found ? found - 1 : c->count;
}
