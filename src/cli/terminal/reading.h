/* reading.h - passages to be read in a part of the screen: a preview has one, a session many. */
#ifndef CLI_TERMINAL_READING_H
#define CLI_TERMINAL_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "layout.h"
#include "screen.h"

typedef struct passage {
  char *id;      /* what it is known by */
  char *heading; /* one line */
  char *text;
} passage;

typedef struct reading_line {
  size_t passage;
  const char *text;
  size_t length;
  bool heading;
} reading_line;

typedef struct reading {
  passage *list;
  size_t count;
  reading_line *lines; /* the passages at the width they are shown in */
  size_t nlines, width;
  size_t top;    /* the line at the top of what is seen */
  char **words;  /* what is marked wherever it stands */
  size_t nwords;
} reading;

void reading_clear(reading *r);

/* Add a passage; heading and text, in memory of their own, are taken. */
void reading_add(reading *r, const char *id, char *heading, char *text);

/* Mark what a snippet marks. */
void reading_mark(reading *r, const char *snippet);

/* Lay the lines out for so many columns.  What is at the top stays there. */
void reading_lay(reading *r, size_t columns);

/* The passage at the top; NULL: there is none. */
const passage *reading_at(const reading *r);

/* Put a passage to the top, if it is there: the line of its heading, and so many behind. */
void reading_go(reading *r, const char *id, size_t behind);
/* How many lines behind its heading the top is. */
size_t reading_behind(const reading *r);

void reading_scroll(reading *r, long lines);
/* To the next passage, or, below 0, to the beginning of this one and then to the one before. */
void reading_pass(reading *r, int direction);
/* Put the next line with something marked to the top.  False: there is none. */
bool reading_seek(reading *r, int direction);
/* If nothing that is marked is seen in so many lines, go to the first that is. */
void reading_reveal(reading *r, size_t lines);

void reading_draw(const reading *r, screen *s, area in);

#endif
