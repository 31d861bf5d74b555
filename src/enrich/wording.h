/* wording.h - pieces of text put together: in one line, never cut inside a character. */
#ifndef ST_WORDING_H
#define ST_WORDING_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/text.h"

/* A text that stops growing at its limit. */
typedef struct st_wording {
  char *bytes;
  size_t length, room; /* room: without the NUL */
} st_wording;

/* In the arena; without memory it has no room. */
st_wording st_wording_of(st_arena *arena, size_t room);

/* White space becomes one blank each, control characters too; at most `most` bytes, with an ellipsis if there were more. */
void st_word_add(st_wording *to, st_text text, size_t most);
/* As it stands, or not at all. */
void st_word_addz(st_wording *to, const char *text);
static inline st_text st_wording_text(const st_wording *w) { return (st_text){w->bytes ? w->bytes : "", w->length}; }

/* The next sentence of a text, which becomes shorter by it, without what marks a list.  False: there is none. */
bool st_sentence_next(st_text *text, st_text *sentence);

/* Does it have one of the phrases in it?  They are in small letters; the list ends with NULL. */
bool st_says(st_text text, const char *const *phrases);

#endif
