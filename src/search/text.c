/* text.c - see text.h. */
#include "search/text.h"

#include <string.h>

#include "base/json.h"
#include "engine/value.h"

#define TEXT_MAX (256u << 20)
#define NESTED 3 /* JSON in a string in JSON: no real call goes deeper */

typedef struct gathering {
  st_arena *arena;
  st_str out;
  bool parts; /* only the text parts of a multimodal content */
} gathering;

static void add(gathering *g, const char *text, size_t length) {
  if (g->out.length) st_str_addc(&g->out, ' ');
  st_str_add(&g->out, text, length);
}

static void gather(gathering *g, const st_json *json, int depth);

static void gather_string(gathering *g, const st_json *json, int depth) {
  st_json_error error;
  bool nested = json->length > 1 && (json->text[0] == '{' || json->text[0] == '[') && depth < NESTED && !g->parts;
  const st_json *inner = nested ? st_json_parse(g->arena, json->text, json->length, ST_JSON_LENIENT, &error) : NULL;
  if (inner)
    gather(g, inner, depth + 1);
  else
    add(g, json->text, json->length);
}

/* A part {"type":"image_url", ...} has no text; {"type":"text","text":...} has. */
static bool is_wanted(const gathering *g, const st_json *member) {
  if (!g->parts || !member->key) return true;
  bool nested = member->type == ST_JSON_ARRAY || member->type == ST_JSON_OBJECT;
  return nested ? strcmp(member->key, "image_url") != 0 && strcmp(member->key, "source") != 0
                : strcmp(member->key, "text") == 0 || strcmp(member->key, "content") == 0;
}

static void gather(gathering *g, const st_json *json, int depth) {
  if (json->type == ST_JSON_STRING) gather_string(g, json, depth);
  if (json->type != ST_JSON_ARRAY && json->type != ST_JSON_OBJECT) return;
  for (const st_json *member = json->first; member; member = member->next)
    if (is_wanted(g, member)) gather(g, member, depth);
}

static const char *text_of(st_arena *arena, const char *bytes, size_t length, bool parts, size_t *out_length) {
  gathering g = {.arena = arena, .parts = parts};
  st_json_error error;
  const st_json *json = st_json_parse(arena, bytes, length, ST_JSON_LENIENT, &error);
  *out_length = length;
  if (!json) return error.nomem ? NULL : bytes;
  st_str_init(&g.out, TEXT_MAX);
  gather(&g, json, 0);
  const char *copy = g.out.failed ? NULL : st_arena_copy(arena, g.out.text ? g.out.text : "", g.out.length);
  *out_length = g.out.length;
  st_str_free(&g.out);
  return copy;
}

const char *st_content_text(st_arena *arena, const char *bytes, size_t length, size_t *out_length) {
  size_t mark = sizeof ST_CONTENT_MARK - 1;
  *out_length = length;
  if (length <= mark || memcmp(bytes, ST_CONTENT_MARK, mark) != 0) return bytes;
  return text_of(arena, bytes + mark, length - mark, true, out_length);
}

const char *st_json_text(st_arena *arena, const char *bytes, size_t length, size_t *out_length) {
  return text_of(arena, bytes, length, false, out_length);
}
