/* transcripts.h - transcripts of coding agents, for the commands import and watch. */
#ifndef CLI_TRANSCRIPTS_H
#define CLI_TRANSCRIPTS_H

#include "command.h"

/* Take in a file or directory; NULL: what is found in the usual places.  False: it is a file that is no transcript,
** and nothing has been told. */
bool transcripts_take(cli *c, const char *path, int *status);

/* {"home":...,"environment":{...}}: where this user's agents keep their transcripts, as the methods want to be told it, by
** what is configured.
** NULL: the library failed. */
char *transcripts_places(const cli *c, stele_db *db);

/* How many messages of a harness, in files that changed since then (seconds since 1970), have not been taken in; -1: the library failed. */
int64_t transcripts_behind(const cli *c, const char *harness, int64_t since);

/* Was an option said that is for transcripts only? */
bool transcripts_asked(const cli *c);

#endif
