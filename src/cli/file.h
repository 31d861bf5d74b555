/* file.h - small files of other programs' or the user's own, read and replaced whole.
**
** What is written takes the place of the old file at one stroke (a new file beside it, synced, renamed), with the old
** one's permissions; a symbolic link stays one, and what it leads to is replaced. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define FILE_MOST ((size_t)64 << 20)

/* All of it, with a NUL behind it.  NULL: it is not there (*error ENOENT) or cannot be read (errno). */
char *file_read(const char *path, size_t *length, int *error);

/* 0, or errno.  Directories that are missing are made; *made, if asked for, counts them. */
int file_write(const char *path, const char *bytes, size_t length, int *made);

/* How many of the directories above a file are missing. */
int file_missing_directories(const char *path);

/* Take a file away, and as many (empty) directories above it.  0, or errno. */
int file_remove(const char *path, int directories);

#endif
