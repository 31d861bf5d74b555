/* inside.h - looking for parts of words (st_query.inside).
**
** A word of three characters and more may then stand anywhere inside of a word.  Of a phrase only the ends
** are open, as they are where a piece is cut out of a text: "onfig fil" is in "a config file".  Shorter
** words, CJK and symbols are the tokens they always are.  Looked at are the contents of what users and
** assistants said, not what tools printed or were called with. */
#ifndef ST_INSIDE_H
#define ST_INSIDE_H

#include "search/query.h"

#define ST_INSIDE_CHARACTERS 3 /* the least that is looked for inside of words */

/* By rank, so many candidates are read and ranked at a time, the newest first. */
#define ST_INSIDE_BLOCK 500

/* Is the token a word that is long enough? */
bool st_inside_is_part(const st_query_token *token);

/* Is there such a word among those to be found?  And is none of them in a phrase?  Whoever writes a phrase
** knows the words. */
bool st_inside_is_possible(const st_query *query);
bool st_inside_is_plain(const st_query *query);

/* May this token of a text stand for token i of the term?  Then from byte to byte of it, *from to *to. */
bool st_inside_fits(const st_term *term, int i, const char *token, size_t length, size_t *from, size_t *to);

/* A quick look at a text before its tokens are read: false if it cannot match.  It needs memory for a copy;
** without, it may match. */
bool st_inside_may_match(st_arena *scratch, const st_query *query, const char *text, size_t length);

#endif
