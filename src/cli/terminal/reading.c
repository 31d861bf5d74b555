/* reading.c - see reading.h. */
#include "reading.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../text.h"
#include "hits.h"
#include "wrap.h"

#define CONTEXT 2 /* lines that stay before a match that is gone to */

void reading_clear(reading *r) {
  for (size_t i = 0; i < r->count; i++) {
    free(r->list[i].id);
    free(r->list[i].heading);
    free(r->list[i].text);
  }
  for (size_t i = 0; i < r->nwords; i++) free(r->words[i]);
  free(r->list);
  free(r->lines);
  free(r->words);
  *r = (reading){.count = 0};
}

void reading_add(reading *r, const char *id, char *heading, char *text) {
  r->list = text_need(realloc(r->list, (r->count + 1) * sizeof *r->list));
  r->list[r->count++] = (passage){text_format("%s", id), heading, text};
  r->width = 0; /* to be laid out anew */
}

static void add_word(reading *r, const char *text, size_t length) {
  for (size_t i = 0; i < r->nwords; i++)
    if (strlen(r->words[i]) == length && strncasecmp(r->words[i], text, length) == 0) return;
  r->words = text_need(realloc(r->words, (r->nwords + 1) * sizeof *r->words));
  r->words[r->nwords++] = text_need(strndup(text, length));
}

void reading_mark(reading *r, const char *snippet) {
  const char *begin, *end;
  for (const char *at = snippet; at && hit_match(at, &begin, &end); at = end + HIT_MARK)
    if (end > begin) add_word(r, begin, (size_t)(end - begin));
}

/* ---- Lines ---- */

static void add_line(reading *r, size_t *room, reading_line line) {
  if (r->nlines == *room) {
    *room = *room ? *room * 2 : 64;
    r->lines = text_need(realloc(r->lines, *room * sizeof *r->lines));
  }
  r->lines[r->nlines++] = line;
}

static void lay_text(reading *r, size_t *room, size_t number, const char *text) {
  for (size_t next; *text; text += next) {
    size_t length = wrap_line(text, r->width, &next);
    add_line(r, room, (reading_line){number, text, length, false});
  }
}

void reading_lay(reading *r, size_t columns) {
  const passage *top = reading_at(r);
  size_t behind = reading_behind(r), room = 0;
  if (r->width == columns || columns == 0) return;
  char *id = top ? text_format("%s", top->id) : NULL;
  free(r->lines);
  r->lines = NULL;
  r->nlines = 0;
  r->width = columns;
  for (size_t i = 0; i < r->count; i++) {
    if (i > 0) add_line(r, &room, (reading_line){i - 1, "", 0, false});
    add_line(r, &room, (reading_line){i, r->list[i].heading, strlen(r->list[i].heading), true});
    lay_text(r, &room, i, r->list[i].text);
  }
  r->top = 0;
  if (id) reading_go(r, id, behind);
  free(id);
}

/* ---- Where it is ---- */

const passage *reading_at(const reading *r) {
  return r->top < r->nlines ? &r->list[r->lines[r->top].passage] : NULL;
}

static size_t heading_of(const reading *r, size_t line) {
  while (line > 0 && !r->lines[line].heading) line--;
  return line;
}

size_t reading_behind(const reading *r) {
  return r->top < r->nlines ? r->top - heading_of(r, r->top) : 0;
}

void reading_go(reading *r, const char *id, size_t behind) {
  for (size_t i = 0; i < r->nlines; i++) {
    if (!r->lines[i].heading || strcmp(r->list[r->lines[i].passage].id, id) != 0) continue;
    r->top = i;
    while (behind-- > 0 && r->top + 1 < r->nlines && !r->lines[r->top + 1].heading) r->top++;
    return;
  }
}

void reading_scroll(reading *r, long lines) {
  long top = (long)r->top + lines, last = r->nlines ? (long)r->nlines - 1 : 0;
  r->top = (size_t)(top < 0 ? 0 : top > last ? last : top);
}

void reading_pass(reading *r, int direction) {
  if (!r->nlines) return;
  size_t at = heading_of(r, r->top);
  if (direction < 0) {
    r->top = at < r->top || at == 0 ? at : heading_of(r, at - 1);
    return;
  }
  for (size_t i = r->top + 1; i < r->nlines; i++)
    if (r->lines[i].heading) {
      r->top = i;
      return;
    }
}

/* ---- What is marked ---- */

/* The first marked word in a line, from a byte on: its length, and *at where it is; 0: there is none. */
static size_t find_word(const reading *r, const reading_line *line, size_t from, size_t *at) {
  for (*at = from; *at < line->length; ++*at)
    for (size_t i = 0; i < r->nwords; i++) {
      size_t length = strlen(r->words[i]);
      if (length <= line->length - *at && strncasecmp(line->text + *at, r->words[i], length) == 0) return length;
    }
  return 0;
}

static bool is_marked(const reading *r, size_t line) {
  size_t at;
  return !r->lines[line].heading && find_word(r, &r->lines[line], 0, &at) > 0;
}

bool reading_seek(reading *r, int direction) {
  size_t line = r->top + (direction > 0 ? CONTEXT : 0);
  for (line += (size_t)direction; line < r->nlines; line += (size_t)direction)
    if (is_marked(r, line) && (direction > 0 || line < r->top + CONTEXT)) {
      r->top = line > CONTEXT ? line - CONTEXT : 0;
      return true;
    }
  return false;
}

void reading_reveal(reading *r, size_t lines) {
  for (size_t line = r->top; line < r->nlines; line++)
    if (is_marked(r, line)) {
      if (line >= r->top + lines) r->top = line > CONTEXT ? line - CONTEXT : 0;
      return;
    }
}

/* ---- On the screen ---- */

static void draw_text(const reading *r, const reading_line *line, screen *s, size_t row, area in) {
  size_t column = in.column, end = in.column + in.columns, from = 0, at, length;
  while ((length = find_word(r, line, from, &at)) > 0) {
    column = screen_put(s, row, column, end, STYLE_NORMAL, line->text + from, at - from);
    column = screen_put(s, row, column, end, STYLE_MATCH, line->text + at, length);
    from = at + length;
  }
  screen_put(s, row, column, end, STYLE_NORMAL, line->text + from, line->length - from);
}

void reading_draw(const reading *r, screen *s, area in) {
  for (size_t i = 0; i < in.rows && r->top + i < r->nlines; i++) {
    const reading_line *line = &r->lines[r->top + i];
    if (line->heading) screen_put(s, in.row + i, in.column, in.column + in.columns, STYLE_BOLD, line->text, line->length);
    else draw_text(r, line, s, in.row + i, in);
  }
}
