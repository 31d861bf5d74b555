/* token.h - text to tokens: the one tokeniser, for FTS5, for PostgreSQL, for queries and snippets.
**
** A word is a run of letters, numbers and marks, folded (fold.h); everything else separates: it's gives
** it, s; a/b.py gives a, b, py.  A character of CJK is a token of its own, and so is a symbol or an emoji
** (chars.h says which is what).  Bytes that are no character, NUL too, separate like punctuation.
**
** Where punctuation, not only white space, stands between two tokens of which one is CJK, a boundary
** comes between them, so that phrases of CJK do not cross it.  Phrases of words do: they are written
** with spaces, and file.c:12 should be found as "file c 12". */
#ifndef ST_TOKEN_H
#define ST_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/* To be raised when the same text gives other tokens than before: an index made by another version, or
** under other Unicode tables, is to be made anew. */
#define ST_TOKENIZER_VERSION 1
const char *st_tokenizer_unicode(void); /* e.g. "15.0.0" */

/* A word is cut to this many bytes, after folding and between characters; in a query too, so it is found. */
#define ST_TOKEN_MAX 64

#define ST_TOKEN_BOUNDARY_TEXT "\x01"

typedef enum st_token_kind {
  ST_TOKEN_WORD,
  ST_TOKEN_CJK,
  ST_TOKEN_SYMBOL,
  ST_TOKEN_BOUNDARY, /* its text is ST_TOKEN_BOUNDARY_TEXT */
} st_token_kind;

/* Takes one token: 1 to ST_TOKEN_MAX bytes of UTF-8, none of them a space, a quote, a backslash or NUL;
** valid during the call.  It came from the bytes start to end of the text.  False stops. */
typedef bool st_token_fn(void *to, const char *token, size_t token_length, size_t start, size_t end,
                         st_token_kind kind);

/* Hand the tokens of a text to fn, in order.  False: fn stopped it.  Nothing is allocated.  The tokens,
** with spaces between them and a full stop for a boundary, give the same tokens again. */
bool st_tokenize(const char *text, size_t length, st_token_fn *fn, void *to);

#endif
