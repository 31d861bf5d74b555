/* remark.h - what a reader of queries has to say: a few short sentences, joined by semicolons. */
#ifndef ST_REMARK_H
#define ST_REMARK_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct st_remark {
  st_str text;
  int count; /* of sentences */
} st_remark;

void st_remark_init(st_remark *remark);
void st_remark_free(st_remark *remark);

/* Add a sentence.  One that was said before is not said again, and after a few it only says that there are
** more, so that a remark stays short whatever the query. */
void st_remark_add(st_remark *remark, const char *sentence);

/* Append text that a user wrote: what is too long is cut, what cannot be shown replaced. */
void st_remark_quote(st_str *out, const char *text, size_t length);

/* The remark, in the arena; "" if there was nothing to say.  NULL: out of memory. */
const char *st_remark_text(const st_remark *remark, st_arena *arena);

#endif
