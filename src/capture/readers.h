/* readers.h - which harness wrote a file. */
#ifndef ST_READERS_H
#define ST_READERS_H

#include "capture/reader.h"

/* A transcript of lines, by its path and first bytes; NULL: none knows it. */
const st_reader *st_reader_of_file(const char *path, const char *head, size_t length);
/* By the tables of a database; NULL: none knows it. */
const st_reader *st_reader_of_database(sqlite3 *db);

#endif
