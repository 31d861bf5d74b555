/* shown.c - see shown.h. */
#include "recall/shown.h"

#include <string.h>

#include "registry_ids.h"
#include "search/snippet.h"
#include "search/text.h"

#define TOKEN_BYTES 4
#define SHORTEST 60 /* bytes of a snippet: less tells nothing */
#define MARK_BEGIN ">>>"
#define MARK_END "<<<"
#define CUT "..."

/* ---- The budget ---- */

st_budget st_budget_of(const st_call *call, int tokens, int rows) {
  st_budget budget = {.limited = st_has(call, tokens), .rows = rows};
  int64_t count = budget.limited ? st_arg_int(call, tokens) : 0;
  budget.left = count < INT64_MAX / TOKEN_BYTES ? count * TOKEN_BYTES : INT64_MAX;
  return budget;
}

bool st_budget_is_spent(const st_budget *budget) { return budget->limited && budget->left < SHORTEST; }

/* What comes next gets its share; what others do not use is for those behind them. */
static size_t share(const st_budget *budget) {
  if (!budget->limited) return SIZE_MAX;
  int64_t even = budget->left / (budget->rows > 0 ? budget->rows : 1);
  return (size_t)(even > SHORTEST ? even : SHORTEST);
}

/* ---- Refs ---- */

st_value st_ref(st_call *call, const char *store, const char *kind, const char *id) {
  st_str out;
  st_str_init(&out, 1 << 20);
  st_str_addf(&out, "%s/%s/", store, kind);
  st_str_addz(&out, id);
  return st_take(call, &out);
}

bool st_ref_read(st_call *call, const st_value *ref, const char **store, const char **kind, const char **id) {
  char *copy = st_call_copy(call, ref->bytes, ref->length);
  char *first = copy ? strchr(copy, '/') : NULL, *second = first ? strchr(first + 1, '/') : NULL;
  if (!second || !second[1]) return false;
  *first = *second = '\0';
  *store = copy;
  *kind = first + 1;
  *id = second + 1;
  return true;
}

/* ---- Snippets ---- */

static bool is_inside_character(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; }

/* Cut a snippet to so many bytes, from around its first match. */
static const char *shorten(st_call *call, const char *snippet, size_t room) {
  size_t length = strlen(snippet), from = 0;
  const char *match = strstr(snippet, MARK_BEGIN);
  if (length <= room) return snippet;
  room -= 2 * strlen(CUT);
  if (match && (size_t)(match - snippet) > room / 2) from = (size_t)(match - snippet) - room / 4;
  if (from > length - room) from = length - room;
  while (from > 0 && is_inside_character(snippet[from])) from--;
  size_t to = length - from > room ? from + room : length;
  while (to > from && to < length && is_inside_character(snippet[to])) to--;
  char *copy = st_call_alloc(call, room + 2 * strlen(CUT) + 1);
  if (!copy) return "";
  char *at = copy;
  if (from > 0) at = stpcpy(at, CUT);
  memcpy(at, snippet + from, to - from);
  at += to - from;
  *at = '\0';
  char *open = NULL; /* a match that is not whole is left out */
  for (char *next = strstr(copy, MARK_BEGIN); next && !open; next = strstr(next + 1, MARK_BEGIN))
    if (!strstr(next, MARK_END)) open = next;
  if (open) at = open;
  if (to < length) strcpy(at, CUT);
  return copy;
}

void st_shown_columns(st_call *call, const st_document *document, st_column out[ST_SHOWN_COLUMNS]) {
  const st_value *values[ST_SHOWN_COLUMNS] = {&document->text, &document->title, &document->extra};
  for (int i = 0; i < ST_SHOWN_COLUMNS; i++) {
    out[i] = (st_column){"", 0};
    if (values[i]->type != ST_TEXT) continue;
    out[i].text = values[i] == &document->extra
                      ? st_json_text(call->arena, values[i]->bytes, values[i]->length, &out[i].length)
                      : st_content_text(call->arena, values[i]->bytes, values[i]->length, &out[i].length);
    if (out[i].text) continue;
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    out[i] = (st_column){"", 0};
  }
}

/* From the first column in which something matches; else the beginning of the first that has a text. */
static const char *snippet_of(st_call *call, const st_document *document, st_matcher *matcher) {
  st_column columns[ST_SHOWN_COLUMNS];
  const char *first = NULL;
  st_shown_columns(call, document, columns);
  for (int i = 0; i < ST_SHOWN_COLUMNS && st_ok(call); i++) {
    size_t length;
    if (columns[i].length == 0) continue;
    const char *snippet = st_snippet(call->arena, matcher, columns[i].text, columns[i].length, &length);
    if (!snippet) st_fail(call, STELE_NOMEM, NULL, "out of memory");
    else if (strstr(snippet, MARK_BEGIN)) return snippet;
    else if (!first) first = snippet;
  }
  return first ? first : "";
}

/* ---- The row ---- */

/* Search and timeline begin alike. */
_Static_assert((int)ST_R_RECALL_SEARCH_REF == (int)ST_R_RECALL_TIMELINE_REF &&
                   (int)ST_R_RECALL_SEARCH_SNIPPET == (int)ST_R_RECALL_TIMELINE_SNIPPET &&
                   (int)ST_R_RECALL_SEARCH_URL == (int)ST_R_RECALL_TIMELINE_URL,
               "recall.search and recall.timeline begin with the same results");

void st_show(st_asked_stores *asked, const st_recalled *row, st_matcher *matcher, st_budget *budget, st_value *out) {
  st_call *call = asked->call;
  const st_document *document = &row->document;
  const char *store = asked->stores[row->store].part.store->store->name;
  const char *snippet = shorten(call, snippet_of(call, document, matcher), share(budget));
  budget->left -= (int64_t)strlen(snippet);
  budget->rows--;
  out[ST_R_RECALL_SEARCH_REF] = st_ref(call, store, row->kind, row->id);
  out[ST_R_RECALL_SEARCH_STORE] = st_textz(store);
  out[ST_R_RECALL_SEARCH_KIND] = st_textz(row->kind);
  out[ST_R_RECALL_SEARCH_ID] = st_textz(row->id);
  out[ST_R_RECALL_SEARCH_TITLE] = document->title;
  out[ST_R_RECALL_SEARCH_SNIPPET] = st_textz(snippet);
  out[ST_R_RECALL_SEARCH_TIME] = st_shown_time(row);
  out[ST_R_RECALL_SEARCH_PROJECT] = document->project;
  out[ST_R_RECALL_SEARCH_SESSION] = document->session;
  out[ST_R_RECALL_SEARCH_ROLE] = document->role;
  out[ST_R_RECALL_SEARCH_URL] = document->url;
}

st_value st_shown_time(const st_recalled *row) {
  return row->time != 0 ? st_real(row->time) : (st_value){.type = ST_NULL};
}

st_value st_shown_mark(const st_asked_stores *asked, const st_recalled *row) {
  return st_textz(st_recalled_kind(asked, row)->mark);
}
