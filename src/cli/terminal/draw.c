/* draw.c - the screen: query, filters, list, preview; or a session; or the help. */
#include <stdlib.h>
#include <string.h>

#include "../text.h"
#include "../when.h"
#include "app.h"
#include "question.h"

#define AGO_ROOM 13
#define WHAT_ROOM 13
#define VALUE_ROOM 20

layout draw_layout(const app *a) {
  return layout_of(a->screen.rows, a->screen.columns, a->wants_preview);
}

/* A line of our own. */
static void say(app *a, size_t row, style as, const char *text) {
  screen_putz(&a->screen, row, 0, a->screen.columns, as, text);
}

/* ---- Query and filters ---- */

/* What is done, or how much there is, at the right of the first row. */
static char *state_of(app *a) {
  char *at = NULL;
  bool busy = asker_busy(a->lists, &at) || !a->answered;
  char *state = busy ? text_format("%s", at ? at : "searching")
                     : text_format("%zu%s", a->found.count, a->found.count == QUESTION_MOST ? "+" : "");
  free(at);
  return state;
}

static void draw_query(app *a, const layout *l) {
  screen *s = &a->screen;
  char *state = state_of(a);
  size_t width = text_width(state), end = s->columns > width + 4 ? s->columns - width - 1 : s->columns;
  bool typing = a->in == PLACE_QUERY;
  size_t begin = 2, from = 0, skip;
  /* The end of a long query is what is typed: its beginning gives way. */
  while (from < a->query.at && begin + text_width(a->query.text + from) - text_width(a->query.text + a->query.at) >= end)
    from += text_character(a->query.text + from, &skip);
  screen_putz(s, l->query, 0, end, typing ? STYLE_BOLD : STYLE_DIM, "> ");
  size_t cursor = screen_put(s, l->query, begin, end, STYLE_NORMAL, a->query.text + from, a->query.at - from);
  screen_putz(s, l->query, cursor, end, STYLE_NORMAL, a->query.text + a->query.at);
  if (a->query.length == 0) screen_putz(s, l->query, begin, end, STYLE_DIM, "type to search; below is what happened last");
  if (end < s->columns) screen_putz(s, l->query, end + 1, s->columns, STYLE_DIM, state);
  s->cursor_row = l->query;
  s->cursor_column = cursor < s->columns ? cursor : s->columns - 1;
  free(state);
}

/* The end of a long value, where a path says most. */
static const char *end_of(const char *value) {
  size_t skip;
  while (text_width(value) > VALUE_ROOM) value += text_character(value, &skip);
  return value;
}

static void draw_filters(app *a, const layout *l) {
  size_t x = 0, end = a->screen.columns;
  for (filter_name i = 0; i < FILTER_COUNT; i++) {
    const char *value = filter_value(&a->filters, i), *shown = value ? end_of(value) : "any";
    char *chip = text_format("[%s: %s%s]", filter_labels[i], value && shown > value ? ".." : "", shown);
    x = screen_putz(&a->screen, l->filters, x, end, value ? STYLE_FILTER : STYLE_DIM, chip);
    x = screen_putz(&a->screen, l->filters, x, end, STYLE_NORMAL, " ");
    free(chip);
  }
}

/* ---- The list ---- */

/* A snippet with its matches. */
static void draw_snippet(app *a, size_t row, size_t x, size_t end, const char *snippet, style plain, style match) {
  const char *at = snippet, *from, *to;
  while (hit_match(at, &from, &to)) {
    x = screen_put(&a->screen, row, x, end, plain, at, (size_t)(from - HIT_MARK - at));
    x = screen_put(&a->screen, row, x, end, match, from, (size_t)(to - from));
    at = to + HIT_MARK;
  }
  screen_putz(&a->screen, row, x, end, plain, at);
}

static void draw_hit(app *a, size_t row, size_t columns, const hit *h, bool chosen) {
  screen *s = &a->screen;
  style plain = chosen ? STYLE_CHOSEN : STYLE_NORMAL, dim = chosen ? STYLE_CHOSEN : STYLE_DIM;
  char *when = h->time > 0 ? when_ago(h->time) : text_format("%s", "");
  const char *what = hit_is_message(h) && h->role ? h->role : h->kind ? h->kind : ""; /* who said it, or what it is */
  screen_fill(s, row, 0, columns, plain);
  size_t x = screen_putz(s, row, 0, columns, plain, chosen ? "> " : "  ");
  /* Where the time of day has no room, the day is enough. */
  screen_put(s, row, x, x + AGO_ROOM - 1, dim, when, strlen(when) < AGO_ROOM ? strlen(when) : strcspn(when, " "));
  screen_putz(s, row, x + AGO_ROOM, x + AGO_ROOM + WHAT_ROOM - 1, plain, what);
  x += AGO_ROOM + WHAT_ROOM;
  if (h->title && *h->title) {
    x = screen_putz(s, row, x, columns, chosen ? STYLE_CHOSEN_MATCH : STYLE_BOLD, h->title);
    x = screen_putz(s, row, x, columns, plain, ": ");
  }
  draw_snippet(a, row, x, columns, h->snippet ? h->snippet : "", plain, chosen ? STYLE_CHOSEN_MATCH : STYLE_MATCH);
  free(when);
}

