/* index_file.h - what the files of the index share: its settings and its failures. */
#ifndef ST_INDEX_FILE_H
#define ST_INDEX_FILE_H

#include "search/index.h"

/* Where the index of a store lies: beside it. */
void st_index_path(const char *location, char out[4096]);

/* What an index must say of itself, under the key format, to be usable: made by these rules. */
void st_index_format(const st_call *call, char out[64]);

/* All answer a SQLite result code. */
int st_index_get(st_index *index, const char *key, char *out, size_t size);
/* The same of a text of any length, in the arena; NULL: there is none. */
int st_index_get_text(st_index *index, st_arena *arena, const char *key, char **out);
int st_index_set(st_index *index, const char *key, const char *value);
int st_index_script(st_index *index, const char *sql);
/* Read again what is kept in memory and may have changed. */
int st_index_read(st_index *index);
/* Has no other connection written since that was read? */
bool st_index_is_seen(st_index *index);

/* Fail the call with the index's last problem. */
void st_index_fail(st_call *call, st_index *index, int code);

#endif
