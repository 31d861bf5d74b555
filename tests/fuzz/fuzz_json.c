/* fuzz_json.c - any bytes as JSON: the strict reader, the lenient one, the one that steps over values and that of the doors agree on
** what is JSON, and what is written of a value is read as the same value. */
#include <string.h>

#include "../../src/door/json.h"
#include "base/json_pull.h"
#include "fuzz/target.h"

static bool same_text(const char *one, size_t one_length, const char *other, size_t other_length) {
  return one_length == other_length && (one_length == 0 || memcmp(one, other, one_length) == 0);
}

static bool same(const st_json *one, const st_json *other) {
  if (one->type != other->type || one->length != other->length) return false;
  if (one->type == ST_JSON_STRING) return same_text(one->text, one->length, other->text, other->length);
  if (one->type == ST_JSON_INT) return one->integer == other->integer;
  if (one->type == ST_JSON_REAL) return one->real == other->real;
  if (one->type == ST_JSON_BOOL) return one->boolean == other->boolean;
  const st_json *a = one->first, *b = other->first;
  for (; a && b; a = a->next, b = b->next)
    if (!same_text(a->key, a->key_length, b->key, b->key_length) || !same(a, b)) return false;
  return !a && !b;
}

/* What every value of a tree promises. */
static void check(const st_json *value, const char *text, size_t size) {
  size_t members = 0;
  must(value->raw >= text && value->raw_length <= size && value->raw + value->raw_length <= text + size, "a value outside of its text");
  if (value->type == ST_JSON_STRING) must(value->text[value->length] == '\0', "a string without its end");
  for (const st_json *member = value->first; member; member = member->next, members++) check(member, text, size);
  if (value->type == ST_JSON_ARRAY || value->type == ST_JSON_OBJECT) must(members == value->length, "members are counted");
}

/* What is written of a value is JSON, and the value. */
static void check_written(st_arena *arena, const st_json *value) {
  st_json_error error;
  st_str out;
  st_str_init(&out, 64 << 20);
  must(st_pull_write(arena, (st_text){value->raw, value->raw_length}, &out), "a value is not written");
  const st_json *again = st_json_parse(arena, out.text, out.length, 0, &error);
  must(again && same(value, again), "what was written is another value");
  st_str_free(&out);
}

/* The same members by walking as by reading. */
static void check_walk(st_arena *arena, const st_json *value) {
  st_pull walk = st_pull_into((st_text){value->raw, value->raw_length});
  for (const st_json *member = value->first; member; member = member->next) {
    st_text name = {0};
    must(st_pull_next(&walk) && walk.value.bytes == member->raw && walk.value.length == member->raw_length, "a member is passed over");
    if (walk.named) must(st_pull_text(arena, walk.name, &name) && same_text(name.bytes, name.length, member->key, member->key_length), "a name");
    check_walk(arena, member);
  }
  must(!st_pull_next(&walk), "a member too many");
}

static bool only_space(const char *at, const char *end) {
  while (at < end && strchr(" \t\r\n", *at) && *at) at++;
  return at == end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  st_json_error error = {0}, wrong = {0};
  const char *why = NULL;
  char *text = malloc(size + 1); /* of just this size: a NUL is behind it for the doors */
  must(text != NULL, "no memory");
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  st_arena arena;
  st_arena_init(&arena, 256 << 20);
  const st_json *strict = st_json_parse(&arena, text, size, 0, &error);
  const st_json *lenient = st_json_parse(&arena, text, size, ST_JSON_LENIENT, &wrong);
  const char *stop = st_pull_skip(text, text + size, &why);
  must(strict || (error.message && error.offset <= size), "an error says where and what");
  must(!strict || (lenient && same(strict, lenient)), "the lenient reader takes less, or something else");
  must((lenient != NULL) == (stop && only_space(stop, text + size)), "stepping over takes something else");
  json seen = json_read(text, size); /* which looks at the form only: a number may be too large for a double */
  must(seen.text ? lenient != NULL : strict == NULL, "the doors take something else");
  if (lenient) {
    check(lenient, text, size);
    check_written(&arena, lenient);
    check_walk(&arena, lenient);
  }
  char *said = json_text(seen);
  must((said != NULL) == (seen.text != NULL), "a value has its text");
  free(said);
  st_arena_free(&arena);
  free(text);
  return 0;
}