/* Nothing is in the list: why, and what to do. */
static void draw_none(app *a, const layout *l) {
  static const char *const welcome[] = {
      "Nothing is here yet.",
      "",
      "  stele import    takes in the sessions of your coding agents",
      "  stele setup     lets shells, agents and the browser be taken in as you work",
      "  stele tour      shows it at work, on a scratch store",
      "",
      "Ctrl-C leaves.",
  };
  bool all = a->query.length == 0 && !filters_any(&a->filters);
  if (!all) say(a, l->list.row, STYLE_NORMAL, "Nothing was found.  Esc empties the query, Alt-X the filters.");
  for (size_t i = 0; all && i < sizeof welcome / sizeof *welcome; i++) say(a, l->list.row + i, STYLE_NORMAL, welcome[i]);
}

/* Is the list late because there is much to do first? */
static bool is_indexing(const app *a) {
  char *at;
  asker_busy(a->lists, &at);
  bool tells = at != NULL;
  free(at);
  return tells;
}

static void draw_list(app *a, const layout *l) {
  a->top = layout_top(a->top, a->chosen, l->list.rows);
  for (size_t i = 0; i < l->list.rows && a->top + i < a->found.count; i++)
    draw_hit(a, l->list.row + i, l->list.columns, &a->found.list[a->top + i], a->top + i == a->chosen);
  if (a->answered && a->found.count == 0) draw_none(a, l);
  if (!a->answered && a->found.count == 0 && is_indexing(a))
    say(a, l->list.row, STYLE_NORMAL, "What is new is being indexed; the first row tells how far it is.");
}

/* ---- The preview ---- */

static void draw_rule(app *a, area in) {
  for (size_t row = 0; row < in.rows; row++)
    for (size_t x = 0; x < in.columns; x++)
      screen_putz(&a->screen, in.row + row, in.column + x, in.column + x + 1, STYLE_DIM,
                  in.columns > 1 ? (a->screen.unicode ? "\u2500" : "-") : (a->screen.unicode ? "\u2502" : "|"));
}

static void draw_preview(app *a, const layout *l) {
  if (!l->preview.rows || a->found.count == 0) return;
  draw_rule(a, l->rule);
  reading_lay(&a->preview, l->preview.columns);
  reading_draw(&a->preview, &a->screen, l->preview);
}

/* ---- The last row ---- */

static void draw_status(app *a, const layout *l) {
  static const char find[] = "Enter open  Ctrl-Y copy  Ctrl-R resume  Alt-S/K/O/P/T filter  Tab list  F1 help";
  static const char list[] = "Enter open  y copy  r resume  s k o p t filter  / query  ? help  q leave";
  static const char reader[] = "Esc back  y copy  r resume  Left/Right message  n/N match  ? help";
  static const char help[] = "Esc back";
  const char *keys = a->in == PLACE_QUERY ? find : a->in == PLACE_LIST ? list : a->in == PLACE_READER ? reader : help;
  const char *remark = a->message ? a->message : (a->in & (PLACE_QUERY | PLACE_LIST)) ? a->list_remark : NULL;
  say(a, l->status, remark ? STYLE_PROBLEM : STYLE_DIM, remark ? remark : keys);
}

/* ---- A session, and the help ---- */

static void draw_reader(app *a, const layout *l) {
  const hit *h = &a->opened;
  char *title = hit_is_message(h) ? text_format("session %s%s%s", h->session, h->project ? "  " : "", h->project ? h->project : "")
                                  : text_format("around %s", h->ref);
  char *at = NULL;
  bool busy = asker_busy(a->texts, &at);
  screen_fill(&a->screen, 0, 0, a->screen.columns, STYLE_CHOSEN);
  say(a, 0, STYLE_CHOSEN, title);
  if (busy) screen_putz(&a->screen, 0, a->screen.columns - strlen(" reading"), a->screen.columns, STYLE_CHOSEN, " reading");
  free(at);
  free(title);
  reading_lay(&a->reader, l->reader.columns);
  reading_draw(&a->reader, &a->screen, l->reader);
  a->screen.cursor_row = l->status;
  a->screen.cursor_column = a->screen.columns - 1;
}

static void draw_help(app *a, const layout *l) {
  size_t number = 0;
  say(a, 0, STYLE_BOLD, "Keys");
  for (const binding *b = action_keys; b->does; b++) {
    if (!b->doc || number++ < a->help_top || number - a->help_top > l->reader.rows) continue;
    say(a, l->reader.row + number - 1 - a->help_top, STYLE_NORMAL, b->doc);
  }
  a->screen.cursor_row = l->status;
  a->screen.cursor_column = a->screen.columns - 1;
}

void draw(app *a) {
  layout l = draw_layout(a);
  screen_clear(&a->screen);
  if (!l.possible) {
    say(a, 0, STYLE_NORMAL, "too small");
    return;
  }
  if (a->in == PLACE_HELP) {
    draw_help(a, &l);
  } else if (a->in == PLACE_READER) {
    draw_reader(a, &l);
  } else {
    draw_query(a, &l);
    draw_filters(a, &l);
    draw_list(a, &l);
    draw_preview(a, &l);
  }
  draw_status(a, &l);
}
