/* read.c - texts: the preview of what is chosen, and the session, or the time, around what was opened. */
#include <stdlib.h>
#include <string.h>

#include "../text.h"
#include "app.h"

#define AROUND 40      /* passages asked for on each side */
#define NEAR 10        /* passages from an end at which more are asked for */
#define LONGEST 100000 /* bytes of one passage; `stele show` has all of it */
#define FAR_AHEAD "4102444800" /* the year 2100: behind all that has happened */
#define EXTRA 2000     /* bytes of what else is known of it */

/* The refs of some rows as JSON. */
static char *refs_of(const hit *list, size_t count) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = text_need(open_memstream(&text, &length));
  fputs("{\"refs\":[", to);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) fputc(',', to);
    text_json(to, list[i].ref);
  }
  fputs("]}", to);
  fclose(to);
  return text_need(text);
}

void read_preview(app *a) {
  const hit *chosen = find_chosen(a);
  if (a->in == PLACE_READER) return; /* the list behind it has come anew: later */
  if (!chosen) {
    asker_forget(a->texts);
    reading_clear(&a->preview);
    return;
  }
  asker_ask(a->texts, ASKED_PREVIEW, "recall.get", refs_of(chosen, 1));
}

/* ---- Passages ---- */

/* user  2026-01-31 12:00:05  Bash  /srv/project */
static char *heading_of(const hit *h, bool unicode) {
  char *when = h->time > 0 ? table_time(h->time, "%Y-%m-%d %H:%M:%S") : text_format("%s", "");
  bool message = hit_is_message(h);
  const char *who = message && h->role ? h->role : h->kind ? h->kind : "";
  char *heading = text_format("%s %s  %s%s%s%s%s", unicode ? "\u2500\u2500" : "--", who, when, h->title ? "  " : "", h->title ? h->title : "",
                              h->project && !message ? "  " : "", h->project && !message ? h->project : "");
  free(when);
  return heading;
}

static char *text_of(json row, const char *name) {
  json value = json_member(row, name);
  return json_kind(value) == '"' ? text_need(json_text(value)) : text_format("%s", "");
}

/* All of it, or as much as anybody reads here. */
static char *body_of(json row) {
  char *text = text_of(row, "text"), *extra = text_of(row, "extra"), *whole;
  size_t length = strlen(text);
  bool more = extra[strspn(extra, " |")] != '\0'; /* otherwise it is parts of which there are none */
  const char *between = length && more ? (text[length - 1] == '\n' ? "\n" : "\n\n") : "";
  if (length > LONGEST) {
    for (length = LONGEST; length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80;) length--;
    char *ref = text_of(row, "ref");
    whole = text_format("%.*s\n[cut: `stele show %s` has all of it]", (int)length, text, ref);
    free(ref);
  } else {
    whole = text_format("%s%s%.*s", text, between, more ? EXTRA : 0, extra);
  }
  free(text);
  free(extra);
  return whole;
}

static void fill(const app *a, reading *r, const char *reply) {
  json list = json_read(reply, strlen(reply)), row = {NULL, 0};
  while (json_next(list, &row)) {
    hit h = hit_read(row);
    if (h.ref && h.store) reading_add(r, h.ref, heading_of(&h, a->screen.unicode), body_of(row));
    hit_free(&h);
  }
}

/* ---- The preview ---- */

static void copy_if_asked(app *a, const char *reply) {
  json list = json_read(reply, strlen(reply)), row = {NULL, 0};
  if (!a->copies || !json_next(list, &row)) return;
  char *text = text_of(row, "text");
  a->copies = false;
  act_copy(a, text);
  free(text);
}

static void take_preview(app *a, const answer *got) {
  const hit *chosen = find_chosen(a);
  layout l = draw_layout(a);
  reading_clear(&a->preview);
  if (!got->reply || !chosen) return;
  fill(a, &a->preview, got->reply);
  reading_mark(&a->preview, chosen->snippet);
  reading_lay(&a->preview, l.preview.columns);
  reading_reveal(&a->preview, l.preview.rows);
  copy_if_asked(a, got->reply);
}

/* ---- The reader ---- */

