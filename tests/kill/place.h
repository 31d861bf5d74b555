/* place.h - the store that is written: in a temporary home, or in a schema of PostgreSQL. */
#ifndef ST_KILL_PLACE_H
#define ST_KILL_PLACE_H

#include <stdbool.h>

#include "engine/driver.h"
#include "stele.h"

typedef struct place {
  st_engine engine;
  char directory[200];   /* SQLite: the home */
  char url[400];         /* PostgreSQL: the server */
  char name[40];         /* its schema, and the application_name of the writers */
  char location[600];    /* ... as a store's location */
  stele_place telemetry; /* at full durability */
} place;

/* Make an empty one; false if there is no server. */
bool place_make(place *p, st_engine engine);
void place_remove(const place *p);

stele_options place_options(const place *p);

/* A connection that only reads, behind Stele's back; NULL with the reason on stderr. */
st_conn *place_connect(const place *p);

/* Each row of a query; false with the reason on stderr. */
typedef void row_function(void *to, const st_value *row);
bool place_query(st_conn *conn, const char *sql, row_function *row, void *to);

/* PostgreSQL: wait until the server has noticed that the writers are dead. */
bool place_settle(const place *p, st_conn *conn);

#endif
