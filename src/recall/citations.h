/* citations.h - which records an answer rests on: its marks [1], [2, 3]. */
#ifndef ST_CITATIONS_H
#define ST_CITATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/text.h"

typedef struct st_citations {
  st_str answer;  /* without the marks of what is not there */
  int *cited;     /* the numbers that are cited, each once, in order of appearance; room for `records` of them */
  int count;
  int removed;    /* citations of what is not there */
} st_citations;

/* Read an answer that may cite the records 1 to `records`.  Code between backticks has no marks, only brackets.  What was
** written into `answer` may have failed (st_str.failed). */
void st_citations_read(st_text answer, int records, st_citations *out);

#endif
