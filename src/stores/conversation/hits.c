/* hits.c - see hits.h.  Two statements read all of them, however many: a server may be far away. */
#include "stores/conversation/hits.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "registry_ids.h"
#include "search/match.h"
#include "search/snippet.h"
#include "search/text.h"

#define CONTEXT_CHARACTERS 200

enum { HIT_RESULTS = ST_R_CONVERSATION_SEARCH_HITS_PROJECT + 1, NEIGHBOUR_RESULTS = ST_R_CONVERSATION_SEARCH_NEIGHBOURS_TOOL_NAME + 1 };

typedef struct hit {
  int64_t id;
  bool there; /* it may have been deleted a moment ago */
  st_value found[HIT_RESULTS];
  st_value around[2][NEIGHBOUR_RESULTS]; /* before and after; null where there is none */
} hit;

typedef struct hits {
  st_call *call;
  hit *all, **by_id;
  size_t count;
  st_value ids; /* of all of them, a list */
} hits;

/* ---- Reading ---- */

static int compare_hits(const void *a, const void *b) {
  int64_t one = (*(hit *const *)a)->id, other = (*(hit *const *)b)->id;
  return (one > other) - (one < other);
}

static int compare_id(const void *id, const void *one) {
  int64_t wanted = *(const int64_t *)id, has = (*(hit *const *)one)->id;
  return (wanted > has) - (wanted < has);
}

/* NULL: no hit has that number. */
static hit *find_hit(const hits *h, int64_t id) {
  hit **found = bsearch(&id, h->by_id, h->count, sizeof *h->by_id, compare_id);
  return found ? *found : NULL;
}

static void list_hits(hits *h, const int64_t *ids) {
  st_value *items = st_call_alloc(h->call, h->count * sizeof *items);
  h->all = st_call_alloc(h->call, h->count * sizeof *h->all);
  h->by_id = st_call_alloc(h->call, h->count * sizeof *h->by_id);
  if (!st_ok(h->call)) return;
  for (size_t i = 0; i < h->count; i++) {
    h->all[i] = (hit){.id = ids[i]};
    h->by_id[i] = &h->all[i];
    items[i] = st_int(ids[i]);
  }
  qsort(h->by_id, h->count, sizeof *h->by_id, compare_hits);
  h->ids = (st_value){.type = ST_LIST, .items = items, .count = (uint32_t)h->count, .width = 1};
}

static void read_hits(hits *h) {
  st_value row[HIT_RESULTS];
  st_rows rows;
  st_rows_start(h->call, &rows, STELE_M_CONVERSATION_SEARCH_HITS, &h->ids);
  while (st_rows_next(h->call, &rows)) {
    st_rows_keep(h->call, &rows, row);
    hit *one = st_ok(h->call) ? find_hit(h, row[ST_R_CONVERSATION_SEARCH_HITS_ID].integer) : NULL;
    if (!one) continue;
    one->there = true;
    memcpy(one->found, row, sizeof row);
  }
  st_rows_end(h->call, &rows);
}

static void read_neighbours(hits *h) {
  st_value row[NEIGHBOUR_RESULTS];
  st_rows rows;
  st_rows_start(h->call, &rows, STELE_M_CONVERSATION_SEARCH_NEIGHBOURS, &h->ids);
  while (st_rows_next(h->call, &rows)) {
    st_rows_keep(h->call, &rows, row);
    hit *one = st_ok(h->call) ? find_hit(h, row[ST_R_CONVERSATION_SEARCH_NEIGHBOURS_OF].integer) : NULL;
    if (one) memcpy(one->around[row[ST_R_CONVERSATION_SEARCH_NEIGHBOURS_ID].integer > one->id], row, sizeof row);
  }
  st_rows_end(h->call, &rows);
}

/* ---- Context ---- */

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

static void add_neighbour(st_call *call, st_str *out, const st_value *row) {
  if (row[ST_R_CONVERSATION_SEARCH_NEIGHBOURS_ID].type == ST_INT)
    add_context(call, out, &row[ST_R_CONVERSATION_SEARCH_NEIGHBOURS_ROLE], &row[ST_R_CONVERSATION_SEARCH_NEIGHBOURS_CONTENT]);
}

