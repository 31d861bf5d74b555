/* allowed.h - a filter in the numbers of an index: which rows it lets through. */
#ifndef ST_ALLOWED_H
#define ST_ALLOWED_H

#include "search/find.h"
#include "search/index.h"

typedef struct st_allowed st_allowed;

/* In the call's memory; NULL: the call has failed. */
st_allowed *st_allowed_new(st_call *call, st_index *index, const st_filter *filter);

/* Is there that row, and is it let through?  The first is a st_allowed, as rank.h wants it. */
bool st_allowed_row(const void *allowed, st_rowinfos *rows, int64_t id);

/* Does the filter let everything through? */
bool st_filter_is_open(const st_filter *filter);

/* For what is not in the index: is the text one of the list?  Everything is, where there is no list. */
bool st_list_has(const st_value *list, const st_value *text);

#endif
