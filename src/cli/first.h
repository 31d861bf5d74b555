/* first.h - what a person sees while the server starts: its address, how far taking in is, and when a search finds. */
#ifndef CLI_FIRST_H
#define CLI_FIRST_H

#include "command.h"

typedef struct first first;

/* Callbacks of serve_options; user is the first. */
void first_ready(void *user, const char *address);
void first_progress(void *user, const char *what, int64_t done, int64_t total);
void first_log(void *user, stele_log_level level, const char *message);

/* `place`: how handles are opened.  `import`: the server takes in sessions.  `say` writes a line among the server's, where
** there is no terminal.  Time counts from here. */
first *first_open(cli *c, const stele_options *place, bool import, void (*say)(stele_log_level level, const char *message));
/* The server has ended. */
void first_close(first *f);

/* The command that it belongs to, for other callbacks. */
const cli *first_cli(const first *f);

/* Is it a person who looks? */
bool first_seen(void);

#endif
