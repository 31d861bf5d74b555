/* search.c - conversation.search_messages: filters, snippets and context around what asked.h finds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "registry_ids.h"
#include "search/match.h"
#include "search/ranking.h"
#include "search/snippet.h"
#include "search/text.h"
#include "stores/conversation/asked.h"
#include "stores/conversation/conversation.h"

#define CONTEXT_CHARACTERS 200

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

/* The first so many characters. */
static size_t cut(const char *text, size_t length, int characters) {
  size_t at = 0;
  while (at < length && characters > 0) {
    at++;
    while (at < length && ((unsigned char)text[at] & 0xC0) == 0x80) at++;
    characters--;
  }
  return at;
}

static void add_context(st_call *call, st_str *out, const st_value *role, const st_value *content) {
  size_t length = 0;
  const char *text = "";
  if (content->type == ST_TEXT) text = st_content_text(call->arena, content->bytes, content->length, &length);
  if (!text) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return;
  }
  bool bare = length == 0 && content->type == ST_TEXT && content->length > 0;
  if (bare) {
    text = "[multimodal content]";
    length = strlen(text);
  }
  st_str_addz(out, out->length > 1 ? ",{\"role\":" : "{\"role\":");
  st_json_add_string(out, role->bytes, cut(role->bytes, role->length, CONTEXT_CHARACTERS));
  st_str_addz(out, ",\"content\":");
  st_json_add_string(out, text, cut(text, length, CONTEXT_CHARACTERS));
  st_str_addc(out, '}');
}

/* The message before, the match, the message after. */
static st_value context_of(st_call *call, const st_value *hit) {
  st_value args[2] = {hit[ST_R_CONVERSATION_SEARCH_HIT_ID], hit[ST_R_CONVERSATION_SEARCH_HIT_SESSION_ID]};
  st_value result = {.type = ST_NULL}, id, role, content;
  st_rows rows;
  st_str out;
  bool done = false;
  st_str_init(&out, 1 << 16);
  st_str_addc(&out, '[');
  st_rows_start(call, &rows, STELE_M_CONVERSATION_SEARCH_NEIGHBOURS, args);
  while (st_rows_next(call, &rows)) {
    st_rows_value(call, &rows, 0, &id);
    st_rows_value(call, &rows, 1, &role);
    st_rows_value(call, &rows, 2, &content);
    if (!done && id.integer > args[0].integer) {
      add_context(call, &out, &hit[ST_R_CONVERSATION_SEARCH_HIT_ROLE], &hit[ST_R_CONVERSATION_SEARCH_HIT_CONTENT]);
      done = true;
    }
    add_context(call, &out, &role, &content);
  }
  st_rows_end(call, &rows);
  if (!done) add_context(call, &out, &hit[ST_R_CONVERSATION_SEARCH_HIT_ROLE], &hit[ST_R_CONVERSATION_SEARCH_HIT_CONTENT]);
  st_str_addc(&out, ']');
  if (out.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(call)) result = st_textz(st_call_copy(call, out.text, out.length));
  st_str_free(&out);
  return result;
}

/* From the first of content, calls and tool name in which something matches. */
static st_value snippet_of(st_call *call, st_matcher *matcher, const st_value *hit) {
  static const int columns[] = {ST_R_CONVERSATION_SEARCH_HIT_CONTENT, ST_R_CONVERSATION_SEARCH_HIT_TOOL_CALLS,
                                ST_R_CONVERSATION_SEARCH_HIT_TOOL_NAME};
  const char *first = NULL;
  for (int i = 0; i < 3; i++) {
    const st_value *value = &hit[columns[i]];
    size_t length = 0, made = 0;
    if (value->type != ST_TEXT) continue;
    const char *text = columns[i] == ST_R_CONVERSATION_SEARCH_HIT_TOOL_CALLS
                           ? st_json_text(call->arena, value->bytes, value->length, &length)
                           : st_content_text(call->arena, value->bytes, value->length, &length);
    const char *snippet = text ? st_snippet(call->arena, matcher, text, length, &made) : NULL;
    if (!snippet) {
      st_fail(call, STELE_NOMEM, NULL, "out of memory");
      return st_textz(NULL);
    }
    if (!first) first = snippet;
    if (strstr(snippet, ">>>")) return st_textz(snippet);
  }
  return st_textz(first ? first : "");
}

