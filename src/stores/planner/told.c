/* told.c - see told.h. */
#include "stores/planner/told.h"

#include <stdio.h>
#include <string.h>

#include "engine/reply.h"

#define TOLD_MAX (1u << 30)
#define ROW_COLUMNS 32

st_value st_told_text(st_call *call, const st_value *text, size_t text_max) {
  char mark[60];
  if (text->type != ST_TEXT || text->length <= text_max) return *text;
  size_t cut = text_max;
  while (cut > 0 && ((unsigned char)text->bytes[cut] & 0xC0) == 0x80) cut--; /* between characters */
  int size = snprintf(mark, sizeof mark, " [%zu bytes left out]", text->length - cut);
  char *shortened = st_call_alloc(call, cut + (size_t)size + 1);
  if (!shortened) return st_textz(NULL);
  memcpy(shortened, text->bytes, cut);
  memcpy(shortened + cut, mark, (size_t)size);
  return (st_value){.type = ST_TEXT, .bytes = shortened, .length = cut + (size_t)size};
}

st_value st_told_row(st_call *call, const st_method *method, st_value *row, size_t text_max) {
  st_str out;
  for (size_t i = 0; i < method->public.nresults; i++)
    if (method->public.results[i].type == STELE_TYPE_TEXT) row[i] = st_told_text(call, &row[i], text_max);
  st_str_init(&out, TOLD_MAX);
  st_reply_row(&out, method, row, call->arena);
  return st_take(call, &out);
}

bool st_told_add(st_call *call, st_told *told, st_budget *budget, st_value item) {
  if (!st_ok(call)) return false;
  int64_t size = (int64_t)item.length + 1; /* and a comma */
  if (told->left_out > 0 || size > budget->left) {
    told->left_out++;
    return false;
  }
  if (told->count == told->room) {
    size_t room = 2 * told->room + 16;
    const char **grown = st_call_alloc(call, room * sizeof *grown);
    if (!grown) return false;
    if (told->count) memcpy(grown, told->items, told->count * sizeof *grown);
    told->items = grown;
    told->room = room;
  }
  told->items[told->count++] = item.bytes;
  budget->left -= size;
  return true;
}

void st_told_rows(st_call *call, st_told *told, st_budget *budget, int id, const st_value *args) {
  st_rows rows;
  st_value row[ROW_COLUMNS];
  st_rows_start(call, &rows, id, args);
  while (st_rows_next(call, &rows)) {
    for (size_t i = 0; i < rows.method->public.nresults; i++) st_rows_value(call, &rows, i, &row[i]);
    st_told_add(call, told, budget, st_told_row(call, rows.method, row, budget->text_max));
  }
  st_rows_end(call, &rows);
}

st_value st_told_array(st_call *call, const st_told *told, bool backwards) {
  st_str out;
  st_str_init(&out, TOLD_MAX);
  st_str_addc(&out, '[');
  for (size_t i = 0; i < told->count; i++) {
    if (i) st_str_addc(&out, ',');
    st_str_addz(&out, told->items[backwards ? told->count - 1 - i : i]);
  }
  st_str_addc(&out, ']');
  return st_take(call, &out);
}
