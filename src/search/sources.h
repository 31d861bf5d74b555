/* sources.h - the sources of a store, as the index and its readers ask them. */
#ifndef ST_SOURCES_H
#define ST_SOURCES_H

#include "engine/call.h"

/* Does the store number what can be found in it by itself?  So do conversations their messages. */
bool st_sources_numbered(const st_store *store);

/* A number for what the sources tell: another one if they are changed, and an index of theirs is to be made anew. */
uint64_t st_sources_mark(const st_store *store);

/* The source of that kind; NULL: there is none. */
const st_findable *st_source_find(const st_store *store, const char *kind);

/* Has the store the table of the source? */
bool st_source_is_there(const st_call *call, const st_findable *source);

/* A key as the source's methods take it. */
st_value st_source_key(const st_findable *source, const char *text, size_t length);

/* Does the store note what is changed?  One that is open for reading may not, and cannot be taught to. */
bool st_documents_noted(const st_call *call);

/* Make sure that it does, where it can. */
void st_documents_note(st_call *call);

#endif
