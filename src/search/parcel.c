/* parcel.c - see parcel.h. */
#include "search/parcel.h"

void st_parcel_start(st_parcel *parcel, const st_marks *from) {
  st_arena_reset(&parcel->arena);
  parcel->first = parcel->last = NULL;
  parcel->count = 0;
  parcel->bytes = 0;
  parcel->to = *from;
  parcel->after = NULL;
}

st_entry *st_parcel_add(st_call *call, st_parcel *parcel) {
  st_entry *e = st_arena_zero(&parcel->arena, sizeof *e);
  if (!e) {
    st_fail(call, STELE_NOMEM, NULL, "out of memory");
    return NULL;
  }
  if (parcel->last)
    parcel->last->next = e;
  else
    parcel->first = e;
  parcel->last = e;
  parcel->count++;
  return e;
}

st_slice st_parcel_copy(st_call *call, st_parcel *parcel, const st_value *value) {
  st_slice slice = {NULL, 0};
  if (value->type != ST_TEXT) return slice;
  slice.bytes = st_arena_copy(&parcel->arena, value->bytes, value->length);
  slice.length = value->length;
  parcel->bytes += value->length;
  if (!slice.bytes) st_fail(call, STELE_NOMEM, NULL, "out of memory");
  return slice;
}
