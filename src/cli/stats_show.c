/* stats_show.c - stele stats for people. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plot.h"
#include "stats.h"
#include "text.h"

#define COLUMNS_MOST 4000 /* more buckets than anyone can see */
#define LABEL_ROOM 28     /* what stands beside a line over time */
#define NAME_MOST 28
#define BAR_MOST 24
#define FIGURES 44 /* columns that the figures behind a bar take */
#define LISTED 8

static double number(json row, const char *name) {
  return json_number(json_member(row, name));
}

static double tokens(json row) {
  return number(row, "input_tokens") + number(row, "output_tokens");
}

static double messages(json row) {
  return number(row, "messages");
}

static double cost(json row) {
  return number(row, "cost_usd");
}

static double sum(const char *reply, double (*of)(json row)) {
  json list = json_read(reply, strlen(reply)), row = {0};
  double total = 0;
  while (json_next(list, &row)) total += of(row);
  return total;
}

static double sessions(json row) {
  return number(row, "sessions");
}

static size_t width_of(const output *out) {
  return out->width && out->width < 100 ? out->width : 80;
}

/* Names and bars share what the figures leave. */
static size_t name_room(const output *out) {
  size_t left = width_of(out) > FIGURES + 20 ? width_of(out) - FIGURES : 20;
  return left * 2 / 3 < NAME_MOST ? left * 2 / 3 : NAME_MOST;
}

static size_t bar_room(const output *out) {
  size_t left = width_of(out) > FIGURES + 20 ? width_of(out) - FIGURES - name_room(out) : 6;
  return left < BAR_MOST ? left : BAR_MOST;
}

/* A name, cut to its room, and a bar. */
static void print_bar(output *out, const char *name, size_t marks) {
  char *clean = text_clean(name), *kept = text_need(strndup(clean, text_fit(clean, name_room(out))));
  out_format(out, "  %s%*s ", kept, (int)(name_room(out) - text_width(kept)), "");
  plot_bar(out, marks, false);
  out_format(out, "%*s", (int)(bar_room(out) - marks), "");
  free(kept);
  free(clean);
}

/* ---- Over time ---- */

/* The number of the bucket that a time is in, counted from some day long ago. */
static int64_t place(const stats *s, double at) {
  double clock = at + s->utc_offset * 60;
  if (strcmp(s->bucket, "hour") == 0) return (int64_t)floor(clock / 3600);
  if (strcmp(s->bucket, "day") == 0) return (int64_t)floor(clock / 86400);
  if (strcmp(s->bucket, "week") == 0) return (int64_t)floor((clock / 86400 + 3) / 7);
  time_t seconds = (time_t)floor(clock);
  struct tm day;
  return gmtime_r(&seconds, &day) ? day.tm_year * 12 + day.tm_mon : 0;
}

/* The first bucket that there is something to see in, and how many there are from there on. */
static int64_t first_place(const stats *s, size_t *count) {
  json list = json_read(s->usage, strlen(s->usage)), row = {0};
  int64_t last = place(s, s->until - 1), first = place(s, s->since);
  /* Years without anything, as after --since 0, are not shown. */
  if (last - first > 366 && json_next(list, &row)) first = place(s, number(row, "start"));
  if (last - first >= COLUMNS_MOST) first = last - COLUMNS_MOST + 1;
  *count = (size_t)(last - first + 1);
  return first;
}

static void print_line(stats *s, const char *what, double (*of)(json row), bool money) {
  output *out = &s->c->out;
  json list = json_read(s->usage, strlen(s->usage)), row = {0};
  size_t count, room = width_of(out) > LABEL_ROOM + 10 ? width_of(out) - LABEL_ROOM : 10;
  int64_t first = first_place(s, &count);
  double *values = text_need(calloc(count, sizeof *values)), most = 0;
  while (json_next(list, &row)) {
    int64_t at = place(s, number(row, "start")) - first;
    if (at >= 0 && at < (int64_t)count) values[at] += of(row);
  }
  out_format(out, "  %-9s ", what);
  size_t each = plot_line(out, values, count, room, &most);
  char *peak = money ? table_money(most) : table_number(most, "");
  out_format(out, "  %smax %s%s\n", out->dim, peak, out->normal);
  if (each > 1 && of == messages)
    out_format(out, "  %-9s %s(a column is %zu %ss)%s\n", "", out->dim, each, s->bucket, out->normal);
  free(peak);
  free(values);
}

static void print_over_time(stats *s) {
  output *out = &s->c->out;
  char *from = table_time(s->since, "%Y-%m-%d"), *to = table_time(s->until - 1, "%Y-%m-%d");
  out_format(out, "\n%sBy %s%s, %s to %s\n", out->bold, s->bucket, out->normal, from, to);
  print_line(s, "messages", messages, false);
  print_line(s, "tokens", tokens, false);
  if (sum(s->usage, cost) > 0) print_line(s, "cost", cost, true);
  free(from);
  free(to);
}

/* ---- By name ---- */

typedef struct share {
  char *name;
  double sessions, tokens, cost;
} share;

typedef struct shares {
  share all[100];
  size_t count;
} shares;

