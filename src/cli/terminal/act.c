/* act.c - what keys do. */
#include <stdlib.h>
#include <string.h>

#include "../resume.h"
#include "../text.h"
#include "app.h"
#include "clipboard.h"
#include "tty.h"

void app_say(app *a, char *message) {
  free(a->message);
  a->message = message;
}

/* ---- Moving ---- */

static size_t help_lines(void) {
  size_t count = 0;
  for (const binding *b = action_keys; b->does; b++) count += b->doc != NULL;
  return count;
}

#define FAR (1L << 30) /* lines: to an end */

/* So many lines up, below 0, or down. */
static void move(app *a, long lines) {
  if (a->in == PLACE_READER && labs(lines) == FAR) {
    read_end(a, lines < 0);
  } else if (a->in == PLACE_READER) {
    reading_scroll(&a->reader, lines);
    read_more(a);
  } else if (a->in == PLACE_HELP) {
    long top = (long)a->help_top + lines, last = (long)help_lines() - 1;
    a->help_top = (size_t)(top < 0 ? 0 : top > last ? last : top);
  } else {
    long to = (long)a->chosen + lines;
    find_choose(a, to < 0 ? 0 : (size_t)to);
  }
}

static long page(const app *a) {
  layout l = draw_layout(a);
  size_t rows = a->in == PLACE_READER || a->in == PLACE_HELP ? l.reader.rows : l.list.rows;
  return rows > 1 ? (long)rows - 1 : 1;
}

/* ---- What is done with what is chosen ---- */

void act_copy(app *a, const char *text) {
  size_t taken;
  char *sequence = clipboard_sequence(text, &taken);
  tty_write(sequence, strlen(sequence));
  free(sequence);
  app_say(a, text_format("copied %zu bytes%s to the clipboard of the terminal (OSC 52)", taken, text[taken] ? ", not all of it," : ""));
}

static void copy(app *a) {
  if (a->in == PLACE_READER) {
    const passage *at = reading_at(&a->reader);
    if (at) act_copy(a, at->text);
  } else if (find_chosen(a)) {
    a->copies = true; /* of what is chosen by now, whatever the preview shows still */
    read_preview(a);
  }
}

static void resume(app *a) {
  const hit *of = a->in == PLACE_READER ? &a->opened : find_chosen(a);
  resume_refusal no = {NULL, NULL};
  if (!of) return;
  if (!hit_is_message(of)) {
    app_say(a, text_format("only a conversation can be resumed: this is a %s", of->kind ? of->kind : "thing"));
    return;
  }
  a->resume = resume_line(a->c->db, of->session, &no);
  a->over = a->resume != NULL;
  if (!a->over && no.message) app_say(a, text_format("%s%s%s", no.message, no.hint ? "; " : "", no.hint ? no.hint : ""));
  else if (!a->over) app_say(a, text_format("%s", stele_error(a->c->db)->message));
  resume_refusal_free(&no);
}

static void back(app *a) {
  if (a->in == PLACE_HELP) {
    a->in = a->before_help;
  } else if (a->in == PLACE_READER) {
    a->in = PLACE_LIST;
    read_preview(a);
  } else if (a->in == PLACE_LIST) {
    a->in = PLACE_QUERY;
  } else if (a->query.length > 0) {
    line_clear(&a->query);
    find_again(a);
  }
}

static void narrow(app *a, filter_name by) {
  filter_turn(&a->filters, by);
  find_again(a);
}

static void unfilter(app *a) {
  filters_clear(&a->filters);
  find_again(a);
}

static void help(app *a) {
  a->before_help = a->in;
  a->help_top = 0;
  a->in = PLACE_HELP;
}

static void seek(app *a, int direction) {
  if (!reading_seek(&a->reader, direction)) app_say(a, text_format("no match %s", direction > 0 ? "behind this" : "before this"));
  read_more(a);
}

static void suspend(app *a) {
  tty_suspend();
  a->screen.anew = true;
}

static void act(app *a, action does) {
  switch (does) {
    case ACTION_NONE: break;
    case ACTION_UP: move(a, -1); break;
    case ACTION_DOWN: move(a, 1); break;
    case ACTION_PAGE_UP: move(a, -page(a)); break;
    case ACTION_PAGE_DOWN: move(a, page(a)); break;
    case ACTION_FIRST: move(a, -FAR); break;
    case ACTION_LAST: move(a, FAR); break;
    case ACTION_OPEN: read_open(a); break;
    case ACTION_BACK: back(a); break;
    case ACTION_SWITCH: a->in = a->in == PLACE_QUERY ? PLACE_LIST : PLACE_QUERY; break;
    case ACTION_COPY: copy(a); break;
    case ACTION_RESUME: resume(a); break;
    case ACTION_PREVIEW: a->wants_preview = !a->wants_preview; break;
    case ACTION_PREVIEW_UP: reading_scroll(&a->preview, -3); break;
    case ACTION_PREVIEW_DOWN: reading_scroll(&a->preview, 3); break;
    case ACTION_NEXT_MATCH: seek(a, 1); break;
    case ACTION_LAST_MATCH: seek(a, -1); break;
    case ACTION_NEXT_PASSAGE: reading_pass(&a->reader, 1), read_more(a); break;
    case ACTION_LAST_PASSAGE: reading_pass(&a->reader, -1), read_more(a); break;
    case ACTION_STORE: narrow(a, FILTER_STORE); break;
    case ACTION_KIND: narrow(a, FILTER_KIND); break;
    case ACTION_ROLE: narrow(a, FILTER_ROLE); break;
    case ACTION_PROJECT: narrow(a, FILTER_PROJECT); break;
    case ACTION_SINCE: narrow(a, FILTER_SINCE); break;
    case ACTION_UNFILTER: unfilter(a); break;
    case ACTION_HELP: help(a); break;
    case ACTION_REDRAW: a->screen.anew = true; break;
    case ACTION_SUSPEND: suspend(a); break;
    case ACTION_LEAVE: a->over = true; break;
  }
}

void act_pending(app *a) {
  action does = a->pending;
  a->pending = ACTION_NONE;
  act(a, does);
}

/* Whoever types a query and a key at once means what will be found, not what is still on the screen. */
static bool must_wait(const app *a, action does) {
  return !a->answered && a->in != PLACE_READER && (does == ACTION_OPEN || does == ACTION_COPY || does == ACTION_RESUME);
}

void act_key(app *a, const key *k) {
  action does = action_of(k, a->in);
  app_say(a, NULL);
  a->pending = ACTION_NONE;
  if (!does && a->in == PLACE_QUERY && a->query.length == 0 && strcmp(k->text, "?") == 0) does = ACTION_HELP;
  if (must_wait(a, does)) a->pending = does;
  else if (does) act(a, does);
  else if (a->in == PLACE_QUERY && line_edit(&a->query, k)) find_again(a);
}
