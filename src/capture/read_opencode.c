/* read_opencode.c - opencode's database: sessions, and their messages in both of their forms.
**
** Rows change after the fact (a reply streams in, an old output is cleared), so what is asked for is what was
** updated since.  The same file holds accounts and credentials: only the tables named here are ever read. */
#include "capture/opencode.h"
#include "capture/segmenter.h"

enum { S_ID, S_PARENT, S_DIRECTORY, S_TITLE, S_VERSION, S_AGENT, S_CREATED, S_UPDATED };
static const char *const session_columns[] = {
  "id", "parent_id", "directory", "title", "version", "agent", "time_created", "time_updated", NULL,
};

/* Writers in other processes commit a little later than they look at the clock. */
#define OVERLAP_MS 10000

static bool owns(sqlite3 *db) {
  return st_has_columns(db, "session", (const char *const[]){"id", "project_id", "directory", "time_updated", NULL}) &&
         (st_has_columns(db, "part", (const char *const[]){"message_id", "data", "time_updated", NULL}) ||
          st_has_columns(db, "session_message", (const char *const[]){"session_id", "type", "data", NULL}));
}

static void tell_sessions(st_tell *tell, sqlite3 *db, int64_t since, int64_t *last) {
  st_dbrows rows = st_dbrows_of(tell, db, "session", session_columns, "WHERE time_updated >= ?1 ORDER BY time_created, id");
  st_dbrows_bind_int(&rows, 1, since);
  while (st_dbrows_next(&rows)) {
    st_told_session session = {.id = st_row_text(&rows, S_ID), .parent = st_row_text(&rows, S_PARENT)};
    if (!st_empty(session.parent)) session.link = ST_LINK_SUBAGENT;
    session.title = st_row_text(&rows, S_TITLE);
    session.cwd = st_row_text(&rows, S_DIRECTORY);
    session.version = st_row_text(&rows, S_VERSION);
    session.agent = st_row_text(&rows, S_AGENT);
    session.started_at = st_row_time(&rows, S_CREATED);
    st_tell_session(tell, &session);
    if (st_row_int(&rows, S_UPDATED) > *last) *last = st_row_int(&rows, S_UPDATED);
    st_arena_reset(tell->source->arena);
  }
  st_dbrows_close(&rows);
}

static bool read_all(st_source *source, sqlite3 *db) {
  st_tell tell = {.source = source};
  if (!st_dbrows_begin(&tell, db)) return !tell.stop;
  int64_t last = st_dbrows_kept(&tell, "time"), since = last > OVERLAP_MS ? last - OVERLAP_MS : 0;
  tell_sessions(&tell, db, since, &last);
  st_opencode_both(&tell, db, (st_text){0}, since, &last);
  st_dbrows_keep(&tell, "time", last);
  st_dbrows_end(db);
  return !tell.stop;
}

static const char *const roots[] = {"$XDG_DATA_HOME/opencode", ".local/share/opencode", NULL};

const st_reader st_reader_opencode = {
  .harness = "opencode",
  .program = "opencode",
  .roots = roots,
  .owns = owns,
  .read = read_all,
  .resume = "opencode --session {id}",
  .segments = &st_segments_of_opencode,
};
