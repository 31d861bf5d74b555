/* snippet.h - the piece of a text that shows why it was found. */
#ifndef ST_SNIPPET_H
#define ST_SNIPPET_H

#include <stddef.h>

#include "base/arena.h"
#include "search/match.h"

#define ST_SNIPPET_TOKENS 40
#define ST_SNIPPET_BYTES 600 /* of the text; less than 40 tokens where they are long or far apart */

/* About 40 tokens of the text, from where most different terms of the query (those not behind NOT) stand
** close together, the first such place; "..." where the text was cut, >>> and <<< around each match, a
** phrase as one.  The beginning of the text where nothing matches.  Characters are not cut.
** Looks no further than 64 KB behind the first match, and for that no further than 2 MB.
** In the arena, with a NUL behind it.  NULL: out of memory. */
char *st_snippet(st_arena *arena, st_matcher *matcher, const char *text, size_t length, size_t *out_length);

#endif
