/* suggest.c - see suggest.h. */
#include "suggest.h"

#include <stdbool.h>
#include <string.h>

#include "text.h"

#define LONGEST 64

/* Edits that turn a into b: a character added, left out, changed or swapped with the next. */
static size_t distance(const char *a, const char *b) {
  size_t rows[3][LONGEST + 1];
  size_t na = strlen(a), nb = strlen(b);
  if (na > LONGEST || nb > LONGEST) return LONGEST;
  for (size_t i = 0; i <= na; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      row[j] = i == 0 ? j : row[j - 1] + 1;
      if (i == 0) continue;
      size_t change = above[j - 1] + (a[i - 1] != b[j - 1]);
      if (above[j] + 1 < row[j]) row[j] = above[j] + 1;
      if (change < row[j]) row[j] = change;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
        row[j] = before[j - 2] + 1;
    }
  }
  return rows[na % 3][nb];
}

/* Near: at most three edits, and at most half of what was typed. */
suggestion suggest(const char *typed) {
  size_t half = strlen(typed) / 2;
  return (suggestion){typed, NULL, (half < 3 ? half : 3) + 1};
}

static bool same_letters(const char *a, const char *b) {
  int more[256] = {0};
  for (; *a; a++) more[(unsigned char)*a]++;
  for (; *b; b++) more[(unsigned char)*b]--;
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    if (more[i]) return false;
  return true;
}

static size_t same_beginning(const char *a, const char *b) {
  size_t same = 0;
  while (a[same] && a[same] == b[same]) same++;
  return same;
}

/* Of two names that are equally near: letters that were swapped are likelier than one that is wrong, and a beginning is
** more often typed right than an end. */
static bool is_likelier(const char *typed, const char *name, const char *than) {
  bool swapped = same_letters(name, typed);
  if (swapped != same_letters(than, typed)) return swapped;
  return same_beginning(name, typed) > same_beginning(than, typed);
}

void suggest_offer(suggestion *to, const char *name) {
  size_t edits = distance(to->typed, name);
  bool likelier = edits == to->edits && to->best && is_likelier(to->typed, name, to->best);
  if (edits >= to->edits && !likelier) return;
  to->edits = edits;
  to->best = name;
}

char *suggest_hint(const suggestion *from, const char *otherwise) {
  return from->best ? text_format("did you mean %s?", from->best) : text_format("%s", otherwise);
}
