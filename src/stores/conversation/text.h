/* text.h - characters, contents and JSON texts, as the conversation store needs them. */
#ifndef ST_CONVERSATION_TEXT_H
#define ST_CONVERSATION_TEXT_H

#include "base/str.h"
#include "engine/call.h"

#define ST_TEXT_MAX ((size_t)1 << 30) /* longest JSON a native method builds */

/* The character at *at, which is moved behind it; what is no UTF-8 is U+FFFD. */
uint32_t st_text_next(const char **at, const char *end);

/* White space, as Unicode and Python's str.isspace() have it. */
bool st_text_space(uint32_t c);

/* Narrow a text to what stands between the white space at its ends. */
void st_text_strip(const char **text, size_t *length);

/* Is it a content that is not a text?  Then *json and *length are its JSON. */
bool st_content_json(const st_value *content, const char **json, size_t *length);

/* Append a content as JSON: a string, or what is kept behind the mark. */
void st_content_add(st_str *out, const st_value *content, st_arena *scratch);

/* Append JSON that others kept as a text; if it is none, append what is given instead. */
void st_json_add_kept(st_str *out, const st_value *kept, const char *otherwise, st_arena *scratch);

/* What was built, in the call's memory; the builder is freed. */
st_value st_text_take(st_call *call, st_str *str);

#endif
