/* outcome.h - how it went. */
#ifndef ST_OUTCOME_H
#define ST_OUTCOME_H

#include "enrich/bundle.h"
#include "enrich/find.h"

typedef enum st_result { ST_RESULT_NONE, ST_RESULT_GOOD, ST_RESULT_BAD } st_result;

/* What became of one item of a bundle. */
typedef struct st_deed {
  const st_item *item;
  st_line line;     /* of a command */
  st_result result; /* NONE: it is not known, or says nothing about the work */
  bool mended;      /* it was bad, and the same was good later */
  st_text error;    /* the line that tells what was wrong; empty: none does */
} st_deed;

/* Of a command: how it ended, or what the tests that it ran say, where its status does not tell. */
st_result st_result_of_command(const st_item *item, const st_line *line);
/* Of what an agent said. */
st_result st_result_said(st_text answer);
/* How a run, or a job of it, ended. */
st_result st_result_concluded(st_text verdict);

/* success, partial, failure or unknown: what happened last counts, and what was mended is no failure. */
const char *st_outcome_of(const st_bundle *bundle, st_deed *deeds);

#endif
