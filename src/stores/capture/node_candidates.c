/* node_candidates.c - nodes that may be wanted, by the search index of the store.  See nodes.h.
**
** The index knows the words of nodes, their type and when they were captured.  What else a filter asks for the database
** answers, for candidates only. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "search/documents.h"
#include "stores/capture/nodes.h"

#define CHUNK 256 /* nodes that are read at once */

enum { MILLIS = 1000 };

/* A filter of one text; absent: none. */
static const st_value *list_of(const st_value *text, st_value *list) {
  *list = (st_value){.type = ST_LIST, .items = text, .count = 1, .width = 1};
  return text->type == ST_TEXT ? list : NULL;
}

static double seconds_of(const st_value *time, double otherwise) {
  return time->type == ST_INT ? (double)time->integer / MILLIS : otherwise;
}

const st_document_filter *st_nodes_within(const st_value *which, st_node_filter *out) {
  out->kind = st_textz("node");
  out->documents = (st_document_filter){.kinds = list_of(&out->kind, &out->kinds),
                                        .roles = list_of(&which[ST_P_CAPTURE_SCAN_NODES_NODE_TYPE], &out->roles),
                                        .since = seconds_of(&which[ST_P_CAPTURE_SCAN_NODES_SINCE], -HUGE_VAL),
                                        .until = seconds_of(&which[ST_P_CAPTURE_SCAN_NODES_UNTIL], HUGE_VAL)};
  return &out->documents;
}

static void make_room(st_call *call, st_node_candidates *to) {
  size_t room = 2 * to->count + CHUNK;
  if (to->count < to->room) return;
  st_value *grown = st_call_alloc(call, room * sizeof *grown);
  if (!grown) return;
  if (to->count) memcpy(grown, to->ids, to->count * sizeof *grown);
  to->ids = grown;
  to->room = room;
}

void st_nodes_add(st_call *call, const char *key, st_node_candidates *to) {
  int64_t id;
  make_room(call, to);
  if (st_ok(call) && st_parse_int(key, strlen(key), &id)) to->ids[to->count++] = st_int(id);
}

bool st_nodes_candidates(st_call *call, const st_value *which, const st_query *query, st_order order, int most, st_node_candidates *to) {
  st_node_filter within;
  const st_document_filter *filter = st_nodes_within(which, &within);
  st_documents_found found;
  to->every = to->every || !st_documents_current(call);
  if (to->every || !st_ok(call)) return true;
  if (query)
    st_documents_find(call, query, filter, order, most, &found);
  else
    st_documents_list(call, filter, order, most, &found);
  for (int i = 0; i < found.count && st_ok(call); i++) st_nodes_add(call, found.hits[i].id, to);
  return found.matches < most;
}

/* ---- reading ---- */

static int by_number(const void *a, const void *b) {
  const st_value *one = a, *other = b;
  return (one->integer > other->integer) - (one->integer < other->integer);
}

/* Each once. */
static void settle(st_node_candidates *from) {
  size_t kept = 0;
  if (from->count) qsort(from->ids, from->count, sizeof *from->ids, by_number);
  for (size_t i = 0; i < from->count; i++)
    if (kept == 0 || from->ids[kept - 1].integer != from->ids[i].integer) from->ids[kept++] = from->ids[i];
  from->count = kept;
}

static void read_rows(st_call *call, const st_value *args, st_take_node *take, void *to) {
  st_rows rows;
  st_rows_stream(call, &rows, STELE_M_CAPTURE_SCAN_NODES, args);
  while (st_rows_next(call, &rows)) take(to, &rows);
  st_rows_end(call, &rows);
}

void st_nodes_read(st_call *call, const st_value *which, st_node_candidates *from, st_take_node *take, void *to) {
  st_value args[ST_NODES_PARAMS];
  memcpy(args, which, sizeof args);
  if (from->every) read_rows(call, args, take, to);
  settle(from);
  for (size_t at = 0; at < from->count && !from->every && st_ok(call); at += CHUNK) {
    size_t count = from->count - at < CHUNK ? from->count - at : CHUNK;
    args[ST_P_CAPTURE_SCAN_NODES_IDS] = (st_value){.type = ST_LIST, .items = &from->ids[at], .count = (uint32_t)count, .width = 1};
    read_rows(call, args, take, to);
  }
}
