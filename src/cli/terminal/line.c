/* line.c - see line.h. */
#include "line.h"

#include <string.h>

#include "../../door/utf8.h"
#include "../text.h"

static size_t before(const line *l) {
  size_t at = l->at;
  while (at > 0 && ((unsigned char)l->text[--at] & 0xC0) == 0x80) continue;
  return at;
}

static size_t behind(const line *l) {
  return l->at < l->length ? l->at + utf8_size(l->text + l->at) : l->at;
}

/* Take out a part, and put the cursor there. */
static bool cut(line *l, size_t from, size_t to) {
  memmove(l->text + from, l->text + to, l->length - to + 1);
  l->length -= to - from;
  l->at = from;
  return to > from;
}

static bool insert(line *l, const char *text) {
  size_t length = strlen(text);
  if (l->length + length >= sizeof l->text || text_obeyed(text)) return false;
  memmove(l->text + l->at + length, l->text + l->at, l->length - l->at + 1);
  memcpy(l->text + l->at, text, length);
  l->length += length;
  l->at += length;
  return true;
}

static size_t word_before(const line *l) {
  size_t at = l->at;
  while (at > 0 && l->text[at - 1] == ' ') at--;
  while (at > 0 && l->text[at - 1] != ' ') at--;
  return at;
}

void line_clear(line *l) {
  *l = (line){.length = 0};
}

bool line_edit(line *l, const key *k) {
  switch (k->code) {
    case KEY_TEXT: return insert(l, k->text);
    case KEY_BACKSPACE: return cut(l, before(l), l->at);
    case KEY_DELETE: case KEY_CTRL('d'): return cut(l, l->at, behind(l));
    case KEY_CTRL('w'): return cut(l, word_before(l), l->at);
    case KEY_CTRL('u'): return cut(l, 0, l->at);
    case KEY_CTRL('k'): return cut(l, l->at, l->length);
    case KEY_LEFT: case KEY_CTRL('b'): l->at = before(l); return false;
    case KEY_RIGHT: case KEY_CTRL('f'): l->at = behind(l); return false;
    case KEY_CTRL('a'): l->at = 0; return false;
    case KEY_CTRL('e'): l->at = l->length; return false;
    default: return false;
  }
}
