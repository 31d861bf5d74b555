/* segment.c - see segment.h. */
#include "capture/segment.h"

#include "base/sha256.h"
#include "base/utf8.h"

#define LIST_MAX ((size_t)64 << 20)

void st_segment_init(st_segment *s) {
  *s = (st_segment){0};
  st_str_init(&s->prompts, LIST_MAX);
  st_str_init(&s->calls, LIST_MAX);
  st_str_init(&s->texts, LIST_MAX);
}

void st_segment_free(st_segment *s) {
  st_str_free(&s->prompts);
  st_str_free(&s->calls);
  st_str_free(&s->texts);
}

void st_segment_next(st_segment *s) {
  s->index++;
  st_str_clear(&s->prompts);
  st_str_clear(&s->calls);
  st_str_clear(&s->texts);
  s->size = s->messages = s->tokens = 0;
  s->start = s->end = 0;
}

static void begin_element(st_str *list) { st_str_addc(list, list->length ? ',' : '['); }

void st_segment_add_prompt(st_segment *s, st_text prompt) {
  begin_element(&s->prompts);
  st_json_add_string(&s->prompts, prompt.bytes, prompt.length);
}

void st_segment_add_text(st_segment *s, st_text text) {
  begin_element(&s->texts);
  st_json_add_string(&s->texts, text.bytes, text.length);
}

void st_segment_add_call(st_segment *s, st_text name, st_text summary) {
  begin_element(&s->calls);
  st_str_addz(&s->calls, "{\"name\":");
  st_json_add_string(&s->calls, name.bytes, name.length);
  st_str_addz(&s->calls, ",\"summary\":");
  st_json_add_string(&s->calls, summary.bytes, summary.length);
  st_str_addc(&s->calls, '}');
}

void st_segment_add_call_line(st_segment *s, st_text line) {
  begin_element(&s->calls);
  st_json_add_string(&s->calls, line.bytes, line.length);
}

void st_segment_at(st_segment *s, double time) {
  if (time <= 0) return;
  if (s->start == 0) s->start = time;
  if (time > s->end) s->end = time;
}

bool st_segment_has_content(const st_segment *s) { return s->prompts.length || s->calls.length || s->texts.length; }
bool st_segment_failed(const st_segment *s) { return s->prompts.failed || s->calls.failed || s->texts.failed; }

/* ---- The state ------------------------------------------------------------------------------ */

static void keep_list(st_str *out, const char *name, const st_str *list) {
  st_str_addf(out, ",\"%s\":", name);
  if (list->length) st_str_add(out, list->text, list->length);
  else st_str_addc(out, '[');
  st_str_addc(out, ']');
}

void st_segment_keep(const st_segment *s, st_str *out) {
  st_str_addf(out, "\"index\":%lld,\"size\":%lld,\"messages\":%lld,\"tokens\":%lld,\"start\":", (long long)s->index,
              (long long)s->size, (long long)s->messages, (long long)s->tokens);
  st_json_add_real(out, s->start);
  st_str_addz(out, ",\"end\":");
  st_json_add_real(out, s->end);
  keep_list(out, "prompts", &s->prompts);
  keep_list(out, "calls", &s->calls);
  keep_list(out, "texts", &s->texts);
}

static void recall_list(st_str *list, st_text value) {
  st_str_clear(list);
  if (st_pull_is_array(value) && value.length > 2) st_str_add(list, value.bytes, value.length - 1);
}

void st_segment_recall(st_segment *s, st_text state) {
  st_text index = {0}, size = {0}, messages = {0}, tokens = {0}, start = {0}, end = {0}, prompts = {0}, calls = {0}, texts = {0};
  st_pull_pick(state, (st_pull_want[]){{"index", &index}, {"size", &size}, {"messages", &messages}, {"tokens", &tokens},
    {"start", &start}, {"end", &end}, {"prompts", &prompts}, {"calls", &calls}, {"texts", &texts}}, 9);
  s->index = st_pull_int(index, 0);
  s->size = st_pull_int(size, 0);
  s->messages = st_pull_int(messages, 0);
  s->tokens = st_pull_int(tokens, 0);
  s->start = st_pull_real(start, 0);
  s->end = st_pull_real(end, 0);
  recall_list(&s->prompts, prompts);
  recall_list(&s->calls, calls);
  recall_list(&s->texts, texts);
}

