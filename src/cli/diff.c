/* diff.c - see diff.h. */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

#define CONTEXT 3

typedef struct line_list {
  const char **at; /* each up to the next, the last up to its NUL */
  size_t count;
} line_list;

static line_list split(const char *text) {
  line_list list = {NULL, 0};
  while (text && *text) {
    list.at = text_need(realloc(list.at, (list.count + 1) * sizeof *list.at));
    list.at[list.count++] = text;
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  return list;
}

static size_t length_of(const char *line) {
  size_t length = strcspn(line, "\n");
  return length + (line[length] == '\n');
}

static bool same(const char *a, const char *b) {
  size_t length = length_of(a);
  return length == length_of(b) && memcmp(a, b, length) == 0;
}

static void put(output *out, char sign, const char *color, const line_list *list, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) {
    size_t length = length_of(list->at[i]);
    bool ended = length && list->at[i][length - 1] == '\n';
    char *line = text_need(strndup(list->at[i], length - ended)), *clean = text_clean(line);
    out_format(out, "%s%c%s%s\n", color, sign, clean, *color ? out->normal : "");
    if (!ended) out_text(out, "\\ No newline at end of file\n");
    free(clean);
    free(line);
  }
}

void diff_print(output *out, const char *path, const char *before, const char *after) {
  line_list a = split(before), b = split(after);
  size_t head = 0, tail = 0;
  while (head < a.count && head < b.count && same(a.at[head], b.at[head])) head++;
  while (tail < a.count - head && tail < b.count - head && same(a.at[a.count - 1 - tail], b.at[b.count - 1 - tail])) tail++;
  size_t first = head > CONTEXT ? head - CONTEXT : 0, left = tail < CONTEXT ? tail : CONTEXT;
  char *clean = text_clean(path);
  out_format(out, "%s--- %s\n+++ %s%s\n", out->bold, before ? clean : "/dev/null", after ? clean : "/dev/null", out->normal);
  out_format(out, "@@ -%zu,%zu +%zu,%zu @@\n", first + (a.count > 0), a.count - tail - first + left, first + (b.count > 0),
             b.count - tail - first + left);
  put(out, ' ', "", &b, first, head);
  put(out, '-', out->red, &a, head, a.count - tail);
  put(out, '+', out->match, &b, head, b.count - tail);
  put(out, ' ', "", &b, b.count - tail, b.count - tail + left);
  free(clean);
  free(a.at);
  free(b.at);
}
