/* scan.c - see scan.h. */
#include "search/scan.h"

#include <string.h>

#include "search/contains.h"

/* Can LIKE be trusted to find at least what we would?  Not with what PostgreSQL keeps in another form (control
** characters), and not with letters whose case it may not fold. */
static bool is_plain(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (text[i] < ' ' || text[i] > '~') return false;
  return true;
}

/* The pattern for the texts that hold the needle; absent if there is none that finds them all. */
static st_value make_pattern(st_call *call, const st_needle *needle) {
  st_str out;
  if (!is_plain(needle->folded, needle->length)) return (st_value){.type = ST_ABSENT};
  st_str_init(&out, 2 * needle->length + 2);
  st_str_addc(&out, '%');
  for (size_t i = 0; i < needle->length; i++) {
    if (strchr("%_\\", needle->folded[i])) st_str_addc(&out, '\\');
    st_str_addc(&out, needle->folded[i]);
  }
  st_str_addc(&out, '%');
  return st_take(call, &out);
}

static bool is_found(st_call *call, st_rows *rows, const st_scan *scan, const st_needle *needle) {
  st_value text;
  for (size_t i = 0; i < scan->ncolumns; i++) {
    st_rows_value(call, rows, scan->columns[i], &text);
    if (text.type == ST_TEXT && st_contains(text.bytes, text.length, needle)) return true;
  }
  return false;
}

void st_scan_reply(st_call *call, const st_scan *scan) {
  int64_t limit = scan->limit, left_out = scan->offset;
  st_needle needle;
  st_rows rows;
  if (scan->query->length == 0)
    st_fail(call, STELE_INVALID, "query", "query must not be empty");
  else if (!st_needle_make(&needle, call->arena, scan->query->bytes, scan->query->length))
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
  if (!st_ok(call)) return;
  scan->args[scan->pattern] = make_pattern(call, &needle);
  st_rows_stream(call, &rows, scan->method, scan->args);
  while (limit != 0 && st_rows_next(call, &rows)) {
    if (!is_found(call, &rows, scan, &needle) || left_out-- > 0) continue;
    st_reply_read(call, &rows, ST_ALL_COLUMNS);
    limit--; /* one that is negative never ends */
  }
  st_rows_end(call, &rows);
}