/* The message before, the match, the message after. */
static st_value context_of(st_call *call, const hit *one) {
  st_value result = {.type = ST_NULL};
  st_str out;
  st_str_init(&out, 1 << 16);
  st_str_addc(&out, '[');
  add_neighbour(call, &out, one->around[0]);
  add_context(call, &out, &one->found[ST_R_CONVERSATION_SEARCH_HITS_ROLE], &one->found[ST_R_CONVERSATION_SEARCH_HITS_CONTENT]);
  add_neighbour(call, &out, one->around[1]);
  st_str_addc(&out, ']');
  if (out.failed) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(call)) result = st_textz(st_call_copy(call, out.text, out.length));
  st_str_free(&out);
  return result;
}

/* ---- Snippets ---- */

/* From the first of content, calls and tool name in which something matches. */
static st_value snippet_of(st_call *call, st_matcher *matcher, const st_value *found) {
  static const int columns[] = {ST_R_CONVERSATION_SEARCH_HITS_CONTENT, ST_R_CONVERSATION_SEARCH_HITS_TOOL_CALLS,
                                ST_R_CONVERSATION_SEARCH_HITS_TOOL_NAME};
  const char *first = NULL;
  for (int i = 0; i < 3; i++) {
    const st_value *value = &found[columns[i]];
    size_t length = 0, made = 0;
    if (value->type != ST_TEXT) continue;
    const char *text = columns[i] == ST_R_CONVERSATION_SEARCH_HITS_TOOL_CALLS
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

/* ---- Telling ---- */

static void tell(st_call *call, st_matcher *matcher, const hit *one) {
  static const int same[][2] = {
      {ST_R_CONVERSATION_SEARCH_MESSAGES_ID, ST_R_CONVERSATION_SEARCH_HITS_ID},
      {ST_R_CONVERSATION_SEARCH_MESSAGES_SESSION_ID, ST_R_CONVERSATION_SEARCH_HITS_SESSION_ID},
      {ST_R_CONVERSATION_SEARCH_MESSAGES_ROLE, ST_R_CONVERSATION_SEARCH_HITS_ROLE},
      {ST_R_CONVERSATION_SEARCH_MESSAGES_TIMESTAMP, ST_R_CONVERSATION_SEARCH_HITS_TIMESTAMP},
      {ST_R_CONVERSATION_SEARCH_MESSAGES_TOOL_NAME, ST_R_CONVERSATION_SEARCH_HITS_TOOL_NAME},
      {ST_R_CONVERSATION_SEARCH_MESSAGES_SOURCE, ST_R_CONVERSATION_SEARCH_HITS_SOURCE},
      {ST_R_CONVERSATION_SEARCH_MESSAGES_MODEL, ST_R_CONVERSATION_SEARCH_HITS_MODEL},
      {ST_R_CONVERSATION_SEARCH_MESSAGES_SESSION_STARTED, ST_R_CONVERSATION_SEARCH_HITS_SESSION_STARTED},
      {ST_R_CONVERSATION_SEARCH_MESSAGES_TITLE, ST_R_CONVERSATION_SEARCH_HITS_TITLE},
      {ST_R_CONVERSATION_SEARCH_MESSAGES_PROJECT, ST_R_CONVERSATION_SEARCH_HITS_PROJECT},
  };
  st_value *row = st_reply(call);
  if (!row) return;
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) row[same[i][0]] = one->found[same[i][1]];
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_SNIPPET] = snippet_of(call, matcher, one->found);
  row[ST_R_CONVERSATION_SEARCH_MESSAGES_CONTEXT] = context_of(call, one);
}

void st_hits_tell(st_call *call, const st_query *query, const int64_t *ids, int count) {
  hits h = {.call = call, .count = (size_t)count};
  st_matcher *matcher = st_matcher_new(call->arena, query);
  if (!matcher) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (st_ok(call)) list_hits(&h, ids);
  if (st_ok(call)) read_hits(&h);
  if (st_ok(call)) read_neighbours(&h);
  for (size_t i = 0; i < h.count && st_ok(call); i++)
    if (h.all[i].there) tell(call, matcher, &h.all[i]);
}
