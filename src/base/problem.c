/* problem.c - see problem.h. */
#include "base/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool st_problem_say(st_problem *problem, const char *format, ...) {
  if (problem->text[0]) return false;
  va_list list;
  va_start(list, format);
  vsnprintf(problem->text, sizeof problem->text, format, list);
  va_end(list);
  return false;
}

static const char NOMEM[] = "out of memory";

bool st_problem_nomem(st_problem *problem) {
  return st_problem_say(problem, "%s", NOMEM);
}

bool st_problem_is_nomem(const char *text) {
  return strcmp(text, NOMEM) == 0;
}
