/* reply.h - a reply as JSON. */
#ifndef ST_REPLY_H
#define ST_REPLY_H

#include "base/str.h"
#include "engine/handle.h"

/* Append one row as a JSON object. */
void st_reply_row(st_str *out, const st_method *method, const st_value *values, st_arena *scratch);

/* The whole reply of a call whose rows are buffered, by the shape of its method, into call->text. */
void st_reply_all(st_call *call);

/* Have room for a reply of so many bytes, before something is done that cannot be told otherwise.  False: the call has failed. */
bool st_reply_room(st_call *call, size_t bytes);

/* The JSON of a record's arguments, as an object with the fields that are there. */
void st_reply_args(st_str *out, const st_method *method, const st_value *values, st_arena *scratch);

#endif
