/* key.c - see key.h. */
#include "key.h"

#include <stdlib.h>
#include <string.h>

#include "../../door/utf8.h"

#define ESCAPE '\033'
#define PASTE_END "\033[201~"

size_t key_room(const key_reader *r) {
  return sizeof r->bytes - 1 - r->length;
}

void key_feed(key_reader *r, const char *bytes, size_t length) {
  if (length > key_room(r)) length = key_room(r);
  memcpy(r->bytes + r->length, bytes, length);
  r->length += length;
  r->bytes[r->length] = '\0';
}

bool key_open(const key_reader *r) {
  return r->length > 0;
}

static void drop(key_reader *r, size_t length) {
  r->length -= length;
  memmove(r->bytes, r->bytes + length, r->length + 1);
}

/* ESC [ number ~ */
static int numbered(long number) {
  static const int keys[] = {
      [1] = KEY_HOME,   [3] = KEY_DELETE, [4] = KEY_END,    [5] = KEY_PAGE_UP, [6] = KEY_PAGE_DOWN, [7] = KEY_HOME,
      [8] = KEY_END,    [11] = KEY_F(1),  [12] = KEY_F(2),  [13] = KEY_F(3),   [14] = KEY_F(4),     [15] = KEY_F(5),
      [17] = KEY_F(6),  [18] = KEY_F(7),  [19] = KEY_F(8),  [20] = KEY_F(9),   [21] = KEY_F(10),
  };
  return number > 0 && number < (long)(sizeof keys / sizeof *keys) ? keys[number] : 0;
}

/* ESC [ letter and ESC O letter */
static int lettered(char letter) {
  switch (letter) {
    case 'A': return KEY_UP;
    case 'B': return KEY_DOWN;
    case 'C': return KEY_RIGHT;
    case 'D': return KEY_LEFT;
    case 'H': return KEY_HOME;
    case 'F': return KEY_END;
    case 'P': case 'Q': case 'R': case 'S': return KEY_F(1 + letter - 'P');
    default: return 0;
  }
}

/* A sequence that begins with ESC [: its length, 0 if its end has not come; *code is 0 for one that is no key of ours.
** Modifiers (ESC [ 1 ; 5 A) are not looked at. */
static size_t bracketed(key_reader *r, int *code) {
  size_t end = 2;
  *code = 0;
  if (r->bytes[2] == '[') { /* the function keys of the Linux console: ESC [ [ A */
    if (r->length < 4) return 0;
    if (r->bytes[3] >= 'A' && r->bytes[3] <= 'E') *code = KEY_F(1 + r->bytes[3] - 'A');
    return 4;
  }
  while (end < r->length && r->bytes[end] >= 0x20 && r->bytes[end] < 0x40) end++;
  if (end == r->length) return 0;
  long number = strtol(r->bytes + 2, NULL, 10);
  if (r->bytes[end] == '~' && number == 200) r->pasting = true;
  *code = r->bytes[end] == '~' ? numbered(number) : lettered(r->bytes[end]);
  return end + 1;
}

/* What begins with an escape: its length, 0 if it has not come whole. */
static size_t escaped(key_reader *r, int *code) {
  *code = KEY_ESCAPE;
  if (r->length == 1) return 0;
  if (r->bytes[1] == '[') return bracketed(r, code);
  if (r->bytes[1] == 'O') {
    if (r->length < 3) return 0;
    *code = lettered(r->bytes[2]);
    return 3;
  }
  if (r->bytes[1] > ' ' && r->bytes[1] < 0x7F) {
    *code = KEY_ALT(r->bytes[1]);
    return 2;
  }
  return 1;
}

static int control(char byte) {
  if (byte == '\r' || byte == '\n') return KEY_ENTER;
  if (byte == '\t') return KEY_TAB;
  if (byte == 0x7F || byte == '\b') return KEY_BACKSPACE;
  return byte;
}

/* Are the bytes the beginning of a character whose rest is on its way? */
static bool unfinished(const key_reader *r) {
  unsigned char first = (unsigned char)r->bytes[0];
  size_t length = first < 0xC2 || first > 0xF4 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (size_t i = 1; i < r->length; i++)
    if (((unsigned char)r->bytes[i] & 0xC0) != 0x80) return false;
  return r->length < length;
}

/* A character: its length; 0 if it has not come whole.  A byte that is none has no code. */
static size_t character(const key_reader *r, bool waited, key *out) {
  size_t length = utf8_size(r->bytes);
  if (!length) return unfinished(r) && !waited ? 0 : 1;
  out->code = KEY_TEXT;
  memcpy(out->text, r->bytes, length);
  return length;
}

/* Of a pasted text, all of which will come. */
static size_t pasted(key_reader *r, key *out) {
  size_t known = r->length < strlen(PASTE_END) ? r->length : strlen(PASTE_END);
  if (memcmp(r->bytes, PASTE_END, known) == 0) {
    if (known < strlen(PASTE_END)) return 0;
    r->pasting = false;
    return known;
  }
  unsigned char first = (unsigned char)r->bytes[0];
  if (first >= 0x20 && first != 0x7F) return character(r, false, out);
  if (first == '\r' || first == '\n' || first == '\t') *out = (key){.code = KEY_TEXT, .text = " "};
  return 1;
}

/* It will not become whole: an escape is the key, and anything longer is nothing. */
static size_t given_up(const key_reader *r, key *out) {
  out->code = r->length == 1 && r->bytes[0] == ESCAPE ? KEY_ESCAPE : 0;
  return r->length;
}

bool key_next(key_reader *r, bool waited, key *out) {
  while (r->length > 0) {
    unsigned char first = (unsigned char)r->bytes[0];
    size_t length = 1;
    *out = (key){0};
    if (r->pasting) length = pasted(r, out);
    else if (first == ESCAPE) length = escaped(r, &out->code);
    else if (first < 0x20 || first == 0x7F) out->code = control(r->bytes[0]);
    else length = character(r, waited, out);
    if (!length && ((!waited && key_room(r) > 0) || r->pasting)) return false;
    if (!length) length = given_up(r, out);
    drop(r, length);
    if (out->code) return true;
  }
  return false;
}
