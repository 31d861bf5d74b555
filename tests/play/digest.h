/* digest.h - what is in a SQLite file, seen through a connection of its own. */
#ifndef ST_TEST_DIGEST_H
#define ST_TEST_DIGEST_H

#include "base/str.h"
#include "stele.h"

/* Append {"digest":"...","rows":{"telemetry.sessions":2,...},"open":false}: a hash of all rows of all
** tables of the handle's stores, and how many each table has.  Stores that do not exist are left out.
** open: the handle's own connection is inside a transaction.
** False: a file could not be read, and the reason was appended instead. */
bool digest_add(st_str *out, stele_db *db);

/* Let go of the files.  To be called before the handle is closed: the last connection clears up behind it. */
void digest_forget(void);

/* Append an array with what SQLite's integrity and foreign key checks find: [] when all is well. */
bool check_add(st_str *out, stele_db *db);

#endif
