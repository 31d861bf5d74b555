/* fts5_token.h - our tokeniser as FTS5 takes it, in two forms. */
#ifndef ST_FTS5_TOKEN_H
#define ST_FTS5_TOKEN_H

#include <sqlite3.h>
#include <stdint.h>

#include "search/inner.h"

/* Teach a connection the tokenisers `stele` and `stele_trigram`.
**
** stele gives the tokens of token.h, and adds their number to *counted for every text that is indexed, so
** that nobody has to count them in a second reading; the connection is closed before that number goes.
**
** stele_trigram gives every three characters in a row of each word, each only once: for tables with
** detail=none, which keep no more than that a row has them.  The words of every text that is indexed, it tells to *inner. */
int st_fts5_tokenizer_register(sqlite3 *db, uint32_t *counted, st_inner *inner);

#endif
