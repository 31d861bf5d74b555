/* diverse.h - the same is not told twice. */
#ifndef ST_DIVERSE_H
#define ST_DIVERSE_H

#include "recall/found.h"

/* Put what is like something before it further behind (maximal marginal relevance, search/fuse.h).  Likeness needs an
** embedder; without one the order stays, which is noted. */
void st_diverse(st_asked_stores *asked, st_recalled_list *list);

#endif
