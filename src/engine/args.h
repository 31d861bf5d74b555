/* args.h - arguments: from JSON or typed binds to checked values, in the order of the parameters. */
#ifndef ST_ARGS_H
#define ST_ARGS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/json.h"
#include "engine/error.h"
#include "engine/registry.h"
#include "engine/value.h"

/* What a check needs to know. */
typedef struct st_args {
  const st_method *method;
  st_time_form time_form;
  st_arena *arena;
  st_error *error; /* filled in on failure */
  st_value *values; /* one per parameter; ST_ABSENT until set */
} st_args;

/* Set one parameter from a JSON value.  The value's text must outlive the arguments. */
bool st_args_set(st_args *args, const char *name, const st_json *json);
/* A point in time in the store's form.  False: it has none in that year, or there is no memory, which the error tells. */
bool st_args_time(st_args *args, st_value *out, st_micros micros);
/* Set one blob parameter. */
bool st_args_set_blob(st_args *args, const char *name, const void *bytes, size_t length);
/* Set all from the text of a JSON object, which must outlive the arguments. */
bool st_args_parse(st_args *args, const char *text, size_t length);
/* Fill in defaults; check that nothing required is missing. */
bool st_args_complete(st_args *args);

#endif
