/* when.c - see when.h. */
#include "recall/when.h"

double st_when(st_time_form form, const st_value *time) {
  st_micros micros;
  if (time->type == ST_TEXT) return st_time_parse(time->bytes, time->length, &micros) ? (double)micros / 1e6 : ST_NO_TIME;
  if (time->type != ST_INT && time->type != ST_REAL) return ST_NO_TIME;
  double number = time->type == ST_INT ? (double)time->integer : time->real;
  return form == ST_TIME_MILLIS ? number / 1000 : number;
}

st_value st_when_value(double seconds) {
  if (isinf(seconds)) return (st_value){.type = ST_NULL};
  return (st_value){.type = ST_REAL, .real = seconds};
}
