/* ids.c - lists of messages by ascending id, and what they have in common.  See candidates.h. */
#include <string.h>

#include "search/candidates.h"

static void no_memory(st_call *call) { st_fail(call, STELE_NOMEM, NULL, "out of memory"); }

static bool reserve(st_call *call, st_arena *arena, st_ids *list, size_t room) {
  if (room <= list->room) return true;
  int64_t *grown = st_arena_alloc(arena, room * sizeof *grown);
  if (!grown) {
    no_memory(call);
    return false;
  }
  if (list->count) memcpy(grown, list->ids, list->count * sizeof *grown);
  list->ids = grown;
  list->room = room;
  return true;
}

void st_ids_add(st_call *call, st_arena *arena, st_ids *list, int64_t id) {
  if (list->count < list->room || reserve(call, arena, list, 2 * list->room + 64)) list->ids[list->count++] = id;
}

st_ids st_ids_read(st_call *call, st_arena *arena, int method, const st_value *args) {
  st_ids list = {0};
  st_value id;
  st_rows rows;
  st_rows_start(call, &rows, method, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, 0, &id);
    st_ids_add(call, arena, &list, id.integer);
  }
  st_rows_end(call, &rows);
  return list;
}

st_ids st_ids_both(st_call *call, st_arena *arena, st_ids one, st_ids other) {
  st_ids list = {0};
  if (one.all) return other;
  if (other.all) return one;
  if (!reserve(call, arena, &list, one.count < other.count ? one.count : other.count)) return list;
  for (size_t i = 0, j = 0; i < one.count && j < other.count;) {
    if (one.ids[i] == other.ids[j]) list.ids[list.count++] = one.ids[i];
    int64_t left = one.ids[i], right = other.ids[j];
    i += left <= right;
    j += right <= left;
  }
  return list;
}

st_ids st_ids_either(st_call *call, st_arena *arena, st_ids one, st_ids other) {
  st_ids list = {0};
  if (one.all || other.count == 0) return other.all ? other : one;
  if (other.all || one.count == 0) return other;
  if (!reserve(call, arena, &list, one.count + other.count)) return list;
  for (size_t i = 0, j = 0; i < one.count || j < other.count;) {
    bool left = j == other.count || (i < one.count && one.ids[i] <= other.ids[j]);
    bool right = i == one.count || (j < other.count && other.ids[j] <= one.ids[i]);
    list.ids[list.count++] = left ? one.ids[i] : other.ids[j];
    i += left;
    j += right;
  }
  return list;
}

size_t st_ids_place(const st_ids *list, int64_t id) {
  size_t from = 0, to = list->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (list->ids[middle] < id) from = middle + 1;
    else to = middle;
  }
  return from;
}

st_ids st_ids_of(st_call *call, st_arena *arena, const st_query_node *node, st_ids_of_term *of_term, void *with) {
  st_ids none = {0};
  if (!st_ok(call)) return none;
  switch (node->kind) {
    case ST_QUERY_TERM: return of_term(with, node->term);
    case ST_QUERY_NOT: return st_ids_of(call, arena, node->left, of_term, with);
    case ST_QUERY_AND:
    case ST_QUERY_OR: break;
    case ST_QUERY_EMPTY: return none;
  }
  st_ids left = st_ids_of(call, arena, node->left, of_term, with);
  if (node->kind == ST_QUERY_AND && !left.all && left.count <= ST_IDS_FEW) return left;
  st_ids right = st_ids_of(call, arena, node->right, of_term, with);
  return node->kind == ST_QUERY_AND ? st_ids_both(call, arena, left, right) : st_ids_either(call, arena, left, right);
}
