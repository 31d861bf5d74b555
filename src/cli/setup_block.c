/* setup_block.c - see setup.h: a block of lines between two marks, in a file whose comments begin with #.
**
**     # >>> stele setup zsh 5d2c81f3 >>>
**     ...
**     # <<< stele setup zsh <<<
**
** The number is a hash of the lines: if they have another, somebody has changed them.  `made 2` behind it says that the
** file did not exist before, nor two directories above it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "setup.h"
#include "text.h"

typedef struct block {
  size_t start, end;   /* from the first mark to behind the line of the last */
  size_t from, to;     /* the lines between */
  uint32_t hash;       /* as the mark says */
  int made;            /* directories; -1: the file was there */
  bool there, whole;
} block;

/* FNV-1a; a line's end is \n whatever it is in the file. */
static uint32_t hash_of(const char *text, size_t length) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < length; i++)
    if (text[i] != '\r') hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  return hash;
}

static size_t behind_line(const char *text, size_t at) {
  at += strcspn(text + at, "\n");
  return at + (text[at] == '\n');
}

static block find(const part *p, const char *text) {
  block b = {.made = -1};
  char *first = text_format("# >>> stele setup %s ", p->name), *last = text_format("# <<< stele setup %s <<<", p->name);
  for (size_t at = 0; text[at] && !b.whole; at = behind_line(text, at)) {
    unsigned hash = 0;
    if (!b.there && strncmp(text + at, first, strlen(first)) == 0) {
      b.there = true;
      b.start = at;
      b.from = behind_line(text, at);
      sscanf(text + at + strlen(first), "%8x made %d", &hash, &b.made);
      b.hash = hash;
    } else if (b.there && strncmp(text + at, last, strlen(last)) == 0) {
      b.whole = true;
      b.to = at;
      b.end = behind_line(text, at);
    }
  }
  free(first);
  free(last);
  return b;
}

/* Does the text, outside the block, have a table of that name, or one above it that leaves no room for it? */
static bool has_table(const char *text, const block *b, const char *table) {
  size_t above = strcspn(table, ".");
  for (size_t at = 0; text[at]; at = behind_line(text, at)) {
    const char *line = text + at + strspn(text + at, " \t");
    if (b->there && at >= b->start && at < b->end) continue;
    if (strncmp(line, table, above) == 0 && strchr(" \t=.", line[above])) return true; /* mcp_servers = ..., or dotted */
    if (*line != '[') continue;
    char name[128];
    size_t length = 0;
    for (line++; *line && *line != ']' && *line != '\n' && length + 1 < sizeof name; line++)
      if (!strchr(" \t\"'", *line)) name[length++] = *line;
    name[length] = '\0';
    if (strncmp(name, table, strlen(table)) == 0 && (!name[strlen(table)] || name[strlen(table)] == '.')) return true;
  }
  return false;
}

part_state block_look(const part *p, const char *text) {
  block b = text ? find(p, text) : (block){0};
  if (text && p->table && has_table(text, &b, p->table)) return PART_FOREIGN;
  if (!b.there) return text && p->alone ? PART_FOREIGN : PART_ABSENT;
  if (!b.whole) return PART_FOREIGN; /* half a block: where it ends is not ours to guess */
  if (hash_of(text + b.from, b.to - b.from) != b.hash) return PART_EDITED;
  return hash_of(p->body, strlen(p->body)) == b.hash ? PART_CURRENT : PART_OLD;
}

/* The lines of the body, each ended as the file's are. */
static void put_lines(FILE *to, const char *lines, const char *newline) {
  while (*lines) {
    size_t length = strcspn(lines, "\n");
    fprintf(to, "%.*s%s", (int)length, lines, newline);
    lines += length + (lines[length] == '\n');
  }
}

char *block_put(const part *p, const char *text, int missing) {
  char *result = NULL;
  size_t length = 0, before = text ? strlen(text) : 0;
  const char *first = text ? strchr(text, '\n') : NULL, *newline = first && first > text && first[-1] == '\r' ? "\r\n" : "\n";
  bool open = before && text[before - 1] != '\n'; /* the last line has no end: neither has ours then */
  FILE *to = text_need(open_memstream(&result, &length));
  if (before) fprintf(to, "%s%s%s", text, open ? newline : "", newline);
  if (!text && p->head) fputs(p->head, to);
  fprintf(to, "# >>> stele setup %s %08" PRIx32, p->name, hash_of(p->body, strlen(p->body)));
  if (!text) fprintf(to, " made %d", missing);
  fprintf(to, " >>>%s", newline);
  put_lines(to, p->body, newline);
  fprintf(to, "# <<< stele setup %s <<<%s", p->name, open ? "" : newline);
  fclose(to);
  return text_need(result);
}

/* Where the line end before `at` begins; `at` itself if there is none. */
static size_t before_line_end(const char *text, size_t at) {
  if (at == 0 || text[at - 1] != '\n') return at;
  return at > 1 && text[at - 2] == '\r' ? at - 2 : at - 1;
}

/* The way back from block_put(): the empty line before it was ours, and, if the block's last line has no end, the end of
** the line before that. */
part_change block_take(const part *p, const char *text) {
  block b = find(p, text);
  bool open = !text[b.end] && text[b.end - 1] != '\n';
  size_t head = p->head && strncmp(text, p->head, strlen(p->head)) == 0 ? strlen(p->head) : 0;
  if (b.made >= 0 && b.start == head && !text[b.end]) return (part_change){.remove = true, .directories = b.made};
  size_t start = before_line_end(text, b.start);
  if (start > 0 && text[start - 1] != '\n') start = b.start; /* that line is not empty any more */
  else if (open) start = before_line_end(text, start);
  return (part_change){.text = text_format("%.*s%s", (int)start, text, text + b.end)};
}
