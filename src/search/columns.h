/* columns.h - the three columns of a document: text, title and extra, as they are searched. */
#ifndef ST_COLUMNS_H
#define ST_COLUMNS_H

#include "engine/call.h"
#include "search/match.h"

#define ST_COLUMNS 3

/* What is searched of values as they are stored: of a text its text, of extra, which is JSON, the strings in it.  In the
** arena; no memory fails the call. */
void st_columns_read(st_call *call, st_arena *arena, const st_value *text, const st_value *title, const st_value *extra,
                     st_column out[ST_COLUMNS]);

#endif
