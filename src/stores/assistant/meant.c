/* meant.c - see meant.h. */
#include "stores/assistant/meant.h"

#include <string.h>

#include "base/text.h"
#include "base/vector.h"

static int compare_ids(const st_found_row *a, const st_found_row *b) {
  return st_text_compare((st_text){a->id.bytes, a->id.length}, (st_text){b->id.bytes, b->id.length});
}

int st_meant_compare(const void *a, const void *b) {
  const st_found_row *one = a, *other = b;
  if (one->score != other->score) return one->score > other->score ? -1 : 1;
  int order = strcmp(other->created_at, one->created_at);
  if (order == 0) order = compare_ids(one, other);
  return order ? order : strcmp(one->source, other->source);
}

bool st_meant_same(const st_found_row *a, const st_found_row *b) {
  return strcmp(a->source, b->source) == 0 && compare_ids(a, b) == 0;
}

void st_best_init(st_call *call, st_best *best, int most) {
  *best = (st_best){.most = most};
  best->rows = st_call_alloc(call, (size_t)most * sizeof *best->rows);
}

st_found_row st_meant_of(st_call *call, const char *source, const st_value *id, const st_value *created_at) {
  st_found_row row = {.source = source, .id = *id};
  row.id.bytes = st_call_copy(call, id->bytes, id->length);
  row.created_at = st_call_copy(call, created_at->bytes, created_at->length);
  return row;
}

void st_best_offer(st_call *call, st_best *best, const char *source, const st_value *id, const st_value *created_at,
                   double score) {
  st_found_row row = {.source = source, .id = *id, .created_at = created_at->bytes, .score = score};
  int at = best->count;
  if (!st_ok(call)) return;
  while (at > 0 && st_meant_compare(&row, &best->rows[at - 1]) < 0) at--;
  if (at == best->most) return;
  row = st_meant_of(call, source, id, created_at);
  row.score = score;
  if (!st_ok(call)) return;
  int moved = best->count - at - (best->count == best->most);
  memmove(&best->rows[at + 1], &best->rows[at], (size_t)moved * sizeof row);
  best->rows[at] = row;
  if (best->count < best->most) best->count++;
}

bool st_meant_wanted(const st_value *sources, const char *source) {
  for (uint32_t i = 0; sources->type == ST_LIST && i < sources->count; i++)
    if (strcmp(sources->items[i].bytes, source) == 0) return true;
  return false;
}

void st_meant_check(st_call *call, const st_value *embedding) {
  if (!st_vector_points(embedding->bytes, embedding->length / ST_VECTOR_BYTES))
    st_fail(call, STELE_INVALID, "embedding", "embedding must not be zeros only");
}
