/* presence.h - how other programs see that a server runs on a home: the file serve.pid, "VERSION PID STORE=NUMBER ..." in a
** line, and a lock on its first byte, which goes with the process however it ends. */
#ifndef SERVE_PRESENCE_H
#define SERVE_PRESENCE_H

/* A descriptor that holds the lock; -1: there is no home, another server was first, or the file cannot be written.  The
** server runs all the same. */
int sv_presence_begin(const char *home, const char *numbers);
void sv_presence_end(int fd, const char *home);

#endif
