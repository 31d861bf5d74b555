/* snippet.c - finds the best window, then writes it.  Between the two only byte offsets are kept, so
** that a long text costs no memory. */
#include "search/snippet.h"

#include <stdbool.h>
#include <string.h>

#include "base/token.h"

#define WINDOW ST_SNIPPET_TOKENS
#define REMEMBERED 128                      /* tokens whose start is known: two windows and more */
#define LOOK_ON (64 * 1024)                 /* bytes behind the first match in which a better window is looked for */
#define LOOK_MAX (2048 * 1024)              /* bytes in which the first match is looked for */
#define BYTES_BEFORE (ST_SNIPPET_BYTES / 4) /* before the window, where the bytes do not suffice */

/* ---- the best window ---- */

typedef struct window {
  int distinct;          /* terms in it; 0: nothing was found */
  size_t span;           /* tokens from the first match to the last */
  size_t start;          /* byte at which its first match begins */
  size_t before[WINDOW]; /* bytes at which the tokens before it begin, the nearest first */
  size_t before_count;
} window;

typedef struct finder {
  size_t token;                    /* number of the token being looked at */
  size_t starts[REMEMBERED];       /* by number */
  size_t seen[ST_QUERY_TERMS_MAX]; /* by term: 1 + the token at which it was last seen to begin; 0: not seen */
  int wanted;                      /* terms that can be found */
  size_t stop;                     /* byte at which to stop looking */
  window best;
} finder;

/* Does the term's last place lie in the window that ends with this token? */
static bool is_inside(const finder *f, size_t seen) {
  return seen && f->token - (seen - 1) < WINDOW;
}

/* The window that ends with this token and begins with its first match. */
static void measure(const finder *f, int *distinct, size_t *first) {
  *distinct = 0;
  *first = f->token;
  for (int i = 0; i < ST_QUERY_TERMS_MAX; i++) {
    if (!is_inside(f, f->seen[i])) continue;
    ++*distinct;
    if (f->seen[i] - 1 < *first) *first = f->seen[i] - 1;
  }
}

static void keep(finder *f, int distinct, size_t first) {
  window *best = &f->best;
  best->distinct = distinct;
  best->span = f->token - first + 1;
  best->start = f->starts[first % REMEMBERED];
  best->before_count = first < WINDOW ? first : WINDOW;
  for (size_t i = 0; i < best->before_count; i++) best->before[i] = f->starts[(first - 1 - i) % REMEMBERED];
}

static bool look(void *to, size_t start, size_t end, const st_place *places, int count) {
  finder *f = to;
  f->starts[f->token % REMEMBERED] = start;
  bool news = false;
  for (int i = 0; i < count; i++) {
    if (places[i].term->negative) continue;
    size_t tokens = places[i].term->count < WINDOW ? (size_t)places[i].term->count : WINDOW;
    f->seen[places[i].term->number] = f->token + 2 - tokens;
    news = true;
  }
  if (news) {
    int distinct;
    size_t first;
    measure(f, &distinct, &first);
    if (!f->best.distinct) f->stop = end + LOOK_ON;
    if (distinct > f->best.distinct) keep(f, distinct, first);
  }
  f->token++;
  return f->best.distinct < f->wanted && end < f->stop;
}

static void find_window(st_matcher *matcher, const char *text, size_t length, window *best) {
  const st_term *terms[ST_QUERY_TERMS_MAX];
  finder f = {.stop = LOOK_MAX};
  f.wanted = st_query_terms(st_matcher_query(matcher), terms, ST_QUERY_TERMS_MAX);
  st_match_places(matcher, text, length, look, &f);
  *best = f.best;
}

/* ---- from where to where ---- */

typedef struct piece {
  size_t first; /* where its first token begins, or 0 */
  size_t from;  /* from here to there it is shown; later than first when the bytes did not suffice */
  size_t to;
} piece;

typedef struct counter {
  size_t count;
  size_t max;
  size_t end; /* of the last token counted */
} counter;

static bool count_token(void *to, const char *token, size_t length, size_t start, size_t end, st_token_kind kind) {
  (void)token, (void)length, (void)start, (void)kind;
  counter *c = to;
  if (c->count == c->max) return false;
  c->count++;
  c->end = end;
  return true;
}

/* Where the first max tokens behind `from` end; the end of the text if there are no more. */
static size_t end_of_tokens(const char *text, size_t length, size_t from, size_t max) {
  counter c = {.max = max};
  return st_tokenize(text + from, length - from, count_token, &c) ? length : from + c.end;
}

