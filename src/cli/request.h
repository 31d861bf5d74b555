/* request.h - one call of a method whose arguments a command has put together. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "stele.h"

/* One argument; json NULL: not sent.  A list of them ends with a NULL name. */
typedef struct argument {
  const char *name;
  const char *json;
} argument;

/* The arguments as one JSON object, in new memory. */
char *request_json(const argument *arguments);

/* Free the JSON of each: it must be in memory of its own. */
void request_free(const argument *arguments);

/* A statement with the arguments bound.  NULL: stele_error() tells why. */
stele_stmt *request_prepare(stele_db *db, const char *method, const argument *arguments);

/* The rows of a statement, or a part of them. */
typedef struct row_source {
  stele_stmt *stmt;
  int64_t skip; /* so many are passed over first */
  int64_t left; /* so many are still to come; below 0: all there are */
  bool more;    /* there is one behind the last */
} row_source;

/* As stele_step() of the statement. */
stele_status rows_step(row_source *r);

#endif
