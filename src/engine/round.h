/* round.h - how the library's own methods go round the stores: which are there, and how a method of one is called with what
** the caller said. */
#ifndef ST_ROUND_H
#define ST_ROUND_H

#include "engine/call.h"

/* Is the store there?  Looking makes nothing; connecting would.  One that cannot be looked at fails the call. */
bool st_round_is_there(st_call *call, const st_opened *opened);

/* Connect a store: *store becomes the part of the call that is about it, with an error of its own.  False: it cannot be used, or
** the caller has a transaction open on it. */
bool st_round_enter(st_call *store, const st_call *call, int index, st_error *error);

/* A point in time, in seconds as the library's own methods have it, in the form of the part's store. */
st_value st_round_time(st_call *part, const char *field, double seconds);

/* What the caller said, by the names of the parameters, becomes the arguments of the part's method; points in time in the store's
** form.  What was not said has its default.  False: no memory. */
bool st_round_pass(st_call *part, const st_call *call);

/* Does a text name what is called "store.topic", or all of that store? */
bool st_round_names(const char *text, const char *name);
bool st_round_is_named(const st_value *list, const char *name);

#endif
