/* problem.h - what went wrong, in one line, in a buffer of the caller's. */
#ifndef ST_PROBLEM_H
#define ST_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#define ST_PROBLEM_MAX 400

typedef struct st_problem {
  char text[ST_PROBLEM_MAX]; /* "": nothing yet */
} st_problem;

/* Say it; the first one stays.  Always false, so that a function can return with it. */
bool st_problem_say(st_problem *problem, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool st_problem_nomem(st_problem *problem);

/* Is it that, whichever buffer it came through? */
bool st_problem_is_nomem(const char *text);

#endif
