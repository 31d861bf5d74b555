/* clipboard.h - the clipboard of whoever sits at the terminal, also at the other end of ssh (OSC 52). */
#ifndef CLI_TERMINAL_CLIPBOARD_H
#define CLI_TERMINAL_CLIPBOARD_H

#include <stddef.h>

#define CLIPBOARD_MAX 74994 /* bytes: what terminals commonly take, in base64 less than 100,000 */

/* The sequence that puts a text there, in new memory; what is too long is cut at a character.  *taken: how many bytes it holds. */
char *clipboard_sequence(const char *text, size_t *taken);

#endif
