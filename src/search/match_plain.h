/* match_plain.h - how often ASCII texts have parts of words: without reading their tokens one by one, which takes many times as
** long.  match.c uses it where it can. */
#ifndef ST_MATCH_PLAIN_H
#define ST_MATCH_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "search/query.h"

#define ST_PLAIN_TEXT_MAX 65536 /* bytes; a longer text is read token by token */

/* Are parts of words all that is looked for, each by itself? */
bool st_plain_suits(const st_query *query);

/* The words of a text in lower case, with NULs between them, into `room`, which has a byte more than the text; *words: how many.
** False: it is not ASCII. */
bool st_plain_read(const char *text, size_t length, char *room, size_t *words);

/* How many words of such a text have the part. */
int st_plain_count(const char *room, size_t length, const st_query_token *part);

#endif
