/* alloc.h - every allocation of the library goes through here, so that tests can make one fail. */
#ifndef ST_ALLOC_H
#define ST_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* Like malloc, realloc and free.  NULL when out of memory. */
void *st_alloc(size_t size);
void *st_alloc_zero(size_t size);
void *st_realloc(void *old, size_t size);
void st_free(void *pointer);
char *st_strdup(const char *text);
char *st_strndup(const char *text, size_t length);

/* Tests: asked before every allocation; true makes that allocation fail.  NULL: none fails. */
extern bool (*st_alloc_fails)(void);

#endif
