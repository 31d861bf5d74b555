/* uuid.h - identifiers of 36 characters. */
#ifndef ST_UUID_H
#define ST_UUID_H

#include <stdbool.h>
#include <stddef.h>

#define ST_UUID_SIZE 37 /* with the NUL */

/* False: the system gave no random bytes. */
bool st_uuid_v4(char out[ST_UUID_SIZE]); /* random */
bool st_uuid_v7(char out[ST_UUID_SIZE]); /* ordered by time; increasing within a process */

/* The one of a name in a name space, which is such an identifier itself: the same for the same.  False: out of memory. */
bool st_uuid_v5(const char *space, const char *name, size_t length, char out[ST_UUID_SIZE]);

/* Is it 8-4-4-4-12 hexadecimal digits? */
bool st_uuid_valid(const char *text, size_t length);

#endif
