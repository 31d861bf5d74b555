/* fold.h - texts that differ only in case, diacritics, width or composition become the same.
**
** Case is folded as Unicode says (Straße: strasse).  Diacritics are removed (École: ecole, й: и), but
** no vowel of a script that needs them (Hebrew, Arabic, Indic, Thai).  Full-width Latin and half-width
** Kana and Hangul become ordinary; compatibility ideographs and radicals the Han character they stand
** for.  Hangul stays in syllables and Kana keeps its voicing, also when the text has them in pieces.
** The dotted and the dotless i are the same letter.  What is not seen (joiners, soft hyphens,
** variation selectors) is removed. */
#ifndef ST_FOLD_H
#define ST_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define ST_FOLD_MAX 32 /* most bytes that one character becomes; 9 are the most in Unicode 15 */

/* The character at `at`, before end, in ordinary width, together with the jamo or the voicing mark
** behind it where they are one character; and the bytes it takes.  -1: those bytes are none. */
int32_t st_fold_read(const char *at, const char *end, int *size);

/* Write the folded form of a character that st_fold_read() gave; its length.  0: it is removed. */
size_t st_fold_char(int32_t c, char out[ST_FOLD_MAX]);

/* Append the folded form of a text.  Bytes that are no character become U+FFFD. */
void st_fold(st_str *out, const char *text, size_t length);

#endif