/* ---- Texts ----------------------------------------------------------------------------- */

static bool keep_without_nul(st_arena *arena, st_text text, st_text *out) {
  size_t count = 0;
  for (size_t i = 0; i < text.length; i++) count += text.bytes[i] == '\0';
  char *to = st_arena_alloc(arena, text.length + count * (ST_UTF8_REPLACEMENT_SIZE - 1) + 1);
  if (!to) return false;
  out->bytes = to;
  for (size_t i = 0; i < text.length; i++) {
    if (text.bytes[i]) *to++ = text.bytes[i];
    else to = (char *)memcpy(to, ST_UTF8_REPLACEMENT, ST_UTF8_REPLACEMENT_SIZE) + ST_UTF8_REPLACEMENT_SIZE;
  }
  *to = '\0';
  out->length = (size_t)(to - out->bytes);
  return true;
}

bool st_keep_text(st_arena *arena, st_text text, st_text *out) {
  if (text.length && memchr(text.bytes, '\0', text.length)) return keep_without_nul(arena, text, out);
  out->bytes = st_arena_copy(arena, text.bytes ? text.bytes : "", text.length);
  out->length = text.length;
  return out->bytes != NULL;
}

static const char *next_character(const char *at, const char *end) {
  int size = st_utf8_char(at, end);
  return at + (size < 0 ? -size : size);
}

st_text st_cut_text(st_text text, size_t characters) {
  const char *at = text.bytes, *end = at + text.length;
  while (at < end && characters-- > 0) at = next_character(at, end);
  return (st_text){text.bytes, (size_t)(at - text.bytes)};
}

size_t st_count_characters(st_text text) {
  size_t count = 0;
  for (const char *at = text.bytes, *end = at + text.length; at < end; at = next_character(at, end)) count++;
  return count;
}

/* ---- The row -------------------------------------------------------------------------------- */

bool st_segment_built(st_arena *arena, st_str *built, st_text *out) {
  out->bytes = built->failed ? NULL : st_arena_copy(arena, built->text ? built->text : "", built->length);
  out->length = built->length;
  st_str_free(built);
  return out->bytes != NULL;
}

static bool close_list(st_arena *arena, const st_str *list, st_text *out) {
  st_str whole;
  st_str_init(&whole, LIST_MAX + 2);
  st_str_add(&whole, list->length ? list->text : "[", list->length ? list->length : 1);
  st_str_addc(&whole, ']');
  return st_segment_built(arena, &whole, out);
}

/* calls|prompts|texts in lines, and what else there is: what other programs hash, too. */
static bool hash_content(st_arena *arena, st_text texts, st_text more, st_segment_row *row) {
  st_str content;
  bool first = true, ok = true;
  st_str_init(&content, 3 * LIST_MAX);
  st_str_add(&content, row->calls.bytes, row->calls.length);
  st_str_addc(&content, '|');
  st_str_add(&content, row->prompts.bytes, row->prompts.length);
  st_str_addc(&content, '|');
  for (st_pull walk = st_pull_into(texts); ok && st_pull_next(&walk); first = false) {
    st_text text = {0};
    ok = st_pull_text(arena, walk.value, &text);
    if (!first) st_str_addc(&content, '\n');
    st_str_add(&content, text.bytes, text.length);
  }
  st_str_add(&content, more.bytes, more.length);
  ok = ok && !content.failed && st_sha256_text(content.text, content.length, row->hash);
  st_str_free(&content);
  return ok;
}

bool st_segment_fill(const st_segment *s, st_text more, const st_summary_caps *caps, st_arena *arena, st_segment_row *row) {
  st_text texts;
  row->index = s->index;
  row->messages = s->messages;
  row->tokens = s->tokens;
  row->start = s->start;
  row->end = s->end;
  return !st_segment_failed(s) && close_list(arena, &s->prompts, &row->prompts) &&
         close_list(arena, &s->calls, &row->calls) && close_list(arena, &s->texts, &texts) &&
         hash_content(arena, texts, more, row) && st_segment_tell(row, texts, caps, arena, &row->summary);
}
