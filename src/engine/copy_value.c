/* copy_value.c - see copy_value.h. */
#include "engine/copy_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "base/time.h"

static bool is_number(const st_value *value) { return value->type == ST_INT || value->type == ST_REAL; }

static double real_of(const st_value *value) { return value->type == ST_INT ? (double)value->integer : value->real; }

static bool same_bytes(const st_value *a, const st_value *b) {
  return a->length == b->length && (a->length == 0 || memcmp(a->bytes, b->bytes, a->length) == 0);
}

static bool same_time(const st_value *a, const st_value *b) {
  st_micros one, other;
  return st_time_parse(a->bytes, a->length, &one) && st_time_parse(b->bytes, b->length, &other) && one == other;
}

static bool same_json(const st_json *a, const st_json *b);

/* Of members with one name the last counts, as in PostgreSQL. */
static bool holds(const st_json *object, const st_json *members) {
  for (const st_json *member = members->first; member; member = member->next) {
    const st_json *other = st_json_get(object, member->key);
    if (!other || !same_json(st_json_get(members, member->key), other)) return false;
  }
  return true;
}

static bool same_items(const st_json *a, const st_json *b) {
  const st_json *other = b->first;
  for (const st_json *item = a->first; item; item = item->next, other = other->next)
    if (!other || !same_json(item, other)) return false;
  return !other;
}

static bool same_json(const st_json *a, const st_json *b) {
  bool numbers = (a->type == ST_JSON_INT || a->type == ST_JSON_REAL) && (b->type == ST_JSON_INT || b->type == ST_JSON_REAL);
  if (numbers) return a->real == b->real;
  if (a->type != b->type) return false;
  switch (a->type) {
    case ST_JSON_BOOL: return a->boolean == b->boolean;
    case ST_JSON_STRING: return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
    case ST_JSON_ARRAY: return same_items(a, b);
    case ST_JSON_OBJECT: return holds(a, b) && holds(b, a);
    default: return true;
  }
}

static bool same_meaning(const st_value *a, const st_value *b, st_arena *arena) {
  st_json_error error;
  const st_json *one = st_json_parse(arena, a->bytes, a->length, 0, &error);
  const st_json *other = one ? st_json_parse(arena, b->bytes, b->length, 0, &error) : NULL;
  return other && same_json(one, other);
}

/* A column that SQLite takes for a number's where a text looks like one: PostgreSQL was given the number as a text. */
static bool same_digits(const st_value *number, const st_value *text) {
  char digits[ST_REAL_MAX];
  if (number->type == ST_INT) snprintf(digits, sizeof digits, "%" PRId64, number->integer);
  else st_format_real(number->real, digits);
  return strlen(digits) == text->length && memcmp(digits, text->bytes, text->length) == 0;
}

bool st_copy_same(const st_value *a, const st_value *b, st_copy_form form, st_arena *arena) {
  if (a->type == ST_INT && b->type == ST_INT) return a->integer == b->integer;
  if (is_number(a) && is_number(b)) return real_of(a) == real_of(b);
  if (is_number(a) && b->type == ST_TEXT) return same_digits(a, b);
  if (is_number(b) && a->type == ST_TEXT) return same_digits(b, a);
  if (a->type != b->type) return false;
  if (a->type == ST_NULL || same_bytes(a, b)) return true;
  if (a->type != ST_TEXT) return false;
  return form == ST_COPY_TIME ? same_time(a, b) : form == ST_COPY_JSON && same_meaning(a, b, arena);
}

/* As SQLite sorts values of different kinds. */
static int rank(const st_value *value) {
  return value->type == ST_NULL ? 0 : is_number(value) ? 1 : value->type == ST_TEXT ? 2 : 3;
}

int st_copy_order(const st_value *a, const st_value *b) {
  if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
  if (a->type == ST_NULL) return 0;
  if (a->type == ST_INT && b->type == ST_INT) return (a->integer > b->integer) - (a->integer < b->integer);
  if (is_number(a)) return (real_of(a) > real_of(b)) - (real_of(a) < real_of(b));
  size_t both = a->length < b->length ? a->length : b->length;
  int order = both ? memcmp(a->bytes, b->bytes, both) : 0;
  return order ? order : (a->length > b->length) - (a->length < b->length);
}
