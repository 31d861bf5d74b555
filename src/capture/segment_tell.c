/* segment_tell.c - what a segment says, as a text: where and when, then prompts, calls and answers in lists. */
#include "base/time.h"
#include "base/utf8.h"
#include "capture/segment.h"

#define TEXT_MAX ((size_t)128 << 20)

/* Its further lines stand below its first. */
static void add_bullet(st_str *out, st_text text) {
  st_str_addz(out, "- ");
  for (size_t i = 0; i < text.length; i++) {
    if (text.bytes[i]) st_str_addc(out, text.bytes[i]);
    else st_str_addz(out, ST_UTF8_REPLACEMENT); /* as in st_keep_text */
    if (text.bytes[i] == '\n') st_str_addz(out, "  ");
  }
  st_str_addc(out, '\n');
}

/* "name: summary", or what stands there. */
static bool add_element(st_arena *arena, st_str *out, st_text element) {
  st_text text = {0}, name = {0}, summary = {0};
  if (!st_pull_is_object(element)) {
    if (!st_pull_text(arena, element, &text)) return false;
    add_bullet(out, text);
    return true;
  }
  if (!st_pull_text(arena, st_pull_get(element, "name"), &name) ||
      !st_pull_text(arena, st_pull_get(element, "summary"), &summary))
    return false;
  st_str line;
  st_str_init(&line, TEXT_MAX);
  st_str_add(&line, name.bytes, name.length);
  if (summary.length) st_str_addz(&line, ": ");
  st_str_add(&line, summary.bytes, summary.length);
  bool ok = st_segment_built(arena, &line, &text);
  if (ok) add_bullet(out, text);
  return ok;
}

static bool add_list(st_arena *arena, st_str *out, const char *title, st_text list, int most) {
  int count = 0;
  for (st_pull walk = st_pull_into(list); st_pull_next(&walk); count++) {
    if (count == 0) st_str_addf(out, "\n%s:\n", title);
    if ((most == 0 || count < most) && !add_element(arena, out, walk.value)) return false;
  }
  if (most && count > most) st_str_addf(out, "- and %d more\n", count - most);
  return true;
}

static void add_time(st_str *out, double seconds) {
  char text[ST_TIME_MAX];
  if (st_time_rfc3339((st_micros)(seconds * 1e6), text)) st_str_addz(out, text);
}

bool st_segment_tell(const st_segment_row *row, st_text texts, const st_summary_caps *caps, st_arena *arena, st_text *out) {
  st_str text;
  st_str_init(&text, TEXT_MAX);
  st_str_addz(&text, "Session in ");
  if (row->cwd.length) st_str_add(&text, row->cwd.bytes, row->cwd.length);
  else st_str_addz(&text, "an unknown directory");
  if (row->branch.length) st_str_addz(&text, " on ");
  st_str_add(&text, row->branch.bytes, row->branch.length);
  st_str_addc(&text, '\n');
  add_time(&text, row->start);
  st_str_addz(&text, " to ");
  add_time(&text, row->end);
  st_str_addc(&text, '\n');
  if (add_list(arena, &text, "Prompts", row->prompts, caps->prompts) &&
      add_list(arena, &text, "Tools", row->calls, caps->calls) && add_list(arena, &text, "Answers", texts, caps->texts))
    return st_segment_built(arena, &text, out);
  st_str_free(&text);
  return false;
}
