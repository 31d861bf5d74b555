/* page.h - a page of help: on a terminal, or as a man page.  The words are the same; only their form
** differs, and it is decided here. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "output.h"

typedef struct help_page {
  output *out;
  bool man; /* as input of man(1) */
} help_page;

/* The page of a name, such as stele-search in section 1.  usage may be "". */
void page_begin(help_page *p, const char *name, int section, const char *summary, const char *usage);
/* Lines to copy: what a page begins with. */
void page_examples(help_page *p, const char *lines);
/* How the command is called; a man page has said that already. */
void page_usage(help_page *p, const char *usage);
void page_section(help_page *p, const char *title);
/* A section about something that has a name, which is kept as it is. */
void page_topic(help_page *p, const char *name);
/* A part of a section. */
void page_part(help_page *p, const char *title);
/* Paragraphs, with an empty line between them; the other ends of lines do not matter. */
void page_text(help_page *p, const char *text);
/* A term, `room` columns wide on a terminal, and what it means. */
void page_item(help_page *p, const char *term, size_t room, const char *text);
/* What comes next is something else: an empty line on a terminal. */
void page_gap(help_page *p);
/* Lines that are kept as they are. */
void page_lines(help_page *p, const char *lines);

#endif
