/* tool_summary.c - see tool_summary.h. */
#include "capture/tool_summary.h"

#define VALUE_MAX 4096 /* bytes of an argument that are looked at */

static const st_tool_words claude[] = {
  {{"Bash"}, {"command"}, NULL, 200},
  {{"Read", "Write", "Edit"}, {"file_path"}, NULL, 0},
  {{"Grep"}, {"pattern"}, "path", 0},
  {{"Glob"}, {"pattern"}, NULL, 0},
  {{"Agent", "Task"}, {"description"}, NULL, 100},
  {{0}, {0}, NULL, 0},
};
const st_tool_style st_tools_of_claude = {claude, true, 80};

static const st_tool_words codex[] = {
  {{0}, {"cmd", "command", "filePath", "path", "uri", "query", "pattern"}, NULL, 120},
};
const st_tool_style st_tools_of_codex = {codex, false, 80};

static const st_tool_words opencode[] = {
  {{0}, {"command", "filePath", "path", "pattern", "query", "url", "description"}, NULL, 300},
};
const st_tool_style st_tools_of_opencode = {opencode, true, 300};

typedef struct telling {
  st_redact_scratch *scratch;
  st_arena *arena;
  bool nomem;
} telling;

static bool is_for(const st_tool_words *words, st_text name) {
  for (size_t i = 0; i < sizeof words->names / sizeof *words->names && words->names[i]; i++)
    if (st_text_is(name, words->names[i])) return true;
  return !words->names[0];
}

static const st_tool_words *words_for(const st_tool_style *style, st_text name) {
  const st_tool_words *words = style->words;
  while (!is_for(words, name)) words++;
  return words;
}

static st_text built(telling *t, st_str *text) {
  st_text out = {0};
  if (!st_segment_built(t->arena, text, &out)) t->nomem = true, out.length = 0;
  return out;
}

/* The words of a command that is a list; any other value as JSON. */
static st_text written(telling *t, st_text value) {
  st_str text;
  st_text word = {0};
  st_str_init(&text, SIZE_MAX);
  for (st_pull walk = st_pull_into(value); st_pull_is_array(value) && st_pull_next(&walk);) {
    if (!st_pull_is_string(walk.value) || text.length > VALUE_MAX) break;
    if (!st_pull_text(t->arena, walk.value, &word)) t->nomem = true;
    if (text.length) st_str_addc(&text, ' ');
    st_str_add(&text, word.bytes, word.length);
  }
  if (!text.length && value.length <= VALUE_MAX && !st_pull_write(t->arena, value, &text)) t->nomem = true;
  return built(t, &text);
}

/* The value of an argument without secrets: its name tells what it may be. */
static st_text clean(telling *t, st_text name, st_text value) {
  st_text text = {0};
  st_redacted redacted = {0};
  st_str one;
  if (st_pull_is_string(value) ? !st_pull_text(t->arena, value, &text) : false) t->nomem = true;
  if (!st_pull_is_string(value)) text = written(t, value);
  if (text.length > VALUE_MAX) text = st_cut_text((st_text){text.bytes, VALUE_MAX + 3}, VALUE_MAX); /* a character stays whole */
  st_str_init(&one, SIZE_MAX);
  st_str_addc(&one, '{');
  st_json_add_string(&one, name.bytes, name.length);
  st_str_addc(&one, ':');
  st_json_add_string(&one, text.bytes, text.length);
  st_str_addc(&one, '}');
  st_text json = built(t, &one);
  if (t->nomem || !st_redact_json(t->scratch, t->arena, json.bytes, json.length, &redacted)) {
    t->nomem = true;
    return (st_text){0};
  }
  st_pull walk = st_pull_into((st_text){redacted.text, redacted.length});
  text = (st_text){0};
  if (st_pull_next(&walk) && !st_pull_text(t->arena, walk.value, &text)) t->nomem = true;
  if (!st_keep_text(t->arena, text, &text)) t->nomem = true;
  return text;
}

static st_text clean_text(telling *t, st_text text) {
  st_redacted redacted = {0};
  if (text.length > VALUE_MAX) text.length = VALUE_MAX;
  if (!st_redact_text(t->scratch, t->arena, text.bytes ? text.bytes : "", text.length, &redacted) ||
      !st_keep_text(t->arena, (st_text){redacted.text, redacted.length}, &text))
    t->nomem = true;
  return text;
}

static st_text member(telling *t, st_text arguments, const char *name, st_text *value) {
  *value = st_pull_get(arguments, name);
  return value->bytes ? clean(t, st_text_of(name), *value) : (st_text){0};
}

static st_text joined(telling *t, st_text one, const char *between, st_text other) {
  st_str text;
  st_str_init(&text, SIZE_MAX);
  st_str_add(&text, one.bytes, one.length);
  st_str_addz(&text, between);
  st_str_add(&text, other.bytes, other.length);
  return built(t, &text);
}

/* The first argument, or the first that is a text. */
static st_text tell_first(telling *t, const st_tool_style *style, st_text arguments) {
  st_text name = {0};
  for (st_pull walk = st_pull_into(arguments); st_pull_next(&walk);) {
    if (!style->named && !st_pull_is_string(walk.value)) continue;
    if (!st_pull_text(t->arena, walk.name, &name)) t->nomem = true;
    st_text value = clean(t, name, walk.value);
    return style->named ? joined(t, name, "=", value) : value;
  }
  return (st_text){0};
}

static st_text tell(telling *t, const st_tool_style *style, st_text name, st_text arguments, size_t *most) {
  const st_tool_words *words = words_for(style, name);
  st_text value, told;
  *most = style->most;
  if (!st_pull_is_object(arguments)) return clean_text(t, arguments);
  for (size_t i = 0; i < sizeof words->members / sizeof *words->members && words->members[i]; i++) {
    told = member(t, arguments, words->members[i], &value);
    if (!value.bytes) continue;
    *most = words->most ? words->most : SIZE_MAX;
    if (!words->also) return told;
    st_text place = member(t, arguments, words->also, &value);
    return place.length ? joined(t, told, " in ", place) : told;
  }
  return tell_first(t, style, arguments);
}

bool st_tool_summary(const st_tool_style *style, st_redact_scratch *scratch, st_arena *arena, st_text name, st_text arguments,
                     st_text *out) {
  telling t = {.scratch = scratch, .arena = arena};
  size_t most;
  if (arguments.length && st_pull_skip(arguments.bytes, arguments.bytes + arguments.length, NULL) == NULL && *arguments.bytes == '{')
    *out = st_cut_text(clean_text(&t, arguments), style->most); /* it is no JSON after all */
  else {
    st_text told = tell(&t, style, name, arguments, &most);
    *out = st_cut_text(told, most);
  }
  return !t.nomem;
}
