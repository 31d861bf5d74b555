/* search.c - every search_* method: rows that hold a text in one of their columns, whatever the case.
**
** Neither engine's LIKE folds the case of all letters, or the same ones.  So a private method yields the rows of the
** table in order, and the text is looked for here.  PostgreSQL sends only rows that may hold it: those with
** something besides ASCII, and those that its LIKE finds. */
#include <string.h>

#include "registry_ids.h"
#include "search/contains.h"
#include "stores/assistant/assistant.h"

#define COLUMNS_MAX 2

/* The parameters of all of them.  The methods that yield the rows have one: the pattern. */
enum { QUERY, LIMIT, OFFSET };

static const struct table {
  int search, scan; /* which method, and which one yields its rows */
  size_t ncolumns;
  size_t columns[COLUMNS_MAX]; /* results to look at */
} TABLES[] = {
    {STELE_M_ASSISTANT_SEARCH_INTERACTIONS,
     STELE_M_ASSISTANT_SCAN_INTERACTIONS,
     2,
     {ST_R_ASSISTANT_SCAN_INTERACTIONS_USER_MESSAGE, ST_R_ASSISTANT_SCAN_INTERACTIONS_AGENT_RESPONSE}},
    {STELE_M_ASSISTANT_SEARCH_NOTES,
     STELE_M_ASSISTANT_SCAN_NOTES,
     2,
     {ST_R_ASSISTANT_SCAN_NOTES_TITLE, ST_R_ASSISTANT_SCAN_NOTES_CONTENT}},
    {STELE_M_ASSISTANT_SEARCH_TASKS, STELE_M_ASSISTANT_SCAN_TASKS, 1, {ST_R_ASSISTANT_SCAN_TASKS_TITLE}},
    {STELE_M_ASSISTANT_SEARCH_USER_FACTS,
     STELE_M_ASSISTANT_SCAN_USER_FACTS,
     2,
     {ST_R_ASSISTANT_SCAN_USER_FACTS_KEY, ST_R_ASSISTANT_SCAN_USER_FACTS_VALUE}},
};

static const struct table *table_of(const st_call *call) {
  const struct table *table = TABLES;
  while (&st_registry.methods[table->search] != call->method) table++;
  return table;
}

/* Can LIKE be trusted to find at least what we would?  Not with what PostgreSQL keeps in another form (control
** characters), and not with letters whose case it may not fold. */
static bool is_plain(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (text[i] < ' ' || text[i] > '~') return false;
  return true;
}

/* The pattern for the texts that hold the needle; absent if there is none that finds them all. */
static st_value make_pattern(st_call *call, const st_needle *needle) {
  st_value pattern = {.type = ST_ABSENT};
  st_str out;
  if (!is_plain(needle->folded, needle->length)) return pattern;
  st_str_init(&out, 2 * needle->length + 2);
  st_str_addc(&out, '%');
  for (size_t i = 0; i < needle->length; i++) {
    if (strchr("%_\\", needle->folded[i])) st_str_addc(&out, '\\');
    st_str_addc(&out, needle->folded[i]);
  }
  st_str_addc(&out, '%');
  if (out.failed)
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  else
    pattern = st_textz(st_call_copy(call, out.text, out.length));
  st_str_free(&out);
  return pattern;
}

static bool is_found(st_call *call, st_rows *rows, const struct table *table, const st_needle *needle) {
  st_value text;
  for (size_t i = 0; i < table->ncolumns; i++) {
    st_rows_value(call, rows, table->columns[i], &text);
    if (text.type == ST_TEXT && st_contains(text.bytes, text.length, needle)) return true;
  }
  return false;
}

void st_assistant_search(st_call *call) {
  const struct table *table = table_of(call);
  const st_value *query = &call->args[QUERY];
  int64_t limit = st_arg_int(call, LIMIT), left_out = st_arg_int(call, OFFSET);
  st_needle needle;
  st_rows rows;
  if (query->length == 0)
    st_fail(call, STELE_INVALID, "query", "query must not be empty");
  else if (!st_needle_make(&needle, call->arena, query->bytes, query->length))
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (!st_ok(call)) return;
  st_value pattern = make_pattern(call, &needle);
  st_rows_stream(call, &rows, table->scan, &pattern);
  while (limit != 0 && st_rows_next(call, &rows)) {
    if (!is_found(call, &rows, table, &needle) || left_out-- > 0) continue;
    st_reply_read(call, &rows, ST_ALL_COLUMNS);
    limit--; /* one that is negative never ends */
  }
  st_rows_end(call, &rows);
}
