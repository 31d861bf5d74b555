/* toml.h - the library's reader of TOML (stele.read_toml), for texts at hand. */
#ifndef CLI_TOML_H
#define CLI_TOML_H

#include <stddef.h>

/* What the text says: a JSON array as the method tells it, in new memory.  NULL: *problem is why, in new memory, and
** *line where; 0: nowhere in particular. */
char *toml_values(const char *text, size_t length, char **problem, long long *line);

#endif
