/* beside.c - see beside.h. */
#include "search/beside.h"

#include <string.h>

/* Nothing is known of what stands beside an open end. */
static bool is_whole(const st_term *term, int i) { return i >= 0 && i < term->count && !(term->prefix && i == term->count - 1); }

/* 0: the token has none, or is not there. */
static unsigned code_of(const st_common *common, const st_term *term, int i) {
  for (size_t n = 0; n < common->count && is_whole(term, i); n++)
    if (strcmp(common->words[n], term->tokens[i].text) == 0) return (unsigned)n + 1;
  return 0;
}

/* A common word is left to the one before it, if that is read; else to the one behind it, which is read then. */
size_t st_beside_plan(const st_common *common, const st_term *term, st_beside *out) {
  size_t count = 0;
  for (int i = 0; i < term->count; i++) {
    unsigned code = code_of(common, term, i);
    st_beside *last = count && out[count - 1].token == i - 1 && is_whole(term, i - 1) ? &out[count - 1] : NULL;
    if (code && last) last->behind = code;
    else if (code && is_whole(term, i + 1)) out[count++] = (st_beside){.token = ++i, .before = code};
    else out[count++] = (st_beside){.token = i};
  }
  return count;
}
