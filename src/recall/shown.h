/* shown.h - what a reply tells of something found: its ref, a piece of its text, when and where. */
#ifndef ST_SHOWN_H
#define ST_SHOWN_H

#include "recall/found.h"

/* How much may still be shown; a token is about four characters. */
typedef struct st_budget {
  bool limited;
  int64_t left; /* bytes */
  int rows;     /* still to be shown */
} st_budget;

st_budget st_budget_of(const st_call *call, int tokens_param, int rows);

/* Nothing more can be shown. */
bool st_budget_is_spent(const st_budget *budget);

/* store/kind/id */
st_value st_ref(st_call *call, const char *store, const char *kind, const char *id);
/* Take one apart, in the call's memory; false: it is none. */
bool st_ref_read(st_call *call, const st_value *ref, const char **store, const char **kind, const char **id);

/* The columns that the replies of search and timeline begin with; row has been read.  Without a matcher the snippet is
** the beginning of the text. */
void st_show(st_asked_stores *asked, const st_recalled *row, st_matcher *matcher, st_budget *budget, st_value *out);

/* The texts of one that are searched: text, title, extra. */
#define ST_SHOWN_COLUMNS 3
void st_shown_columns(st_call *call, const st_document *document, st_column out[ST_SHOWN_COLUMNS]);

st_value st_shown_time(const st_recalled *row);

/* What may be seen by its own session only is marked. */
st_value st_shown_mark(const st_asked_stores *asked, const st_recalled *row);

#endif
