/* telling.c - the words that readers share (telling.h). */
#include "capture/telling.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/time.h"
#include "base/utf8.h"

/* Longest text a reader builds: a record is not longer than this either. */
#define BUILT_MAX ((size_t)1 << 30)

static bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

st_text st_trim(st_text text) {
  while (text.length && is_space(text.bytes[text.length - 1])) text.length--;
  while (text.length && is_space(*text.bytes)) text.bytes++, text.length--;
  return text;
}

bool st_starts(st_text text, const char *with) {
  size_t length = strlen(with);
  return text.length >= length && memcmp(text.bytes, with, length) == 0;
}

bool st_ends(st_text text, const char *with) {
  size_t length = strlen(with);
  return text.length >= length && memcmp(text.bytes + text.length - length, with, length) == 0;
}

st_text st_base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return st_text_of(slash ? slash + 1 : path);
}

/* ------------------------------------------------------------------------------------- values */

st_text st_tell_text(st_tell *tell, st_text value) {
  st_text out = {0};
  if (tell->stop) return out;
  if (!st_pull_text(tell->source->arena, value, &out)) tell->stop = true;
  return out;
}

st_text st_tell_member(st_tell *tell, st_text object, const char *name) {
  return st_tell_text(tell, st_pull_get(object, name));
}

/* No transcript is from before 1973 or counts seconds beyond the year 5138: larger is milliseconds. */
#define SECONDS_MAX 1e11

double st_tell_time(st_tell *tell, st_text value) {
  if (st_pull_is_string(value)) {
    st_text text = st_tell_text(tell, value);
    st_micros micros;
    return text.bytes && st_time_parse(text.bytes, text.length, &micros) ? (double)micros / 1e6 : 0;
  }
  double number = st_pull_real(value, 0);
  return number > SECONDS_MAX ? number / 1000 : number > 0 ? number : 0;
}

st_text st_tell_built(st_tell *tell, st_str *built) {
  st_text out = {0};
  if (built->failed) tell->stop = true;
  if (!tell->stop) {
    out.bytes = st_arena_copy(tell->source->arena, built->text ? built->text : "", built->length);
    out.length = built->length;
    if (!out.bytes) tell->stop = true;
  }
  st_str_free(built);
  return tell->stop ? (st_text){0} : out;
}

st_text st_tell_utf8(st_tell *tell, st_text text) {
  if (st_empty(text)) return text;
  const char *end = text.bytes + text.length, *from = text.bytes, *at = from;
  st_str out;
  st_str_init(&out, BUILT_MAX);
  while (at < end) {
    int size = st_utf8_char(at, end);
    if (size > 0) {
      at += size;
      continue;
    }
    st_str_add(&out, from, (size_t)(at - from));
    st_str_add(&out, ST_UTF8_REPLACEMENT, ST_UTF8_REPLACEMENT_SIZE);
    from = at += -size;
  }
  if (from == text.bytes) return text;
  st_str_add(&out, from, (size_t)(end - from));
  return st_tell_built(tell, &out);
}

st_text st_tell_json(st_tell *tell, st_text value) {
  if (tell->stop || !value.bytes) return (st_text){0};
  st_str out;
  st_str_init(&out, BUILT_MAX);
  if (!st_pull_write(tell->source->arena, value, &out)) out.failed = true;
  return st_tell_built(tell, &out);
}

st_text st_tell_format(st_tell *tell, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = tell->stop ? -1 : vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = length < 0 ? NULL : st_arena_alloc(tell->source->arena, (size_t)length + 1);
  if (!text) {
    tell->stop = true;
    return (st_text){0};
  }
  va_start(arguments, format);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return (st_text){text, (size_t)length};
}

st_text st_tell_number(st_tell *tell) {
  const st_source *source = tell->source;
  if (source->piece) return st_tell_format(tell, "r%lld+%d", (long long)source->record, source->piece);
  return st_tell_format(tell, "r%lld", (long long)source->record);
}

/* ------------------------------------------------------------------------------------ content */

