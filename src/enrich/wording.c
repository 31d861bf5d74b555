/* wording.c - see wording.h. */
#include "enrich/wording.h"

#include <string.h>

#include "base/utf8.h"
#include "enrich/letters.h"

#define ELLIPSIS "\xE2\x80\xA6"
enum { SENTENCE_READ = 600 }; /* bytes of a sentence that are looked at */

st_wording st_wording_of(st_arena *arena, size_t room) {
  char *bytes = st_arena_alloc(arena, room + 1);
  if (bytes) bytes[0] = '\0';
  return (st_wording){.bytes = bytes, .room = bytes ? room : 0};
}

void st_word_addz(st_wording *to, const char *text) {
  size_t length = strlen(text);
  if (!to->bytes || length > to->room - to->length) return;
  memcpy(to->bytes + to->length, text, length + 1);
  to->length += length;
}

/* One character of the source, or a blank for what is none: how many bytes it took.  0: there is no room. */
static size_t put(st_wording *to, const char *at, const char *end, size_t *used) {
  int size = st_utf8_char(at, end);
  bool plain = size > 0 && !((unsigned char)*at < 0x20 || *at == 0x7f);
  size_t need = plain ? (size_t)size : 1, step = (size_t)(size > 0 ? size : -size);
  if (plain || (to->length && to->bytes[to->length - 1] != ' ')) {
    if (need > to->room - to->length) return 0;
    if (plain) memcpy(to->bytes + to->length, at, need);
    else to->bytes[to->length] = ' ';
    to->length += need;
    *used += need;
  }
  return step;
}

void st_word_add(st_wording *to, st_text text, size_t most) {
  size_t room = to->room, start = to->length, used = 0;
  text = st_text_trim(text);
  if (most < room - to->length) to->room = to->length + most;
  const char *at = text.length ? text.bytes : "", *end = at + text.length;
  while (at < end) {
    size_t step = *at == ' ' && to->length > start && to->bytes[to->length - 1] == ' ' ? 1 : put(to, at, end, &used);
    if (step == 0) break;
    at += step;
  }
  to->room = room;
  if (at < end && to->length >= start + sizeof ELLIPSIS) { /* the last characters give way to it */
    to->length -= sizeof ELLIPSIS - 1;
    while (to->length > start && ((unsigned char)to->bytes[to->length] & 0xC0) == 0x80) to->length--;
    memcpy(to->bytes + to->length, ELLIPSIS, sizeof ELLIPSIS - 1);
    to->length += sizeof ELLIPSIS - 1;
  }
  if (to->bytes) to->bytes[to->length] = '\0';
}

/* ---- Sentences ---- */

static bool ends_sentence(st_text text, size_t at) {
  char c = text.bytes[at];
  if (c == '\n') return true;
  return (c == '.' || c == '!' || c == '?') && (at + 1 == text.length || st_is_blank(text.bytes[at + 1]));
}

bool st_sentence_next(st_text *text, st_text *sentence) {
  while (text->length && (st_is_blank(text->bytes[0]) || strchr("-*#>", text->bytes[0]))) *text = st_text_from(*text, 1);
  size_t length = 0;
  while (length < text->length && !ends_sentence(*text, length)) length++;
  if (length < text->length && text->bytes[length] != '\n') length++;
  *sentence = st_text_trim((st_text){text->bytes, length});
  *text = st_text_from(*text, length);
  return sentence->length > 0;
}

bool st_says(st_text text, const char *const *phrases) {
  char small[SENTENCE_READ];
  size_t length = text.length < sizeof small ? text.length : sizeof small;
  for (size_t i = 0; i < length; i++) small[i] = (char)(st_is_upper(text.bytes[i]) ? text.bytes[i] + 32 : text.bytes[i]);
  for (; *phrases; phrases++)
    if (memmem(small, length, *phrases, strlen(*phrases))) return true;
  return false;
}
