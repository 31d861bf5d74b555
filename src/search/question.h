/* question.h - a question in natural language as a query: any of its words, in any of their forms.
**
** "When did Melanie go camping in June?" becomes  melanie OR (go OR goes OR went ...) OR (camping OR camp OR camped ...)
** OR june.  Words that say what is asked for (when, did, in) are left out, unless there are no others.  A word with its
** forms is a group: it counts as one word (ranking.h).  Names, numbers and what stands in quotes count more, words such as go less.  Also read:
** whether it is about the one who asks (I, my) or the one who is asked (you), and which months and years it names.
**
** Which texts are questions is for callers to say, or for st_question_is(). */
#ifndef ST_QUESTION_H
#define ST_QUESTION_H

#include "search/query.h"

#define ST_QUESTION_GROUPS 16 /* words; what follows is not looked for */

typedef struct st_group {
  int first, count; /* its terms in the query; the first is as it was asked */
  double weight;    /* 1, or more, or less */
} st_group;

typedef struct st_question {
  const st_query *query; /* EMPTY: the question has no words */
  st_group groups[ST_QUESTION_GROUPS];
  int ngroups;
  bool of_me, of_you;
  unsigned months; /* a bit for each, January the lowest; 0: none is named */
  int year;        /* the first one that is named, or 0 */
} st_question;

/* Is a text a question in natural language, rather than words or a query in the query language?  If it ends with a
** question mark or begins with a word that questions begin with, and has three words or more; or if of five words or more
** two are such as questions leave out.  Operators in upper case, or a star, make it a query. */
bool st_question_is(const char *text, size_t length);

/* Read a text as a question, whatever it is.  NULL: out of memory. */
const st_question *st_question_read(st_arena *arena, const char *text, size_t length);

#endif