static void add_hit(st_call *call, st_matcher *matcher, int64_t id) {
  st_value arg = st_int(id);
  st_value hit[16];
  st_rows rows;
  st_rows_start(call, &rows, STELE_M_CONVERSATION_SEARCH_HIT, &arg);
  bool there = st_rows_next(call, &rows); /* it may have been deleted a moment ago */
  for (size_t i = 0; there && i < rows.method->public.nresults; i++) {
    st_rows_value(call, &rows, i, &hit[i]);
    if (hit[i].type == ST_TEXT) hit[i].bytes = st_call_copy(call, hit[i].bytes, hit[i].length);
  }
  st_rows_end(call, &rows);
  st_value *row = there && st_ok(call) ? st_reply(call) : NULL;
  if (!row) return;
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_ID] = hit[ST_R_CONVERSATION_SEARCH_HIT_ID];
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_SESSION_ID] = hit[ST_R_CONVERSATION_SEARCH_HIT_SESSION_ID];
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_ROLE] = hit[ST_R_CONVERSATION_SEARCH_HIT_ROLE];
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_TIMESTAMP] = hit[ST_R_CONVERSATION_SEARCH_HIT_TIMESTAMP];
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_TOOL_NAME] = hit[ST_R_CONVERSATION_SEARCH_HIT_TOOL_NAME];
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_SOURCE] = hit[ST_R_CONVERSATION_SEARCH_HIT_SOURCE];
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_MODEL] = hit[ST_R_CONVERSATION_SEARCH_HIT_MODEL];
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_SESSION_STARTED] = hit[ST_R_CONVERSATION_SEARCH_HIT_SESSION_STARTED];
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_TITLE] = hit[ST_R_CONVERSATION_SEARCH_HIT_TITLE];
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_PROJECT] = hit[ST_R_CONVERSATION_SEARCH_HIT_PROJECT];
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_SNIPPET] = snippet_of(call, matcher, hit);
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_CONTEXT] = context_of(call, hit);
}

static st_order order_of(const st_call *call) {
  const char *sort = st_arg_text(call, ST_P_CONVERSATION_SEARCH_MESSAGES_SORT);
  if (strcmp(sort, "newest") == 0) return ST_ORDER_NEWEST;
  return strcmp(sort, "oldest") == 0 ? ST_ORDER_OLDEST : ST_ORDER_RANK;
}

static bool allows_none(const st_filter *filter) { return filter->sessions && filter->nsessions == 0; }

static void add_hits(st_call *call, const st_query *query, const int64_t *ids, int count) {
  st_matcher *matcher = st_matcher_new(call->arena, query);
  if (!matcher) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  for (int i = 0; i < count && st_ok(call); i++) add_hit(call, matcher, ids[i]);
}

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
  if (ranking.count > offset) add_hits(call, question->query, ids + offset, ranking.count - offset);
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
  if (found.count > offset) add_hits(call, query, ids + offset, found.count - offset);
}

void st_conversation_search_messages(st_call *call) {
  int limit = (int)st_arg_int(call, ST_P_CONVERSATION_SEARCH_MESSAGES_LIMIT);
  int offset = (int)st_arg_int(call, ST_P_CONVERSATION_SEARCH_MESSAGES_OFFSET);
  const char *match = st_arg_text(call, ST_P_CONVERSATION_SEARCH_MESSAGES_MATCH);
  st_filter filter = filter_of(call);
  if (strcmp(match, "question") == 0) answer_question(call, &filter, offset, offset + limit);
  else find_words(call, match, &filter, offset, offset + limit);
}
