/* content.c - a digest as the JSON of a node. */
#include "base/json.h"
#include "enrich/digest.h"
#include "enrich/letters.h"

enum { CONTENT_MAX = 64 << 10, TAGS_MOST = 12 };

static void add_text(st_str *out, st_text text) { st_json_add_string(out, text.bytes, text.length); }

static void add_texts(st_str *out, const st_text *texts, size_t count) {
  st_str_addc(out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i) st_str_addc(out, ',');
    add_text(out, texts[i]);
  }
  st_str_addc(out, ']');
}

static void add_entities(st_str *out, const st_names *names) {
  bool some = false;
  st_str_addc(out, '{');
  for (int type = 0; type < ST_NAMES; type++) {
    const char *list = st_name_list((st_name_type)type);
    if (!list) continue;
    st_str_addf(out, "%s\"%s\":", some ? "," : "", list);
    add_texts(out, names->of[type], names->count[type]);
    some = true;
  }
  st_str_addc(out, '}');
}

/* ---- Tags ---- */

typedef struct tag_list {
  st_text of[TAGS_MOST];
  size_t count;
} tag_list;

static void add_tag(tag_list *t, st_text tag) {
  for (size_t i = 0; i < t->count; i++)
    if (st_text_same(t->of[i], tag)) return;
  if (t->count < TAGS_MOST && tag.length) t->of[t->count++] = tag;
}

static void add_tags_of_tool(tag_list *t, st_text name) {
  size_t blank = st_text_find(name, ' ');
  const st_tool *tool = st_tool_find((st_text){name.bytes, blank});
  st_text words = st_text_of(tool ? tool->tags : ""), word;
  while (st_text_token(&words, &word)) add_tag(t, word);
  if (st_text_ends(name, " test")) add_tag(t, st_text_of("testing"));
}

/* "extractive" comes first: a reader, or a later enricher, sees at once how little is behind it. */
static tag_list tags_of(const st_digest *d) {
  tag_list t = {.count = 0};
  add_tag(&t, st_text_of("extractive"));
  add_tag(&t, st_text_of(st_text_is(st_text_of(d->bundle->queue), "workflow") ? "ci" : d->bundle->queue));
  add_tag(&t, d->bundle->agent);
  for (size_t i = 0; i < d->names.count[ST_NAME_TOOL]; i++) add_tags_of_tool(&t, d->names.of[ST_NAME_TOOL][i]);
  for (size_t i = 0; i < d->names.count[ST_NAME_FILE]; i++) {
    const char *language = st_language_of(d->names.of[ST_NAME_FILE][i]);
    if (language) add_tag(&t, st_text_of(language));
  }
  return t;
}

/* ---- All of it ---- */

static void add_choices(st_str *out, const st_digest *d) {
  st_str_addc(out, '[');
  for (size_t i = 0; i < d->choice_count; i++) {
    st_str_addz(out, i ? ",{\"considered\":" : "{\"considered\":");
    add_text(out, d->choices[i].considered);
    st_str_addz(out, ",\"chosen\":");
    add_text(out, d->choices[i].chosen);
    st_str_addz(out, ",\"reason\":");
    add_text(out, d->choices[i].reason);
    st_str_addc(out, '}');
  }
  st_str_addc(out, ']');
}

st_text st_digest_content(st_digest *d, st_text summary, st_text intent) {
  tag_list t = tags_of(d);
  return st_digest_write(d, summary, intent, t.of, t.count);
}

st_text st_digest_write(st_digest *d, st_text summary, st_text intent, const st_text *tags, size_t count) {
  st_str out;
  st_str_init(&out, CONTENT_MAX);
  st_str_addz(&out, "{\"summary\":");
  add_text(&out, summary);
  st_str_addz(&out, ",\"intent\":");
  add_text(&out, intent);
  st_str_addf(&out, ",\"outcome\":\"%s\",\"entities\":", d->outcome);
  add_entities(&out, &d->names);
  st_str_addz(&out, ",\"tags\":");
  add_texts(&out, tags, count);
  st_str_addz(&out, ",\"key_decisions\":");
  add_texts(&out, d->decisions.of, d->decisions.count);
  st_str_addz(&out, ",\"problems_encountered\":");
  add_texts(&out, d->problems.of, d->problems.count);
  st_str_addz(&out, ",\"design_decisions\":");
  add_choices(&out, d);
  st_str_addc(&out, '}');
  char *copy = out.failed ? NULL : st_arena_copy(d->arena, out.text, out.length);
  st_text content = {copy, copy ? out.length : 0};
  st_str_free(&out);
  return content;
}
