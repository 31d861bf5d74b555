/* place.h - where events go: the socket of the server, and the files that keep them when it is not there. */
#ifndef INGEST_PLACE_H
#define INGEST_PLACE_H

#include <stdbool.h>

#define ST_PLACE_MAX 4096

/* The server's socket, capture.sock in the home.  Where that path has more than 100 bytes, which a socket's address cannot
** hold everywhere: stele-UID-HASH.sock in /run/user/UID, or in /tmp if there is none.  False: the home has no path. */
bool st_place_socket(const char *home, char out[ST_PLACE_MAX]);

/* Is the other end of a socket the same user's?  In a directory that everybody can write to, a socket may be anybody's. */
bool st_place_is_ours(int fd);

/* The directory of the fallback files. */
bool st_place_fallback(const char *home, char out[ST_PLACE_MAX]);

#endif