static bool is_text_part(st_text type) {
  static const char *const types[] = {"text", "Text", "input_text", "output_text", "summary_text", "reasoning_text"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (st_pull_is(type, types[i])) return true;
  return false;
}

typedef struct part {
  st_text type, text, url;
} part;

static part look_at(st_text value) {
  part p = {0};
  st_pull_pick(value, (st_pull_want[]){{"type", &p.type}, {"text", &p.text}, {"image_url", &p.url}}, 3);
  return p;
}

static bool all_text(st_text parts) {
  for (st_pull walk = st_pull_into(parts); st_pull_next(&walk);) {
    if (st_pull_is_string(walk.value)) continue;
    part p = look_at(walk.value);
    if (!is_text_part(p.type) || !st_pull_is_string(p.text)) return false;
  }
  return true;
}

static st_text joined(st_tell *tell, st_text parts) {
  st_str out;
  st_text only = {0};
  size_t count = 0;
  st_str_init(&out, BUILT_MAX);
  for (st_pull walk = st_pull_into(parts); st_pull_next(&walk) && !tell->stop; count++) {
    st_text value = st_pull_is_string(walk.value) ? walk.value : look_at(walk.value).text;
    st_text text = st_tell_text(tell, value);
    if (count == 0) {
      only = text;
      continue;
    }
    if (count == 1) st_str_add(&out, only.bytes, only.length);
    st_str_addc(&out, '\n');
    st_str_add(&out, text.bytes, text.length);
  }
  if (count > 1) return st_tell_built(tell, &out);
  st_str_free(&out);
  return only;
}

static void add_part(st_tell *tell, st_str *out, st_text value) {
  part p = look_at(value);
  if (is_text_part(p.type) && st_pull_is_string(p.text)) {
    st_str_addz(out, "{\"type\":\"text\",\"text\":");
    if (!st_pull_write(tell->source->arena, p.text, out)) out->failed = true;
    st_str_addc(out, '}');
  } else if (st_pull_is(p.type, "input_image") && st_pull_is_string(p.url)) {
    st_str_addz(out, "{\"type\":\"image_url\",\"image_url\":{\"url\":");
    if (!st_pull_write(tell->source->arena, p.url, out)) out->failed = true;
    st_str_addz(out, "}}");
  } else if (!st_pull_write(tell->source->arena, value, out)) {
    out->failed = true;
  }
}

static st_text parts_as_json(st_tell *tell, st_text parts) {
  st_str out;
  st_str_init(&out, BUILT_MAX);
  st_str_addc(&out, '[');
  for (st_pull walk = st_pull_into(parts); st_pull_next(&walk);) {
    if (out.length > 1) st_str_addc(&out, ',');
    add_part(tell, &out, walk.value);
  }
  st_str_addc(&out, ']');
  return st_tell_built(tell, &out);
}

void st_tell_content(st_tell *tell, st_text value, st_told_message *message) {
  if (st_pull_is_string(value)) {
    message->content = st_tell_text(tell, value);
  } else if (st_pull_is_array(value)) {
    message->is_json = !all_text(value);
    message->content = message->is_json ? parts_as_json(tell, value) : joined(tell, value);
  } else if (value.bytes && st_pull_type(value) != ST_JSON_NULL) {
    message->is_json = true;
    message->content = st_tell_json(tell, value);
  }
}

/* -------------------------------------------------------------------------------------- calls */

void st_calls_add(st_str *calls, st_text id, st_text name, st_text arguments) {
  if (!calls->max) st_str_init(calls, BUILT_MAX);
  st_str_addz(calls, calls->length ? ",{\"id\":" : "[{\"id\":");
  st_json_add_string(calls, id.bytes ? id.bytes : "", id.length);
  st_str_addz(calls, ",\"type\":\"function\",\"function\":{\"name\":");
  st_json_add_string(calls, name.bytes ? name.bytes : "", name.length);
  st_str_addz(calls, ",\"arguments\":");
  st_json_add_string(calls, arguments.bytes ? arguments.bytes : "", arguments.length);
  st_str_addz(calls, "}}");
}

st_text st_calls_built(st_tell *tell, st_str *calls) {
  if (!calls->max) return (st_text){0};
  st_str_addc(calls, ']');
  return st_tell_built(tell, calls);
}

st_text st_tell_arguments(st_tell *tell, st_text value) {
  return st_pull_is_string(value) ? st_tell_text(tell, value) : st_tell_json(tell, value);
}

/* ------------------------------------------------------------------------------------ telling */

void st_tell_session(st_tell *tell, const st_told_session *session) {
  st_taker *taker = tell->source->taker;
  if (!tell->stop && !taker->session(taker, session)) tell->stop = true;
}

void st_tell_message(st_tell *tell, const st_told_message *message) {
  st_taker *taker = tell->source->taker;
  if (!tell->stop && !taker->message(taker, tell->session, message)) tell->stop = true;
}

void st_tell_usage(st_tell *tell, const st_told_usage *usage) {
  st_taker *taker = tell->source->taker;
  if (!tell->stop && !taker->usage(taker, tell->session, usage)) tell->stop = true;
}

void st_tell_event(st_tell *tell, st_text key, double timestamp, st_text record) {
  st_told_message event = {.key = key, .role = st_text_of("event"), .is_json = true, .timestamp = timestamp};
  event.content = st_tell_json(tell, record);
  st_tell_message(tell, &event);
}

void st_tell_aside(st_tell *tell) {
  st_taker *taker = tell->source->taker;
  if (!tell->stop && !taker->aside(taker)) tell->stop = true;
}

void st_tell_aside_at(st_tell *tell, double timestamp) {
  st_taker *taker = tell->source->taker;
  st_tell_aside(tell);
  if (!tell->stop && taker->aside_at && !taker->aside_at(taker, timestamp)) tell->stop = true;
}

void st_tell_bad(st_tell *tell, const char *why) {
  st_taker *taker = tell->source->taker;
  if (!tell->stop && !taker->bad(taker, why)) tell->stop = true;
}
