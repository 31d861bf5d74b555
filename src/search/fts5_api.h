/* fts5_api.h - the door FTS5 leaves open for tokenisers and functions. */
#ifndef ST_FTS5_API_H
#define ST_FTS5_API_H

#include <sqlite3.h>

/* The extension API of this connection's FTS5.  A SQLite result code. */
int st_fts5_api(sqlite3 *db, fts5_api **out);

#endif
