/* fts5_token.h - our tokeniser inside SQLite: CREATE VIRTUAL TABLE … USING fts5(…, tokenize = 'stele'). */
#ifndef ST_FTS5_TOKEN_H
#define ST_FTS5_TOKEN_H

#include <sqlite3.h>

/* Make the tokeniser known to a connection.  An SQLite code; SQLITE_ERROR if it has no FTS5. */
int st_fts5_tokenizer_register(sqlite3 *db);

#endif
