/* listen.h - listening sockets.  Both answer -1 when there is none, having told why. */
#ifndef SERVE_LISTEN_H
#define SERVE_LISTEN_H

#include <stddef.h>

/* where: gets the address as one writes it, with the port that was free when port is "0". */
int sv_listen_network(const char *host, const char *port, char *where, size_t size);
/* For the owner only.  A socket that a dead server left is replaced, a living one's is not. */
int sv_listen_unix(const char *path);

#endif
