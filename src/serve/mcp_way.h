/* mcp_way.h - from one wish to calls of methods: which methods, how their arguments are filled, and what of
** their replies is told.  Ways are data: tools, resources and completions are tables of them. */
#ifndef SERVE_MCP_WAY_H
#define SERVE_MCP_WAY_H

#include "../door/json.h"
#include "mcp.h"
#include "text.h"

#define MCP_STEPS 2      /* calls of one way, at most */
#define MCP_ARGUMENTS 14 /* of one call */

/* One argument of a method. */
typedef struct mcp_argument {
  const char *name;     /* as the wish has it; NULL: it cannot be said */
  const char *param;    /* as the method has it; NULL: by the same name */
  const char *fallback; /* JSON that is sent when nothing was said; NULL: nothing is sent */
} mcp_argument;

/* One call. */
typedef struct mcp_step {
  const char *method;
  const char *key;     /* the member of the result that holds the reply; NULL: it is not told */
  const char *columns; /* those that are told, with spaces between; NULL: all */
  mcp_argument arguments[MCP_ARGUMENTS];
} mcp_step;

/* The calls, in order, until the first that fails. */
typedef struct mcp_way {
  const char *when; /* taken when this was said (for a choice: has this value); NULL: otherwise */
  mcp_step steps[MCP_STEPS];
} mcp_way;

/* Calls under way. */
typedef struct mcp_way_run {
  const mcp_way *way;       /* NULL: none */
  const stele_method *only; /* instead of a way: this method, with the arguments as they are */
  json arguments;           /* what was said: an object */
  size_t step;
  const stele_method *wanted; /* the call that is to be made, or NULL */
  sv_text args;               /* its arguments */
  sv_text body;               /* members of what is told, each with a comma before it */
  sv_text notes;
  void (*finish)(mcp_request *r, const stele_failure *failure); /* NULL failure: all was done */
} mcp_way_run;

/* The argument of that name in some step of the way, and the parameter behind it; NULL: none. */
const stele_field *mcp_way_field(const mcp_way *way, const char *name, const mcp_argument **argument);
const stele_field *mcp_method_param(const stele_method *method, const char *name);
/* Is this column told? */
bool mcp_step_tells(const mcp_step *step, const char *column);
/* The method of a step; NULL behind the last. */
const stele_method *mcp_step_method(const mcp_way *way, size_t step);

/* Begin the calls of a way, or of one method.  `finish` is called when they are done. */
void mcp_way_begin(mcp_request *r, const mcp_way *way, json arguments,
                   void (*finish)(mcp_request *r, const stele_failure *failure));
void mcp_way_begin_method(mcp_request *r, const stele_method *method, json arguments,
                          void (*finish)(mcp_request *r, const stele_failure *failure));
void mcp_way_give(mcp_request *r, const mcp_outcome *outcome);

/* What is told, as one JSON object within the caller's budget: lists and long texts are cut, and `more`
** says how to get the rest. */
void mcp_way_tell(mcp_request *r, sv_text *out);

#endif
