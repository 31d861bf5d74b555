/* serve.h - the server, as the command line starts it.  The only header of this directory that
** another may include. */
#ifndef SERVE_H
#define SERVE_H

#include "stele.h"

typedef struct serve_options {
  const stele_options *place; /* how handles are opened; its callbacks are not used */
  const char *host;           /* NULL: 127.0.0.1 */
  const char *port;           /* NULL: 7878; "0": any that is free */
  const char *socket;         /* a unix socket besides, or NULL */
  const char *allow_hosts;    /* further names it may be called by, with commas between; or NULL */
  const char *settings;       /* "body=64M,request=30s": see limits.h; or NULL */
  /* The arguments of conversation.watch_transcripts, as JSON in new memory (NULL: the handle tells why not).  Asked for
  ** when the watch begins.  NULL: the server does not watch. */
  char *(*transcripts)(stele_db *db);
} serve_options;

/* Serve until a signal says stop.  Problems and events go to stderr.  Returns the exit status. */
int serve_run(const serve_options *options);

#endif
