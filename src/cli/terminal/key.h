/* key.h - what a terminal sends when keys are pressed, taken apart.  Pure: bytes in, keys out. */
#ifndef CLI_TERMINAL_KEY_H
#define CLI_TERMINAL_KEY_H

#include <stdbool.h>
#include <stddef.h>

/* A key is a number: a control key is its own byte. */
#define KEY_CTRL(letter) ((letter) & 0x1F)
#define KEY_ALT(letter) (0x200 | (letter))
#define KEY_F(number) (0x300 + (number))

enum {
  KEY_TEXT = 0x100, /* a character: key.text */
  KEY_ENTER,
  KEY_ESCAPE,
  KEY_TAB,
  KEY_BACKSPACE,
  KEY_DELETE,
  KEY_UP,
  KEY_DOWN,
  KEY_LEFT,
  KEY_RIGHT,
  KEY_PAGE_UP,
  KEY_PAGE_DOWN,
  KEY_HOME,
  KEY_END,
};

typedef struct key {
  int code;
  char text[5]; /* of KEY_TEXT: one character of UTF-8 */
} key;

/* Bytes that have come and are not yet a key.  Begins as zeros. */
typedef struct key_reader {
  char bytes[256]; /* a NUL is behind the last */
  size_t length;
  bool pasting; /* what comes is a pasted text: nothing in it is a key, and lines become words */
} key_reader;

/* How many bytes can be taken in, and taking them in. */
size_t key_room(const key_reader *r);
void key_feed(key_reader *r, const char *bytes, size_t length);

/* The next key.  False: there is none, or it has not come whole.  `waited`: nothing more has come for a while, so that an
** escape is the key, and not the beginning of another. */
bool key_next(key_reader *r, bool waited, key *out);

/* Is something left that waiting would decide? */
bool key_open(const key_reader *r);

#endif
