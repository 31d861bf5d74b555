/* tour.h - the parts of the guided tour: its stage, its records, its plot, its conversation. */
#ifndef CLI_TOUR_H
#define CLI_TOUR_H

#include "command.h"

/* The tour's state.  Each step does nothing once one has failed or the tour was stopped. */
typedef struct tour {
  output *out;
  stele_db *db;
  char *home; /* a temporary directory, removed at the end */
  double now; /* seconds: the end of the hour the records are about */
  int64_t session, lights, doors, job;
  int status; /* exit status so far */
} tour;

/* May the tour go on? */
bool tour_goes_on(tour *t);

/* Print the call as the command somebody would type; arguments is a JSON object or "". */
void tour_command_line(tour *t, const char *method, const char *arguments);
/* Keep and tell the failure of the last call. */
void tour_failed(tour *t);

/* A title and some lines about what comes. */
void tour_chapter(tour *t, const char *title, const char *text);
/* A call whose reply is printed as it is. */
void tour_call(tour *t, const char *method, const char *arguments);

/* The arguments of telemetry.persist_batch for the n-th batch, from 0, of the hour, in new memory. */
#define TOUR_BATCHES 3
#define TOUR_BATCH 100
char *tour_batch(const tour *t, int n);
/* The first record of a batch, for the eye. */
char *tour_first_record(const char *batch);

/* A conversation: written, found, shown. */
void tour_conversation(tour *t);

/* Runs over time, as bars. */
void tour_plot(tour *t, const char *since, const char *until);

#endif
