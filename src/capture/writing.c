/* writing.c - see writing.h. */
#include "capture/writing.h"

void *st_writing_need(st_writing *w, void *memory) {
  if (!memory) st_fail(w->call, STELE_NOMEM, NULL, "out of memory");
  return memory;
}

st_value st_writing_keep(st_writing *w, st_value value) {
  if (value.type != ST_TEXT) return value;
  value.bytes = st_writing_need(w, st_arena_copy(w->arena, value.bytes, value.length));
  return value.bytes ? value : st_value_null();
}

bool st_writing_row(st_writing *w, int method, const st_value *args, st_value *columns, size_t count) {
  st_rows rows;
  st_rows_start(w->call, &rows, method, args);
  bool found = st_rows_next(w->call, &rows);
  for (size_t i = 0; found && i < count; i++) {
    st_rows_value(w->call, &rows, i, &columns[i]);
    columns[i] = st_writing_keep(w, columns[i]);
  }
  st_rows_end(w->call, &rows);
  return found && st_ok(w->call);
}

int64_t st_writing_number(st_writing *w, int method, const st_value *args) {
  st_value value = st_int(0);
  return st_writing_row(w, method, args, &value, 1) && value.type == ST_INT ? value.integer : 0;
}
