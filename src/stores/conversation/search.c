/* search.c - conversation.search_messages: filters, and what asked.h and ranking.h find; hits.h tells it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "registry_ids.h"
#include "search/ranking.h"
#include "stores/conversation/asked.h"
#include "stores/conversation/conversation.h"
#include "stores/conversation/hits.h"

/* The sessions that the filters leave, or all. */
static void set_scope(st_call *call, st_filter *filter) {
  enum { NARROWED_BY = 5 };
  st_value args[NARROWED_BY] = {call->args[ST_P_CONVERSATION_SEARCH_MESSAGES_SOURCE_FILTER],
                      call->args[ST_P_CONVERSATION_SEARCH_MESSAGES_EXCLUDE_SOURCES],
                      call->args[ST_P_CONVERSATION_SEARCH_MESSAGES_PROJECT_FILTER],
                      call->args[ST_P_CONVERSATION_SEARCH_MESSAGES_SESSION],
                      call->args[ST_P_CONVERSATION_SEARCH_MESSAGES_LINEAGE]};
  st_rows rows;
  size_t room = 64;
  bool any = false;
  for (int i = 0; i < NARROWED_BY; i++) any = any || args[i].type > ST_NULL;
  if (!any) return;
  const char **sessions = st_call_alloc(call, room * sizeof *sessions);
  st_rows_start(call, &rows, STELE_M_CONVERSATION_SEARCH_SCOPE, args);
  while (st_rows_next(call, &rows)) {
    st_value id;
    st_rows_value(call, &rows, 0, &id);
    if (filter->nsessions == room) {
      const char **grown = st_call_alloc(call, 2 * room * sizeof *grown);
      if (grown) memcpy(grown, sessions, room * sizeof *grown);
      sessions = grown;
      room *= 2;
    }
    if (st_ok(call)) sessions[filter->nsessions++] = st_call_copy(call, id.bytes, id.length);
  }
  st_rows_end(call, &rows);
  filter->sessions = sessions;
}

static st_filter filter_of(st_call *call) {
  st_filter filter = {.since = -INFINITY, .until = INFINITY};
  const st_value *roles = &call->args[ST_P_CONVERSATION_SEARCH_MESSAGES_ROLE_FILTER];
  if (roles->type == ST_LIST && roles->count > 0) filter.roles = roles;
  if (st_has(call, ST_P_CONVERSATION_SEARCH_MESSAGES_SINCE))
    filter.since = st_arg_real(call, ST_P_CONVERSATION_SEARCH_MESSAGES_SINCE);
  if (st_has(call, ST_P_CONVERSATION_SEARCH_MESSAGES_UNTIL))
    filter.until = st_arg_real(call, ST_P_CONVERSATION_SEARCH_MESSAGES_UNTIL);
  set_scope(call, &filter);
  return filter;
}

static st_order order_of(const st_call *call) {
  const char *sort = st_arg_text(call, ST_P_CONVERSATION_SEARCH_MESSAGES_SORT);
  if (strcmp(sort, "newest") == 0) return ST_ORDER_NEWEST;
  return strcmp(sort, "oldest") == 0 ? ST_ORDER_OLDEST : ST_ORDER_RANK;
}

static bool allows_none(const st_filter *filter) { return filter->sessions && filter->nsessions == 0; }

/* ---- Questions ---- */

static st_document_filter document_filter(st_call *call, const st_filter *filter) {
  st_document_filter made = {.roles = filter->roles, .since = filter->since, .until = filter->until};
  st_value *list = st_call_alloc(call, sizeof *list), *items = st_call_alloc(call, (filter->nsessions + 1) * sizeof *items);
  if (!filter->sessions || !st_ok(call)) return made;
  for (size_t i = 0; i < filter->nsessions; i++) items[i] = st_textz(filter->sessions[i]);
  *list = (st_value){.type = ST_LIST, .items = items, .count = (uint32_t)filter->nsessions, .width = 1};
  made.sessions = list;
  return made;
}

static void answer_question(st_call *call, const st_filter *filter, int offset, int k) {
  const st_value *text = &call->args[ST_P_CONVERSATION_SEARCH_MESSAGES_QUERY];
  const st_question *question = st_question_read(call->arena, text->bytes, text->length);
  st_document_filter documents = document_filter(call, filter);
  int64_t *ids = st_call_alloc(call, ((size_t)k + 1) * sizeof *ids);
  st_ranking ranking = {0};
  if (!question) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(call) && k > offset && !allows_none(filter)) st_ranking_find(call, question, &documents, NULL, 0, k, &ranking);
  if (!st_ok(call)) return;
  for (int i = 0; i < ranking.count; i++) ids[i] = strtoll(ranking.hits[i].document.id.bytes, NULL, 10);
  if (ranking.count > offset) st_hits_tell(call, question->query, ids + offset, ranking.count - offset);
}

/* ---- Words ---- */

static void find_words(st_call *call, const char *match, const st_filter *filter, int offset, int k) {
  st_query *query = st_asked_read(call, &call->args[ST_P_CONVERSATION_SEARCH_MESSAGES_QUERY]);
  int64_t *ids = st_call_alloc(call, ((size_t)k + 1) * sizeof *ids);
  st_found found = {0};
  if (!query || k == offset || allows_none(filter)) return;
  query->quick = st_arg_int(call, ST_P_CONVERSATION_SEARCH_MESSAGES_QUICK) != 0;
  st_asked_find(call, query, match, filter, order_of(call), k, &found);
  if (!st_ok(call)) return;
  for (int i = 0; i < found.count; i++) ids[i] = found.hits[i].id;
  if (found.count > offset) st_hits_tell(call, query, ids + offset, found.count - offset);
}

void st_conversation_search_messages(st_call *call) {
  int limit = (int)st_arg_int(call, ST_P_CONVERSATION_SEARCH_MESSAGES_LIMIT);
  int offset = (int)st_arg_int(call, ST_P_CONVERSATION_SEARCH_MESSAGES_OFFSET);
  const char *match = st_arg_text(call, ST_P_CONVERSATION_SEARCH_MESSAGES_MATCH);
  st_filter filter = filter_of(call);
  if (strcmp(match, "question") == 0) answer_question(call, &filter, offset, offset + limit);
  else find_words(call, match, &filter, offset, offset + limit);
}
