/* screen.c - see screen.h. */
#include "screen.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text.h"

static const char *const WITH_COLOURS[] = {
#define STYLE_X(name, colour, plain) colour,
    STYLES(STYLE_X)
#undef STYLE_X
};
static const char *const WITHOUT[] = {
#define STYLE_X(name, colour, plain) plain,
    STYLES(STYLE_X)
#undef STYLE_X
};

static const cell BLANK = {.text = " ", .length = 1, .style = STYLE_NORMAL};

void screen_resize(screen *s, size_t rows, size_t columns) {
  free(s->next);
  free(s->shown);
  s->rows = rows;
  s->columns = columns;
  s->next = text_need(calloc(rows * columns + 1, sizeof(cell)));
  s->shown = text_need(calloc(rows * columns + 1, sizeof(cell)));
  s->anew = true;
  screen_clear(s);
}

void screen_free(screen *s) {
  free(s->next);
  free(s->shown);
  *s = (screen){.rows = 0};
}

void screen_clear(screen *s) {
  for (size_t i = 0; i < s->rows * s->columns; i++) s->next[i] = BLANK;
}

/* Joiners and variants of a character (U+200B-200D, U+FE00-FE0F): terminals disagree on how wide they make it. */
static bool disputed(const char *text) {
  return (memcmp(text, "\xE2\x80", 2) == 0 && (unsigned char)text[2] >= 0x8B && (unsigned char)text[2] <= 0x8D) ||
         (memcmp(text, "\xEF\xB8", 2) == 0 && (unsigned char)text[2] <= 0x8F);
}

/* What has no width goes to the character before it. */
static void combine(cell *with, const char *text, size_t length) {
  if (with->length + length >= CELL_BYTES || (length == 3 && disputed(text))) return;
  memcpy(with->text + with->length, text, length);
  with->length = (unsigned char)(with->length + length);
}

size_t screen_put(screen *s, size_t row, size_t column, size_t end, style as, const char *text, size_t length) {
  size_t wide;
  if (end > s->columns) end = s->columns;
  if (row >= s->rows) return column;
  cell *line = s->next + row * s->columns, *last = NULL;
  for (const char *stop = text + length; text < stop && *text;) {
    size_t bytes = text_character(text, &wide);
    bool strange = text_obeyed(text) || (bytes > 1 && !s->unicode);
    const char *shown = *text == '\n' || *text == '\t' ? " " : strange ? "?" : text;
    size_t size = strange ? 1 : bytes;
    if (strange) wide = 1;
    text += bytes;
    if (wide == 0) {
      if (last) combine(last, shown, size);
      continue;
    }
    if (column + wide > end) break;
    last = &line[column];
    *last = (cell){.length = (unsigned char)size, .style = (unsigned char)as};
    memcpy(last->text, shown, size);
    if (wide == 2) line[column + 1] = (cell){.style = (unsigned char)as};
    column += wide;
  }
  return column;
}

size_t screen_putz(screen *s, size_t row, size_t column, size_t end, style as, const char *text) {
  return screen_put(s, row, column, end, as, text, strlen(text));
}

void screen_fill(screen *s, size_t row, size_t column, size_t end, style as) {
  if (end > s->columns) end = s->columns;
  for (; row < s->rows && column < end; column++) {
    s->next[row * s->columns + column] = BLANK;
    s->next[row * s->columns + column].style = (unsigned char)as;
  }
}

typedef struct pen {
  FILE *to;
  const char *const *styles;
  size_t row, column; /* where the terminal's cursor is; column SIZE_MAX: nobody knows */
  int style;          /* what it writes in; -1: nobody knows */
} pen;

/* How far all terminals agree that it moves the cursor: ASCII, the letters of two bytes, Chinese and its neighbours.  0: they differ,
** as about symbols, faces and whatever is combined. */
static size_t agreed(const cell *c) {
  unsigned char first = (unsigned char)c->text[0];
  if (c->length == 1 || (c->length == 2 && first < 0xCC)) return 1;
  if (c->length == 2) return first >= 0xCE ? 1 : 0;
  return c->length == 3 && first >= 0xE4 && first <= 0xEC ? 2 : 0;
}

static void draw_cell(pen *p, const cell *c, size_t row, size_t column, size_t columns) {
  if (p->row != row || p->column != column) fprintf(p->to, "\033[%zu;%zuH", row + 1, column + 1);
  if (p->style != c->style) fprintf(p->to, "\033[%sm", p->styles[c->style]);
  fwrite(c->text, 1, c->length, p->to);
  p->row = row;
  p->style = c->style;
  size_t moved = agreed(c);
  p->column = moved && column + moved < columns ? column + moved : SIZE_MAX; /* they differ behind the last column, too */
}

char *screen_draw(screen *s, size_t *length) {
  char *bytes = NULL;
  size_t size = 0;
  pen p = {text_need(open_memstream(&bytes, &size)), s->colours ? WITH_COLOURS : WITHOUT, 0, SIZE_MAX, -1};
  fputs("\033[?25l", p.to);
  if (s->anew) {
    fputs("\033[0m\033[2J", p.to);
    for (size_t i = 0; i < s->rows * s->columns; i++) s->shown[i] = BLANK;
  }
  for (size_t i = 0; i < s->rows * s->columns; i++)
    if (s->next[i].length && memcmp(&s->next[i], &s->shown[i], sizeof(cell)) != 0)
      draw_cell(&p, &s->next[i], i / s->columns, i % s->columns, s->columns);
  memcpy(s->shown, s->next, s->rows * s->columns * sizeof(cell));
  s->anew = false;
  fprintf(p.to, "\033[0m\033[%zu;%zuH\033[?25h", s->cursor_row + 1, s->cursor_column + 1);
  fclose(p.to);
  *length = size;
  return text_need(bytes);
}
