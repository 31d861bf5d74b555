/* chars.h - what a character is: of a word, of a script without spaces, or neither. */
#ifndef ST_CHARS_H
#define ST_CHARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum st_char_kind {
  ST_CHAR_LETTER,  /* of a word: a letter, a number, or private use (Unicode L*, N*, Co) */
  ST_CHAR_MARK,    /* belongs to the letter before it (M*); nothing where there is none */
  ST_CHAR_CJK,     /* written without spaces: Han, Kana, Hangul, Bopomofo */
  ST_CHAR_SYMBOL,  /* an emoji or another symbol (So) */
  ST_CHAR_SPACE,   /* white space, also the zero-width space */
  ST_CHAR_PUNCT,   /* everything else */
  ST_CHAR_NOTHING, /* not seen and not meant: joiners, soft hyphens, variation selectors, skin tones */
} st_char_kind;

/* Symbols that draw (boxes, blocks, Braille spinners), those of Latin-1 and U+FFFD are PUNCT: terminal
** output is full of them and nobody looks for them.  So are Sk and Sm, which hold ` ^ + < = > | ~.  The
** emoji blocks are SYMBOL as a whole, so that emoji younger than the Unicode tables are found too. */
st_char_kind st_char_kind_of(int32_t c);

bool st_char_is_cjk(int32_t c);

/* A diacritic in the Latin way, which folding removes.  The vowels of other scripts are none. */
bool st_char_is_diacritic(int32_t c);

/* The character at `at`, before end, and its size in bytes.  -1: those bytes are none. */
int32_t st_char_read(const char *at, const char *end, int *size);

/* Write c as UTF-8; its size. */
size_t st_char_write(int32_t c, char out[4]);

#endif
