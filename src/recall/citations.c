/* citations.c - see citations.h. */
#include "recall/citations.h"

#include <string.h>

enum { DIGITS = 6 }; /* of a number that is read; one that is longer is nobody's */

static const char *skip_spaces(const char *at, const char *end) {
  while (at < end && *at == ' ') at++;
  return at;
}

/* The number at `at`, of one digit or more; NULL: there is none.  Too long, it is 0, which is nobody's. */
static const char *read_number(const char *at, const char *end, int *number) {
  const char *from = at;
  *number = 0;
  while (at < end && *at >= '0' && *at <= '9') {
    if (at - from < DIGITS) *number = *number * 10 + (*at - '0');
    at++;
  }
  if (at - from > DIGITS) *number = 0;
  return at > from ? at : NULL;
}

/* The end of a mark such as [2] or [1, 3] that begins at `at`; NULL: it is none. */
static const char *mark_end(const char *at, const char *end) {
  int number;
  for (at++;; at++) {
    at = read_number(skip_spaces(at, end), end, &number);
    if (!at) return NULL;
    at = skip_spaces(at, end);
    if (at == end) return NULL;
    if (*at == ']') return at + 1;
    if (*at != ',' && *at != ';') return NULL;
  }
}

static void note(st_citations *c, int number) {
  for (int i = 0; i < c->count; i++)
    if (c->cited[i] == number) return;
  c->cited[c->count++] = number;
}

/* Write a mark with those of its numbers that are there; without one, nothing, and no space before it either. */
static void write_mark(st_citations *c, const char *at, const char *end, int records) {
  const char *separator = "[";
  int number;
  while (*at != ']') {
    at = read_number(skip_spaces(at + 1, end), end, &number);
    at = skip_spaces(at, end);
    if (number >= 1 && number <= records) {
      st_str_addf(&c->answer, "%s%d", separator, number);
      separator = ", ";
      note(c, number);
    } else {
      c->removed++;
    }
  }
  if (*separator == ',') st_str_addc(&c->answer, ']');
  else if (c->answer.length && c->answer.text[c->answer.length - 1] == ' ') c->answer.text[--c->answer.length] = '\0';
}

/* Behind the code that begins at `at` with backticks: it ends with as many.  If it never does, they are signs like others. */
static const char *code_end(const char *at, const char *end) {
  size_t ticks = 0, run = 0;
  while (at + ticks < end && at[ticks] == '`') ticks++;
  for (const char *seek = at + ticks; seek < end; seek++) {
    run = *seek == '`' ? run + 1 : 0;
    if (run == ticks && (seek + 1 == end || seek[1] != '`')) return seek + 1;
  }
  return at + ticks;
}

void st_citations_read(st_text answer, int records, st_citations *out) {
  const char *at = answer.bytes, *end = at + answer.length;
  while (at < end) {
    const char *next = *at == '[' ? mark_end(at, end) : NULL;
    if (next) {
      write_mark(out, at, end, records);
    } else {
      next = *at == '`' ? code_end(at, end) : at + 1;
      st_str_add(&out->answer, at, (size_t)(next - at));
    }
    at = next;
  }
}
