/* places.h - where the stores are: the home, and stores that live elsewhere. */
#ifndef CLI_PLACES_H
#define CLI_PLACES_H

#include <stddef.h>

#include "stele.h"

/* A variable of the environment; NULL also when it is empty. */
const char *places_environment(const char *name);

/* A copy of a path, with a leading ~/ replaced by the user's directory. */
char *places_expand(const char *path);

/* $STELE_HOME, or $XDG_DATA_HOME/stele, or ~/.local/share/stele, in new memory.  NULL: none of them. */
char *places_home(void);

/* Put a store somewhere; the last place said counts. */
void places_set(stele_place **places, size_t *count, const char *store, size_t length, const char *location);
void places_free(stele_place *places, size_t count);

#endif
