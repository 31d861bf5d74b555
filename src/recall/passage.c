/* passage.c - see passage.h. */
#include "recall/passage.h"

#include <string.h>

#include "base/hash.h"
#include "recall/shown.h"

static void add(st_str *out, const st_column *column) {
  size_t room = ST_PASSAGE_MAX - out->length, length = column->length < room ? column->length : room;
  while (length > 0 && length < column->length && ((unsigned char)column->text[length] & 0xC0) == 0x80) length--;
  st_str_add(out, column->text, length);
}

st_passage st_passage_of(st_call *call, const st_document *document) {
  st_column columns[ST_SHOWN_COLUMNS];
  st_str out;
  st_str_init(&out, ST_PASSAGE_MAX + 1);
  st_shown_columns(call, document, columns);
  add(&out, &columns[1]);
  if (out.length > 0 && out.length < ST_PASSAGE_MAX) st_str_addc(&out, '\n');
  add(&out, &columns[0]);
  st_value text = st_take(call, &out);
  if (!st_ok(call) || text.type != ST_TEXT) return (st_passage){"", 0, 0};
  return (st_passage){text.bytes, text.length, st_hash64(0, text.bytes, text.length)};
}
