/* json_pull.h - JSON read lazily: a value is the piece of text it stands in, and only what is asked for is
** looked into, decoded or copied.
**
** For transcripts, of which most bytes are not wanted: stepping over a value costs a scan at more than a
** gigabyte per second.  Takes what st_json_parse takes with ST_JSON_LENIENT, no more and no less; a value
** that was stepped over is known to be whole and right.
**
**   st_text type = {0}, message = {0};
**   st_pull_pick(record, (st_pull_want[]){{"type", &type}, {"message", &message}}, 2);
**   if (st_pull_is(type, "assistant")) ...
**
** Values (st_text) keep their quotes and brackets; a value with NULL bytes is one that was not there, and
** every function takes it for one of no type. */
#ifndef ST_JSON_PULL_H
#define ST_JSON_PULL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"

/* Step over the white space and the one value at `at`: where it ends, or NULL with *why (may be NULL) saying
** what is wrong.  st_pull_cut: it is not wrong, the text ends before the value does. */
const char *st_pull_skip(const char *at, const char *end, const char **why);
extern const char st_pull_cut[];

/* The type of a value by its first byte; ST_JSON_INT stands for every number, ST_JSON_NULL for none too. */
st_json_type st_pull_type(st_text value);
static inline bool st_pull_is_object(st_text value) { return value.length && *value.bytes == '{'; }
static inline bool st_pull_is_array(st_text value) { return value.length && *value.bytes == '['; }
static inline bool st_pull_is_string(st_text value) { return value.length && *value.bytes == '"'; }

/* The members of an object or array, one after the other; of anything else there are none. */
typedef struct st_pull {
  const char *at;
  const char *end;
  bool named;   /* it is an object */
  st_text name; /* of the last member: as it stands in the text, with its quotes */
  st_text value;
} st_pull;
st_pull st_pull_into(st_text value);
bool st_pull_next(st_pull *walk); /* false: there are no more, or what follows is not JSON */

/* Several members of an object in one pass.  Of a repeated name the last one counts; what is not there is
** left as it was. */
typedef struct st_pull_want {
  const char *name;
  st_text *value;
} st_pull_want;
void st_pull_pick(st_text object, const st_pull_want *wants, size_t count);
/* One member; none if it is not there. */
st_text st_pull_get(st_text object, const char *name);

/* Is it the string `text`?  (Also for names.)  One that is not UTF-8 is not. */
bool st_pull_is(st_text value, const char *text);
bool st_pull_true(st_text value);
/* The number, or what is given instead. */
int64_t st_pull_int(st_text value, int64_t otherwise);
double st_pull_real(st_text value, double otherwise);

/* The characters of a string: borrowed from the text where nothing had to be decoded, else in the arena.
** Not a string: none (and true).  False: out of memory. */
bool st_pull_text(st_arena *arena, st_text value, st_text *out);

/* Write a value as RFC 8259 has it, whatever the lenient reader let pass.  False: out of memory (also
** remembered by `out`). */
bool st_pull_write(st_arena *arena, st_text value, st_str *out);

#endif
