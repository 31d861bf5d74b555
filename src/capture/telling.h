/* telling.h - the words that readers share: values of a record become texts, numbers and times, and what was
** found is told.
**
** Nothing is to be checked in between: once memory ran out, or the taker wants no more, every function does
** nothing.  At the end a reader returns !tell.stop. */
#ifndef ST_TELLING_H
#define ST_TELLING_H

#include "base/json_pull.h"
#include "capture/reader.h"

typedef struct st_tell {
  st_source *source;
  st_text session; /* whose messages these are */
  bool stop;
  bool broken; /* a database could not be read to its end: what was noted of it does not hold */
} st_tell;

/* Is it exactly one JSON value?  Records were checked before a reader gets them; texts out of a database were not. */
static inline bool st_is_json(st_text text) {
  return text.length && st_pull_skip(text.bytes, text.bytes + text.length, NULL) == text.bytes + text.length;
}

static inline bool st_empty(st_text text) { return text.length == 0; }
static inline st_text st_either(st_text first, st_text second) { return st_empty(first) ? second : first; }
/* Without white space at either end. */
st_text st_trim(st_text text);
bool st_starts(st_text text, const char *with);
bool st_ends(st_text text, const char *with);
/* The last part of a path. */
st_text st_base_name(const char *path);

/* A value of a record: the characters of a string (none if it is not a string), the same of a member. */
st_text st_tell_text(st_tell *tell, st_text value);
st_text st_tell_member(st_tell *tell, st_text object, const char *name);
/* Seconds since the epoch: of RFC 3339 text, or of a number of seconds or milliseconds.  0: it is none. */
double st_tell_time(st_tell *tell, st_text value);
/* A value, or a record, as strict JSON. */
st_text st_tell_json(st_tell *tell, st_text value);
/* The text, or a copy with U+FFFD in place of what is not UTF-8. */
st_text st_tell_utf8(st_tell *tell, st_text text);
/* What was built, in the arena; the builder is freed. */
st_text st_tell_built(st_tell *tell, st_str *built);
st_text st_tell_format(st_tell *tell, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The key of a record that has no name of its own: its number in the file. */
st_text st_tell_number(st_tell *tell);

/* What a message says: text where all of its parts are text (a line each), else JSON with parts as OpenAI has
** them.  `value` is a string or a list of parts. */
void st_tell_content(st_tell *tell, st_text value, st_told_message *message);

/* One more call of a tool in a list of them, which st_calls_built closes.  `arguments` are characters. */
void st_calls_add(st_str *calls, st_text id, st_text name, st_text arguments);
st_text st_calls_built(st_tell *tell, st_str *calls);
/* The arguments of a call: a string says them itself, any other value is written out. */
st_text st_tell_arguments(st_tell *tell, st_text value);

void st_tell_session(st_tell *tell, const st_told_session *session);
void st_tell_message(st_tell *tell, const st_told_message *message);
void st_tell_usage(st_tell *tell, const st_told_usage *usage);
/* A record that is kept for its own sake, whole. */
void st_tell_event(st_tell *tell, st_text key, double timestamp, st_text record);
void st_tell_aside(st_tell *tell);
/* The same of a record that is one of the session's. */
void st_tell_aside_at(st_tell *tell, double timestamp);
void st_tell_bad(st_tell *tell, const char *why);

#endif
