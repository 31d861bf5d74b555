/* id.h - the id of an envelope. */
#ifndef INGEST_ID_H
#define INGEST_ID_H

#include <stdbool.h>

#define ST_ID_SIZE 37 /* with the NUL */

/* A random UUID.  False: the system gave no random bytes. */
bool st_id_new(char out[ST_ID_SIZE]);

#endif
