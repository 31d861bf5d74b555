/* question.h - what is asked of the stores for what was typed and chosen: arguments as JSON, in new memory. */
#ifndef CLI_TERMINAL_QUESTION_H
#define CLI_TERMINAL_QUESTION_H

#include "filter.h"

#define QUESTION_MOST 100 /* rows asked for: nobody chooses among more */

/* Of recall.search. */
char *question_search(const char *query, const filters *f);
/* Of recall.timeline: what happened last. */
char *question_recent(const filters *f);

/* A query whose last word is still being typed, as one that finds whatever begins so.  NULL: it is to be taken as it is, being
** short, a sentence, or written with operators. */
char *question_unfinished(const char *query);

#endif
