/* documents.c - see documents.h. */
#include "search/documents.h"

#include <stdio.h>

#include "search/allowed.h"
#include "search/documents_messages.h"

static const char *const MESSAGE = "message";

static bool allows_messages(const st_document_filter *filter) {
  st_value kind = st_textz(MESSAGE);
  kind.length = 7;
  return st_list_has(filter->kinds, &kind);
}

static const char *number_text(st_call *call, int64_t number) {
  char text[24];
  int length = snprintf(text, sizeof text, "%lld", (long long)number);
  return st_call_copy(call, text, (size_t)length);
}

static void tell_messages(st_call *call, const st_found *from, st_documents_found *found) {
  found->hits = st_call_alloc(call, ((size_t)from->count + 1) * sizeof *found->hits);
  for (int i = 0; i < from->count && st_ok(call); i++) {
    const st_hit *hit = &from->hits[i];
    found->hits[i] = (st_document_hit){hit->id, MESSAGE, number_text(call, hit->id), hit->score, hit->time};
  }
  if (!st_ok(call)) return;
  found->count = from->count;
  found->matches = from->matches;
}

void st_documents_find(st_call *call, const st_query *query, const st_document_filter *filter, st_order order, int k,
                       st_documents_found *found) {
  st_found messages;
  *found = (st_documents_found){0};
  if (!st_ok(call) || !allows_messages(filter)) return;
  st_messages_find(call, query, filter, order, k, &messages);
  if (st_ok(call)) tell_messages(call, &messages, found);
}

void st_documents_list(st_call *call, const st_document_filter *filter, st_order order, int k, st_documents_found *found) {
  st_found messages;
  *found = (st_documents_found){0};
  if (!st_ok(call) || !allows_messages(filter)) return;
  st_messages_list(call, filter, order, k, &messages);
  if (st_ok(call)) tell_messages(call, &messages, found);
}

void st_documents_index(st_call *call, bool rebuild, int64_t *indexed) { st_messages_index(call, rebuild, indexed); }
