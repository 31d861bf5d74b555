/* columns.c - see columns.h. */
#include "search/columns.h"

#include "search/text.h"

static st_column column_of(st_call *call, st_arena *arena, const st_value *value, bool json) {
  st_column column = {NULL, 0};
  if (value->type != ST_TEXT) return column;
  column.text = json ? st_json_text(arena, value->bytes, value->length, &column.length)
                     : st_content_text(arena, value->bytes, value->length, &column.length);
  if (column.text) return column;
  st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return (st_column){NULL, 0};
}

void st_columns_read(st_call *call, st_arena *arena, const st_value *text, const st_value *title, const st_value *extra,
                     st_column out[ST_COLUMNS]) {
  out[0] = column_of(call, arena, text, false);
  out[1] = column_of(call, arena, title, false);
  out[2] = column_of(call, arena, extra, true);
}
