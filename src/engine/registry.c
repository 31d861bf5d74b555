/* registry.c - finding methods, stores and parameters by name. */
#include "engine/registry.h"

#include <string.h>

/* There are a few hundred methods, and comparing with all of them takes less than a microsecond. */
const st_method *st_method_find(const char *name) {
  for (uint16_t i = 0; i < st_registry.nmethods; i++)
    if (strcmp(st_registry.methods[i].public.name, name) == 0) return &st_registry.methods[i];
  return NULL;
}

const stele_method *stele_method_find(const char *name) {
  const st_method *method = name ? st_method_find(name) : NULL;
  return method && !method->private ? &method->public : NULL;
}

const stele_method *stele_method_at(size_t index) {
  for (uint16_t i = 0; i < st_registry.nmethods; i++) {
    if (st_registry.methods[i].private) continue;
    if (index-- == 0) return &st_registry.methods[i].public;
  }
  return NULL;
}

const st_store *st_store_find(const char *name, int *index) {
  for (uint16_t i = 0; i < st_registry.nstores; i++) {
    if (strcmp(st_registry.stores[i].name, name) != 0) continue;
    if (index) *index = i;
    return &st_registry.stores[i];
  }
  return NULL;
}

bool st_group_exists(const char *name) {
  for (uint16_t i = 0; i < st_registry.nmethods; i++)
    if (strcmp(st_registry.methods[i].public.store, name) == 0) return true;
  return false;
}

/* Edits that turn a into b; anything above limit counts as limit + 1. */
static int distance(const char *a, const char *b, int limit) {
  int row[100];
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (nb >= 99 || na - nb > limit || nb - na > limit) return limit + 1;
  for (int j = 0; j <= nb; j++) row[j] = j;
  for (int i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      int edit = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      row[j] = change < edit ? change : edit;
    }
  }
  return row[nb] > limit ? limit + 1 : row[nb];
}

typedef struct nearest {
  const char *name; /* what was typed */
  const char *best;
  int least;
} nearest;

static void consider(nearest *n, const char *candidate) {
  int d = distance(n->name, candidate, n->least - 1);
  if (d >= n->least) return;
  n->least = d;
  n->best = candidate;
}

/* Near: at most three edits, and fewer than half of the name. */
static nearest nearest_to(const char *name) {
  int half = (int)(strlen(name) / 2) + 1;
  return (nearest){name, NULL, half < 4 ? half : 4};
}

const char *st_method_nearest(const char *name) {
  nearest n = nearest_to(name);
  for (uint16_t i = 0; i < st_registry.nmethods; i++)
    if (!st_registry.methods[i].private) consider(&n, st_registry.methods[i].public.name);
  return n.best;
}

const char *st_param_nearest(const st_method *method, const char *name) {
  nearest n = nearest_to(name);
  for (size_t i = 0; i < method->public.nparams; i++) consider(&n, method->public.params[i].name);
  return n.best;
}

static int field_index(const stele_field *fields, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(fields[i].name, name) == 0) return (int)i;
  return -1;
}

int st_param_index(const st_method *method, const char *name) {
  return field_index(method->public.params, method->public.nparams, name);
}

int st_result_index(const st_method *method, const char *name) {
  return field_index(method->public.results, method->public.nresults, name);
}