static void add(shares *to, char *name, double session_count, double token_count, double money) {
  size_t i = 0;
  while (i < to->count && strcmp(to->all[i].name, name) != 0) i++;
  if (i == sizeof to->all / sizeof *to->all) i--; /* the rest, together */
  if (i == to->count)
    to->all[to->count++] = (share){.name = name};
  else
    free(name);
  to->all[i].sessions += session_count;
  to->all[i].tokens += token_count;
  to->all[i].cost += money;
}

static int more_tokens(const void *a, const void *b) {
  const share *x = a, *y = b;
  if (x->tokens != y->tokens) return x->tokens < y->tokens ? 1 : -1;
  return x->sessions < y->sessions ? 1 : x->sessions > y->sessions ? -1 : strcmp(x->name, y->name);
}

/* A name, a bar, and figures. */
static void print_share(output *out, const share *one, double most, bool by_tokens) {
  char *token_text = table_number(one->tokens, ""), *money = table_money(one->cost);
  print_bar(out, one->name, plot_marks(by_tokens ? one->tokens : one->sessions, most, bar_room(out)));
  out_format(out, " %5.0f session%s %7s tokens  %s\n", one->sessions, one->sessions == 1 ? " " : "s", token_text,
             one->cost > 0 ? money : "");
  free(token_text);
  free(money);
}

static void print_shares(output *out, const char *title, shares *of) {
  double most_tokens = 0, most_sessions = 0;
  qsort(of->all, of->count, sizeof *of->all, more_tokens);
  for (size_t i = 0; i < of->count; i++) {
    most_tokens = fmax(most_tokens, of->all[i].tokens);
    most_sessions = fmax(most_sessions, of->all[i].sessions);
  }
  if (of->count) out_format(out, "\n%s%s%s\n", out->bold, title, out->normal);
  for (size_t i = 0; i < of->count; i++) {
    if (i < LISTED) print_share(out, &of->all[i], most_tokens > 0 ? most_tokens : most_sessions, most_tokens > 0);
    free(of->all[i].name);
  }
  if (of->count > LISTED) out_format(out, "  and %zu more\n", of->count - LISTED);
}

static char *name_of(json row, const char *member) {
  json value = json_member(row, member);
  return json_kind(value) == '"' ? text_need(json_text(value)) : text_format("(unknown)");
}

static void print_models(stats *s) {
  json list = json_read(s->models, strlen(s->models)), row = {0};
  shares found = {.count = 0};
  while (json_next(list, &row))
    add(&found, name_of(row, "model"), number(row, "session_count"),
        number(row, "total_input") + number(row, "total_output"), number(row, "total_cost"));
  print_shares(&s->c->out, "Models", &found);
}

static void print_sources(stats *s) {
  json list = json_read(s->sources, strlen(s->sources)), row = {0};
  shares found = {.count = 0};
  while (json_next(list, &row)) add(&found, name_of(row, "source"), sessions(row), tokens(row), cost(row));
  print_shares(&s->c->out, "Sources", &found);
}

static void print_top(stats *s) {
  output *out = &s->c->out;
  json list = json_read(s->top, strlen(s->top)), row = {0};
  bool begun = false;
  size_t room = width_of(out) > 40 ? width_of(out) - 20 : 20;
  while (json_next(list, &row)) {
    if (number(row, "total_tokens") <= 0) continue;
    char *id = name_of(row, "id"), *title = name_of(row, "title"),
         *used = table_number(number(row, "total_tokens"), "");
    char *line = text_format("%s  %s", id, json_kind(json_member(row, "title")) == '"' ? title : ""),
         *clean = text_clean(line);
    char *kept = text_need(strndup(clean, text_fit(clean, room)));
    if (!begun) out_format(out, "\n%sMost tokens%s\n", out->bold, out->normal);
    begun = true;
    out_format(out, "  %9s tokens  %s\n", used, kept);
    char *const texts[] = {id, title, used, line, clean, kept};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
  }
}

static void print_stores(stats *s) {
  output *out = &s->c->out;
  json list = json_read(s->stores, strlen(s->stores)), row = {0};
  double most = 0;
  while (json_next(list, &row)) most = fmax(most, number(row, "bytes"));
  if (!(most > 0)) return;
  out_format(out, "\n%sStores%s\n", out->bold, out->normal);
  row = (json){0};
  while (json_next(list, &row)) {
    double bytes = number(row, "bytes");
    char *name = name_of(row, "store"), *size = table_number(bytes, "B");
    if (bytes > 0) {
      print_bar(out, name, plot_marks(bytes, most, bar_room(out)));
      out_format(out, " %9s\n", size);
    }
    free(name);
    free(size);
  }
}

void stats_show(stats *s) {
  output *out = &s->c->out;
  double money = sum(s->usage, cost);
  char *sessions_text = table_counted(sum(s->usage, sessions), "session"), *cost_text = table_money(money);
  char *messages_text = table_counted(sum(s->usage, messages), "message"),
       *tokens_text = table_counted(sum(s->usage, tokens), "token");
  out_format(out, "%s%s, %s, %s%s%s%s\n", out->bold, sessions_text, messages_text, tokens_text, money > 0 ? ", " : "",
             money > 0 ? cost_text : "", out->normal);
  if (sum(s->usage, sessions) > 0) print_over_time(s);
  print_models(s);
  print_sources(s);
  print_top(s);
  print_stores(s);
  free(messages_text);
  free(tokens_text);
  free(cost_text);
  free(sessions_text);
}
