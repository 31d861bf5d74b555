/* history.h - the history that a shell keeps in a file, and what its readers tell of each command in it. */
#ifndef ST_HISTORY_H
#define ST_HISTORY_H

#include <stdio.h>

#include "base/str.h"
#include "base/text.h"
#include "engine/call.h"

/* One command, as far as the file knows it. */
typedef struct st_past {
  st_text command;
  int64_t when_ms;     /* 0: not known */
  int64_t duration_ms; /* 0: not known */
  const int64_t *exit_code; /* NULL: not known */
  st_text cwd, session, hostname, username; /* empty: not known */
  st_text id; /* by which the file knows it; empty: it does not */
} st_past;

typedef struct st_history st_history;

/* What a reader tells.  False: enough, the call has failed. */
bool st_history_tell(st_history *history, const st_past *past);

/* The readers.  What cannot be read fails the call. */
typedef void st_history_reader(st_history *history, st_call *call, const char *path);
st_history_reader st_history_zsh, st_history_bash, st_history_fish, st_history_atuin;

/* For those of lines: open the file, or fail the call. */
FILE *st_history_open(st_call *call, const char *path);

#endif
