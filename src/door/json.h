/* json.h - JSON texts read where they lie.  For the doors, which know the library by stele.h only. */
#ifndef DOOR_JSON_H
#define DOOR_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One value: a part of a text that was checked.  text NULL: there is none, and whatever is asked of
** it is none either. */
typedef struct json {
  const char *text;
  size_t length;
} json;

/* The value that a text is; none if it is not exactly one JSON value in UTF-8.  A NUL is behind its end. */
json json_read(const char *text, size_t length);

/* What it begins with tells its kind: { [ " t f n - 0...9; 0 if there is none. */
char json_kind(json value);

/* The member of that name; none if the value is no object or has no such member. */
json json_member(json object, const char *name);

/* Go from an element of an array to the next, from none to the first.  False: there is no more. */
bool json_next(json array, json *element);

/* Go from a member of an object to the next, from a name that is none to the first.  The name is a
** string.  False: there is no more. */
bool json_next_member(json object, json *name, json *value);

/* Is it a string, and this one? */
bool json_is(json value, const char *text);

/* The number that it is, if it is a whole one of at most 15 digits; else `otherwise`. */
long long json_int(json value, long long otherwise);

/* The number that it is; else 0. */
double json_number(json value);

/* A string as a text, in new memory, with U+FFFD for what no text can hold (NUL, half a surrogate
** pair); any other value as JSON on one line; NULL if there is none, or no memory. */
char *json_text(json value);

/* Write a text as a JSON string; a NUL is behind its end, and may be in it.  Bytes that are not UTF-8 become U+FFFD. */
void json_write(FILE *to, const char *text, size_t length);

#endif
