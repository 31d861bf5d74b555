/* problem.c - see problem.h. */
#include "embed/problem.h"

#include <stdarg.h>
#include <stdio.h>

bool st_problem_say(st_problem *problem, const char *format, ...) {
  if (problem->text[0]) return false;
  va_list list;
  va_start(list, format);
  vsnprintf(problem->text, sizeof problem->text, format, list);
  va_end(list);
  return false;
}

bool st_problem_nomem(st_problem *problem) {
  return st_problem_say(problem, "out of memory");
}
