/* screen.h - what the terminal shall show, and the least that must be written so that it does.
**
** A frame is put together from texts: screen_clear(), screen_put(), screen_draw().  Drawing compares it with the frame before
** and tells the bytes for what is different.  This is the only way from a text to the terminal, and nothing that a terminal
** would obey passes it, whatever the text holds. */
#ifndef CLI_TERMINAL_SCREEN_H
#define CLI_TERMINAL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* X(name, with colours, without).  Without, it is only what a terminal of one colour can do as well. */
#define STYLES(X)                    \
  X(NORMAL, "0", "0")                \
  X(BOLD, "0;1", "0;1")              \
  X(DIM, "0;2", "0")                 \
  X(MATCH, "0;1;31", "0;1;4")        \
  X(CHOSEN, "0;7", "0;7")            \
  X(CHOSEN_MATCH, "0;1;7", "0;1;4;7") \
  X(FILTER, "0;1;36", "0;1;4")       \
  X(PROBLEM, "0;33", "0;1")

typedef enum style {
#define STYLE_X(name, colour, plain) STYLE_##name,
  STYLES(STYLE_X)
#undef STYLE_X
} style;

#define CELL_BYTES 22 /* a character and what is combined with it; more of that is left out */

typedef struct cell {
  char text[CELL_BYTES]; /* "" for the second half of a wide character */
  unsigned char length;
  unsigned char style;
} cell;

typedef struct screen {
  size_t rows, columns;
  cell *next, *shown; /* rows * columns each */
  bool colours;       /* otherwise only bold, underlined, reversed */
  bool unicode;       /* otherwise only ASCII is shown */
  bool anew;          /* nothing is known of what the terminal shows */
  size_t cursor_row, cursor_column;
} screen;

/* Be of another size.  All of it will be drawn anew. */
void screen_resize(screen *s, size_t rows, size_t columns);
void screen_free(screen *s);

/* Begin a frame: nothing on it. */
void screen_clear(screen *s);

/* Put a part of a text into a row, from a column on and not beyond another.  Returns the column behind it. */
size_t screen_put(screen *s, size_t row, size_t column, size_t end, style as, const char *text, size_t length);
size_t screen_putz(screen *s, size_t row, size_t column, size_t end, style as, const char *text);

/* Blanks up to a column. */
void screen_fill(screen *s, size_t row, size_t column, size_t end, style as);

/* End the frame: the bytes that make the terminal show it, in new memory. */
char *screen_draw(screen *s, size_t *length);

#endif
