/* app.h - the interactive stele: what it knows, and the parts that work on it.
**
** One thread has the terminal and never waits for a store: two others ask (asker.h), one for the list, one for texts. */
#ifndef CLI_TERMINAL_APP_H
#define CLI_TERMINAL_APP_H

#include "../command.h"
#include "action.h"
#include "asker.h"
#include "filter.h"
#include "hits.h"
#include "key.h"
#include "layout.h"
#include "line.h"
#include "reading.h"
#include "screen.h"

/* What was asked for, of either asker. */
enum {
  ASKED_SOURCES, /* what can be found at all */
  ASKED_RECENT,
  ASKED_SEARCH,
  ASKED_BEGINNING, /* a search whose last word is not finished */
  ASKED_PREVIEW,
  ASKED_AROUND, /* which passages are to be read */
  ASKED_PASSAGES,
};

typedef struct app {
  cli *c;
  screen screen;
  key_reader keys;
  place in, before_help;
  bool over;    /* the end has come */
  char *resume; /* what is to be run then */
  char *message; /* what the last key did, for the status line; NULL: nothing to tell */
  size_t help_top;

  /* The list. */
  asker *lists;
  line query;
  filters filters;
  hits found;
  bool answered;     /* found is of what is typed and chosen now */
  char *list_remark; /* on the list, of the library; NULL: none */
  size_t chosen, top;
  action pending; /* what a key asked for before the list had come that it was meant for */

  /* Texts: the preview of what is chosen, and the session that is read. */
  asker *texts;
  bool wants_preview;
  reading preview;
  bool copies;    /* copy the preview as soon as it has come */
  hit opened;     /* what the reader was opened at */
  reading reader;
  char *reader_id; /* where it goes when its passages come, and how many lines behind; NULL: to an end */
  size_t reader_behind;
  bool reader_to_first;           /* which end */
  bool reader_stays;              /* where it is by then */
  bool reader_first, reader_last; /* nothing is before, or behind, its passages */
} app;

/* find.c - the list. */
void find_begin(app *a); /* ask what can be found, and what happened last */
void find_again(app *a); /* what is typed or chosen has changed */
void find_take(app *a, answer *got);
const hit *find_chosen(const app *a); /* NULL: nothing is */
void find_choose(app *a, size_t number);

/* read.c - texts. */
void read_preview(app *a); /* ask for the text of what is chosen */
void read_open(app *a);
void read_end(app *a, bool first); /* go to where the session begins, or ends */
void read_more(app *a); /* near an end of the passages: ask for those beyond it */
void read_take(app *a, answer *got);

/* act.c - keys. */
void act_key(app *a, const key *k);
void act_pending(app *a); /* the list has come */
void act_copy(app *a, const char *text);
void app_say(app *a, char *message); /* which is taken */

/* draw.c - the screen. */
layout draw_layout(const app *a);
void draw(app *a);

#endif
