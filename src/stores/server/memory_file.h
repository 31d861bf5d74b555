/* memory_file.h - memory files and their paths.  A directory is there because a file is in it; /memories always
** is.  No path leads anywhere else, as there is no file system behind it. */
#ifndef ST_MEMORY_FILE_H
#define ST_MEMORY_FILE_H

#include "base/str.h"
#include "engine/call.h"

#define ST_MEMORY_ROOT "/memories"
#define ST_MEMORY_PATH 1024        /* bytes of a path */
#define ST_MEMORY_FILES 10000      /* in all */
#define ST_MEMORY_TEXT (32u << 20) /* of what is said */

/* A place, and the range of paths below it: from "place/" on, before "place0". */
typedef struct st_place {
  const char *path; /* NULL: it was refused */
  const char *first, *behind;
} st_place;

/* The place that a parameter names; one that makes no sense fails the call. */
st_place st_memory_place(st_call *call, int param, const char *name);
st_place st_memory_place_at(st_call *call, const char *path);

/* The content of a file; false: there is none. */
bool st_memory_read(st_call *call, const char *path, st_value *content);
/* The same of one that must be there; false: the call has failed. */
bool st_memory_need(st_call *call, const st_place *at, st_value *content);
void st_memory_write(st_call *call, const char *path, const char *content, size_t length, const st_value *now);

/* The files of a directory, in the order of their paths: rows of server.list_memory. */
void st_memory_list(st_call *call, st_rows *rows, const st_place *at, int64_t limit);
bool st_memory_is_directory(st_call *call, const st_place *at);

/* Something new may be at a place where neither a file nor a directory is, nor a file on the way. */
void st_memory_need_free(st_call *call, const st_place *at, const char *name);
/* Fail the call: there is nothing. */
void st_memory_not_there(st_call *call, const char *name, const char *path);

/* What is said, in the call's memory; the builder is freed. */
st_value st_memory_said(st_call *call, st_str *out);

#endif
