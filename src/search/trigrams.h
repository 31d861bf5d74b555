/* trigrams.h - which indexed messages may have the words of a query inside of theirs (inside.h): all that do,
** and some more.  A long word is looked up by its runs of three characters in stele_trigram, which
** has those of the words of users and assistants; what stands for itself, in stele_text. */
#ifndef ST_TRIGRAMS_H
#define ST_TRIGRAMS_H

#include "search/candidates.h"
#include "search/index.h"

st_ids st_trigrams_find(st_call *call, st_arena *arena, st_index *index, const st_query *query);

#endif
