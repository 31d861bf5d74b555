/* reader.h - one harness: where its transcripts are, and what their records mean.
**
** A new harness is one file that defines an st_reader, and one line in readers.c.  There are two kinds.
** Transcripts of lines: the common code (lines of any length, glued records, growing and rewritten files,
** offsets, bad lines) calls record() for each JSON value.  Databases: read() is called with the open,
** read-only file and asks for what changed since the cursor it left. */
#ifndef ST_READER_H
#define ST_READER_H

#include <sqlite3.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"
#include "capture/told.h"

/* One file being read. */
typedef struct st_source {
  const char *path;  /* absolute */
  const char *under; /* the part of path below the root that it was found under */
  double modified;   /* of the file, seconds since the epoch: the only time some transcripts have */
  st_text session;   /* as st_reader.name gave it */
  int64_t record;    /* number of the record's line in the file, from 1 */
  int piece;         /* of records that stand on one line: which, from 0 */
  st_arena *arena;   /* for what must live until record() returns; emptied between records */
  st_str *state;     /* what the reader remembers from record to record, and from run to run: JSON text of its own */
  st_taker *taker;
} st_source;

typedef struct st_segment_rules st_segment_rules;

typedef struct st_reader {
  const char *harness; /* "claude-code": the source of its sessions */
  const char *program; /* for people: "Claude Code" */
  /* Directories or files to look at, relative to the user's home, NULL-terminated; an entry $NAME/rest stands
  ** for the environment variable that moves it, which the door hands over. */
  const char *const *roots;
  /* Is a file one of its transcripts?  By its path, and its first bytes where the path does not say it. */
  bool (*claims)(const char *path, const char *head, size_t length);
  /* Is a database its own?  By its tables; whatever its name is. */
  bool (*owns)(sqlite3 *db);
  /* The session's id, and facts that the path tells (a sub-agent's parent, the project).  Not of databases. */
  bool (*begin)(st_source *source);
  /* One record of a transcript of lines.  NULL: it is a database. */
  bool (*record)(st_source *source, const char *json, size_t length);
  /* A plain-text transcript (one that is not JSON): a line.  May be NULL. */
  bool (*line)(st_source *source, const char *text, size_t length);
  /* The file has been read to its (present) end.  May be NULL. */
  bool (*end)(st_source *source);
  /* Read a database: what changed since the state, which is moved on. */
  bool (*read)(st_source *source, sqlite3 *db);
  /* How to go on with a session in its own program: words of a command, {id} and {cwd} stand for themselves.
  ** NULL: it cannot. */
  const char *resume;
  /* How its sessions are cut into segments (segmenter.h).  NULL: they are conversations only. */
  const st_segment_rules *segments;
} st_reader;

extern const st_reader st_reader_claude, st_reader_codex, st_reader_codex_exec, st_reader_cursor, st_reader_opencode;
extern const st_reader st_reader_hassette, st_reader_hermes, st_reader_hippo, st_reader_kiso, st_reader_kwasi;

/* All readers, NULL-terminated. */
extern const st_reader *const st_readers[];

#endif
