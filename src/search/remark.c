/* remark.c - collects the sentences. */
#include "search/remark.h"

#include <string.h>

#include "base/chars.h"
#include "base/utf8.h"

#define MAX_SENTENCES 5
#define MAX_QUOTE 48
#define MAX_LENGTH 8192 /* never reached: sentences are few and what they quote is cut */

void st_remark_init(st_remark *remark) {
  st_str_init(&remark->text, MAX_LENGTH);
  remark->count = 0;
}

void st_remark_free(st_remark *remark) {
  st_str_free(&remark->text);
}

void st_remark_add(st_remark *remark, const char *sentence) {
  if (remark->count > MAX_SENTENCES) return;
  if (remark->text.text && strstr(remark->text.text, sentence)) return;
  if (remark->count) st_str_addz(&remark->text, "; ");
  st_str_addz(&remark->text, remark->count == MAX_SENTENCES ? "and more" : sentence);
  remark->count++;
}

void st_remark_quote(st_str *out, const char *text, size_t length) {
  const char *end = text + length;
  size_t start = out->length;
  while (text < end && out->length - start < MAX_QUOTE && !out->failed) {
    int size;
    int32_t c = st_char_read(text, end, &size);
    if (c < 0) st_str_addz(out, ST_UTF8_REPLACEMENT);
    else if (c < 0x20 || c == 0x7F) st_str_addc(out, ' ');
    else st_str_add(out, text, (size_t)size);
    text += size;
  }
  if (text < end) st_str_addz(out, "...");
}

const char *st_remark_text(const st_remark *remark, st_arena *arena) {
  if (remark->text.failed) return NULL;
  return st_arena_copy(arena, remark->text.text, remark->text.length);
}
