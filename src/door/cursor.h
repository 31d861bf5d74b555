/* cursor.h - where a page of a list begins, as a word that nobody outside needs to read: a row's number,
** or the number of rows before the page. */
#ifndef DOOR_CURSOR_H
#define DOOR_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#define CURSOR_SIZE 20

/* False: it is not one of ours. */
bool cursor_read(const char *cursor, int64_t *start);
void cursor_write(char out[CURSOR_SIZE], int64_t start);

#endif