static size_t count_tokens(const char *text, size_t length, size_t from, size_t max) {
  counter c = {.max = max};
  st_tokenize(text + from, length - from, count_token, &c);
  return c.count;
}

/* The window in the middle, or nearer to the end where less than half a piece follows it. */
static size_t tokens_before(const char *text, size_t length, const window *best) {
  size_t before = (WINDOW - best->span) / 2;
  size_t after = count_tokens(text, length, best->start, WINDOW);
  if (before + after < WINDOW) before = WINDOW - after;
  return before < best->before_count ? before : best->before_count;
}

static bool is_inside_char(const char *text, size_t length, size_t at) {
  return at < length && ((unsigned char)text[at] & 0xC0) == 0x80;
}

/* Move to the next beginning of a character; three steps suffice where there are any. */
static size_t char_forward(const char *text, size_t length, size_t at) {
  for (int i = 0; i < 3 && is_inside_char(text, length, at); i++) at++;
  return at;
}

static size_t char_back(const char *text, size_t length, size_t at) {
  for (int i = 0; i < 3 && is_inside_char(text, length, at) && at > 0; i++) at--;
  return at;
}

/* Where the first token shown begins; 0 if it is the first of the text. */
static size_t choose_first(const char *text, size_t length, const window *best) {
  if (!best->distinct) return 0;
  size_t before = tokens_before(text, length, best);
  if (before == best->before_count && before < WINDOW) return 0;
  return before ? best->before[before - 1] : best->start;
}

static piece choose_piece(const char *text, size_t length, const window *best) {
  size_t first = choose_first(text, length, best);
  piece p = {first, first, end_of_tokens(text, length, first, WINDOW)};
  if (p.to - p.from <= ST_SNIPPET_BYTES) return p;
  if (best->distinct && best->start - p.from > BYTES_BEFORE)
    p.from = char_forward(text, length, best->start - BYTES_BEFORE);
  if (p.to - p.from > ST_SNIPPET_BYTES) p.to = char_back(text, length, p.from + ST_SNIPPET_BYTES);
  return p;
}

/* ---- writing ---- */

typedef struct mark {
  size_t from;
  size_t to;
} mark;

typedef struct marks {
  mark at[WINDOW]; /* in order, not overlapping */
  int count;
  piece shown;
} marks;

/* Add a match, which ends no earlier than those before it.  Those that it overlaps become one with it. */
static void add_mark(marks *m, size_t from, size_t to) {
  if (from < m->shown.from) from = m->shown.from;
  if (to > m->shown.to) to = m->shown.to;
  if (from >= to) return;
  while (m->count && m->at[m->count - 1].to > from) {
    mark last = m->at[--m->count];
    if (last.from < from) from = last.from;
  }
  m->at[m->count++] = (mark){from, to};
}

static bool mark_places(void *to, size_t start, size_t end, const st_place *places, int count) {
  (void)end;
  marks *m = to;
  if (m->shown.first + start >= m->shown.to) return false;
  for (int i = 0; i < count && m->count < WINDOW; i++)
    if (!places[i].term->negative) add_mark(m, m->shown.first + places[i].start, m->shown.first + places[i].end);
  return true;
}

static char *put(char *out, const char *text, size_t length) {
  memcpy(out, text, length);
  return out + length;
}

static char *write_piece(char *out, const char *text, size_t length, const marks *m) {
  size_t at = m->shown.from;
  if (at > 0) out = put(out, "...", 3);
  for (int i = 0; i < m->count; i++) {
    out = put(out, text + at, m->at[i].from - at);
    out = put(out, ">>>", 3);
    out = put(out, text + m->at[i].from, m->at[i].to - m->at[i].from);
    out = put(out, "<<<", 3);
    at = m->at[i].to;
  }
  out = put(out, text + at, m->shown.to - at);
  if (m->shown.to < length) out = put(out, "...", 3);
  return out;
}

char *st_snippet(st_arena *arena, st_matcher *matcher, const char *text, size_t length, size_t *out_length) {
  if (!length) text = "";
  window best;
  find_window(matcher, text, length, &best);
  marks m;
  m.count = 0;
  m.shown = choose_piece(text, length, &best);
  if (best.distinct) st_match_places(matcher, text + m.shown.first, length - m.shown.first, mark_places, &m);
  size_t room = m.shown.to - m.shown.from + (size_t)m.count * strlen(">>><<<") + strlen("......") + 1;
  char *snippet = st_arena_alloc(arena, room);
  if (!snippet) return NULL;
  char *end = write_piece(snippet, text, length, &m);
  *end = '\0';
  *out_length = (size_t)(end - snippet);
  return snippet;
}
