/* text.h - what of a stored value is text to be searched and shown.
**
** A content may be JSON behind a mark, and tool calls always are: their strings are what people
** search for, decoded, not the escapes and braces around them. */
#ifndef ST_SEARCH_TEXT_H
#define ST_SEARCH_TEXT_H

#include <stddef.h>

#include "base/arena.h"

/* The text of a content: itself, or the text parts of a multimodal one joined by spaces.  NULL: out
** of memory.  The result may be the input itself. */
const char *st_content_text(st_arena *arena, const char *bytes, size_t length, size_t *out_length);

/* All strings of a JSON text, joined by spaces; strings that are JSON themselves (arguments of a call)
** likewise.  What is no JSON is taken as it is. */
const char *st_json_text(st_arena *arena, const char *bytes, size_t length, size_t *out_length);

#endif
