/* told.h - rows as JSON, within a budget: lists that end where it ends. */
#ifndef ST_PLANNER_TOLD_H
#define ST_PLANNER_TOLD_H

#include "engine/call.h"

typedef struct st_budget {
  int64_t left;    /* bytes */
  size_t text_max; /* a longer text is shortened */
} st_budget;

/* A list of JSON values, in the call's memory. */
typedef struct st_told {
  const char **items;
  size_t count, room;
  int64_t left_out; /* items that did not fit, or came after one that did not */
} st_told;

/* The row as a JSON object, its texts shortened to text_max bytes. */
st_value st_told_row(st_call *call, const st_method *method, st_value *row, size_t text_max);

/* Add an item if the budget allows. */
bool st_told_add(st_call *call, st_told *told, st_budget *budget, st_value item);

/* Add the rows of a method. */
void st_told_rows(st_call *call, st_told *told, st_budget *budget, int method, const st_value *args);

/* The list as a JSON array; backwards: the last item first. */
st_value st_told_array(st_call *call, const st_told *told, bool backwards);

/* A text of at most so many bytes, with a mark that says how much is missing. */
st_value st_told_text(st_call *call, const st_value *text, size_t text_max);

#endif
