/* typed.h - a call through the typed functions: the other way to say what stele_call() says. */
#ifndef ST_TEST_TYPED_H
#define ST_TEST_TYPED_H

#include "base/str.h"
#include "stele.h"

/* Prepare the method, bind each member of the arguments by its type, step through the rows, and put
** them together as the JSON that stele_call() would reply.  args must be a JSON object: otherwise
** there is nothing to bind, and the answer is STELE_MISUSE. */
stele_status typed_call(stele_db *db, const char *method, const char *args, st_str *reply);

#endif
