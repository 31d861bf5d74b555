/* chore.c - see chore.h. */
#include "engine/chore.h"

#include <stdarg.h>
#include <stdio.h>

static st_value words(st_call *call, const char *format, va_list args) {
  va_list once_more;
  va_copy(once_more, args);
  int length = vsnprintf(NULL, 0, format, args);
  char *text = length < 0 ? NULL : st_call_alloc(call, (size_t)length + 1);
  if (text) vsnprintf(text, (size_t)length + 1, format, once_more);
  va_end(once_more);
  return st_textz(text);
}

st_value st_chore_what(st_call *call, const char *format, ...) {
  va_list args;
  va_start(args, format);
  st_value made = words(call, format, args);
  va_end(args);
  return made;
}

void st_chore_tell(st_call *call, st_value what, const char *change, const char *why, ...) {
  enum { WHAT, CHANGE, WHY };
  va_list args;
  va_start(args, why);
  st_value reason = words(call, why, args);
  va_end(args);
  st_value *row = st_reply(call);
  if (!row) return;
  row[WHAT] = what;
  row[CHANGE] = st_textz(change);
  row[WHY] = reason;
}

bool st_chore_in_earnest(const st_call *call, int dry_run) {
  return st_ok(call) && call->first && !st_arg_int(call, dry_run);
}