/* Where the reader shall be when what was asked for is there; NULL: at the end that was asked for. */
static void aim(app *a, const char *ref, size_t behind) {
  char *copy = ref ? text_format("%s", ref) : NULL;
  free(a->reader_id);
  a->reader_id = copy;
  a->reader_behind = behind;
}

/* Ask for passages around a ref or a time, which is freed: of its session, if what was opened is of a conversation. */
static void ask(app *a, const char *around, char *which, int before, int after) {
  char *session = hit_is_message(&a->opened) ? text_quote(a->opened.session) : NULL;
  argument arguments[] = {
      {around, which},
      {"sessions", session ? text_format("[%s]", session) : NULL},
      {"kinds", session ? text_format("[\"message\"]") : NULL},
      {"before", text_format("%d", before)},
      {"after", text_format("%d", after)},
      {NULL, NULL},
  };
  asker_ask(a->texts, ASKED_AROUND, "recall.timeline", request_json(arguments));
  request_free(arguments);
  free(session);
}

void read_open(app *a) {
  const hit *chosen = find_chosen(a);
  if (!chosen) return;
  hit_free(&a->opened);
  a->opened = hit_copy(chosen);
  reading_clear(&a->reader);
  a->reader_first = a->reader_last = false;
  a->reader_stays = false;
  a->in = PLACE_READER;
  aim(a, a->opened.ref, 0);
  ask(a, "ref", text_quote(a->opened.ref), AROUND, AROUND);
}

void read_more(app *a) {
  const passage *at = reading_at(&a->reader);
  char *under_way = NULL;
  bool busy = asker_busy(a->texts, &under_way);
  free(under_way);
  if (busy || !at) return;
  size_t number = (size_t)(at - a->reader.list);
  bool early = number < NEAR && !a->reader_first, late = number + NEAR >= a->reader.count && !a->reader_last;
  if (!early && !late) return;
  aim(a, at->id, 0);
  a->reader_stays = true;
  ask(a, "ref", text_quote(at->id), AROUND, AROUND);
}

void read_end(app *a, bool first) {
  bool here = (first ? a->reader_first : a->reader_last) || !hit_is_message(&a->opened);
  reading_scroll(&a->reader, first ? -(1L << 30) : 1L << 30);
  if (!first) reading_pass(&a->reader, -1); /* the last passage, not its last line */
  if (here) return;
  aim(a, NULL, 0);
  a->reader_to_first = first;
  a->reader_stays = false;
  if (first) ask(a, "at", text_format("0"), 0, AROUND + 1);
  else ask(a, "at", text_format(FAR_AHEAD), AROUND + 1, 0);
}

/* Where among them the reader shall be. */
static size_t place_among(const app *a, const hits *around) {
  size_t here = 0;
  if (!a->reader_id) return a->reader_to_first || !around->count ? 0 : around->count - 1;
  while (here < around->count && strcmp(around->list[here].ref, a->reader_id) != 0) here++;
  return here;
}

/* Which passages there are: read them. */
static void take_around(app *a, const answer *got) {
  hits around = hits_read(got->reply, false);
  size_t here = place_among(a, &around);
  a->reader_first = here < AROUND;
  a->reader_last = around.count - here <= AROUND;
  if (here < around.count) aim(a, around.list[here].ref, a->reader_behind);
  asker_ask(a->texts, ASKED_PASSAGES, "recall.get", refs_of(around.list, around.count));
  hits_free(&around);
}

static void take_passages(app *a, const answer *got) {
  const passage *at = reading_at(&a->reader);
  if (a->reader_stays && at) aim(a, at->id, reading_behind(&a->reader)); /* it may have been scrolled meanwhile */
  reading_clear(&a->reader);
  fill(a, &a->reader, got->reply);
  reading_mark(&a->reader, a->opened.snippet);
  reading_lay(&a->reader, draw_layout(a).reader.columns);
  if (a->reader_id) reading_go(&a->reader, a->reader_id, a->reader_behind);
}

void read_take(app *a, answer *got) {
  if (!got->reply && *got->remark) app_say(a, text_format("%s", got->remark));
  if (got->purpose == ASKED_PREVIEW) take_preview(a, got);
  else if (got->reply && got->purpose == ASKED_AROUND) take_around(a, got);
  else if (got->reply) take_passages(a, got);
}
