/* mcp_cut.c - see mcp_cut.h. */
#include "mcp_cut.h"

#include <stdint.h>
#include <string.h>

#define MARK_SIZE 40 /* about what the mark of a cut text takes: cutting less gains nothing */

typedef struct attempt {
  mcp_cut *cut;
  size_t text_max; /* bytes of a text that are kept */
  size_t end;      /* lists end when the output has this length */
} attempt;

static void put(sv_text *out, json value, attempt *a, bool watched);

/* The end of the last whole character, escapes taken as one, within the first `room` bytes. */
static size_t whole_characters(const char *text, size_t room) {
  size_t at = 0, next = 0;
  while (next <= room) {
    at = next;
    if (text[at] == '\\')
      next += text[at + 1] == 'u' ? 6 : 2;
    else
      for (next++; ((unsigned char)text[next] & 0xC0) == 0x80;) next++;
  }
  return at;
}

static void put_text(sv_text *out, json value, attempt *a) {
  if (value.length - 2 <= a->text_max || value.length - 2 - a->text_max < MARK_SIZE) {
    sv_add(out, value.text, value.length);
    return;
  }
  size_t kept = whole_characters(value.text + 1, a->text_max);
  sv_add(out, value.text, kept + 1);
  sv_addf(out, " [cut: %zu more bytes]\"", value.length - 2 - kept);
  a->cut->texts++;
}

static void put_list(sv_text *out, json list, attempt *a, bool watched) {
  json element = {NULL, 0};
  size_t kept = 0, total = 0;
  sv_addz(out, "[");
  while (json_next(list, &element)) {
    size_t before = out->length;
    if (kept < total++) continue; /* it was cut: only count */
    if (kept) sv_addz(out, ",");
    put(out, element, a, false);
    if (kept && out->length > a->end) {
      out->length = before;
      a->cut->lists++;
      continue;
    }
    kept++;
    if (watched) a->cut->last = element;
  }
  sv_addz(out, "]");
  if (watched) a->cut->kept = kept, a->cut->total = total;
}

static void put_object(sv_text *out, json object, attempt *a, bool top) {
  json name = {NULL, 0}, value;
  sv_addz(out, "{");
  for (bool first = true; json_next_member(object, &name, &value); first = false) {
    sv_addz(out, first ? "" : ",");
    sv_add(out, name.text, name.length);
    sv_addz(out, ":");
    put(out, value, a, top && json_is(name, a->cut->list));
  }
  sv_addz(out, "}");
}

static void put(sv_text *out, json value, attempt *a, bool watched) {
  switch (json_kind(value)) {
    case '{': put_object(out, value, a, false); break;
    case '[': put_list(out, value, a, watched); break;
    case '"': put_text(out, value, a); break;
    default: sv_add(out, value.text, value.length);
  }
}

/* Texts are left whole if that is possible at all: whoever reads a list goes on where it ended. */
void mcp_cut_put(sv_text *out, json value, mcp_cut *cut) {
  static const size_t text_max[] = {SIZE_MAX, 8000, 2000, 500, 120, 40};
  size_t start = out->length, budget = cut->budget ? cut->budget : SIZE_MAX / 2;
  for (size_t i = 0; i < sizeof text_max / sizeof *text_max; i++) {
    attempt a = {cut, text_max[i], start + budget / 10 * 9};
    cut->lists = cut->texts = cut->kept = cut->total = 0;
    out->length = start;
    if (json_kind(value) == '{')
      put_object(out, value, &a, true);
    else
      put(out, value, &a, false);
    if (out->length - start <= budget) return;
  }
}
