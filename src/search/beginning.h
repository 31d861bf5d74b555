/* beginning.h - the postings of the beginning of a word, put together from those of the words that begin so.
**
** FTS5 would read the places of all of them.  Here the postings that are kept of the common ones are read instead (common.h), and
** FTS5 is asked for the others only. */
#ifndef ST_BEGINNING_H
#define ST_BEGINNING_H

#include "search/common.h"

/* All that FTS5 would find for a term of one token with a star, by ascending id, appended to *out.  *done is false, and there is
** nothing, if too many words begin so.  A SQLite result code.  Within a transaction. */
int st_beginning_gather(st_index *index, const st_term *term, st_loose *out, bool *done);

#endif
