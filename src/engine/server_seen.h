/* server_seen.h - whether a server runs on a home, seen from outside. */
#ifndef ST_SERVER_SEEN_H
#define ST_SERVER_SEEN_H

#include <stdbool.h>

typedef struct st_server_seen {
  char version[40]; /* of Stele */
  long pid;
  char numbers[200]; /* of the stores whose workers must agree with it: "capture=18"; "" if it does not say */
} st_server_seen;

/* The server keeps a lock on serve.pid while it lives, and its first line says who it is: "VERSION PID STORE=NUMBER ...".  The lock goes
** with its process, so that a file without one is only what a killed server left.  False: none runs, or there is no
** home (NULL, ":memory:") on which one could. */
bool st_server_look(const char *home, st_server_seen *seen);

#endif
